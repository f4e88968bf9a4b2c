// The failures that a host may report for each command, according to its contract (core/wit).

import { HostFailure, refusedPort } from "../../../hosts/shared/failure.js";
import type { failures, networks } from "../../../hosts/shared/host.js";
import type { HostCommand } from "../commands.js";
import { failureFrom } from "../../support/failures/failure-text.js";

/** Other failures than the most likely one. */
export const ALSO: Readonly<Partial<Record<HostCommand, readonly string[]>>> = {
  resolve: ["answer:403", "answer:401", "answer:500", "malformed:checkable-digest"],
  tags: ["answer:403", "answer:500"],
  blob: ["answer:403", "answer:500"],
  login: ["answer:403", "answer:500"],
  layer: ["answer:500", "exchange:timeout", "cut-short:blob", "malformed:checkable-digest"],
  extract: ["call:EACCES", "call:EROFS"],
  join: ["busy"],
  identify: ["internal:defect", "no-such:user", "no-such:group", "id-range:2147483647"],
};

/** `how`: a case and its detail: `no-such:volume`, `call:EIO`; or `busy`. */
export function failureFor({ tag, val }: { tag: string; val?: unknown }, how?: string): HostFailure {
  if (how === "busy" && tag === "join") return busy(val as networks.Join);
  if (how !== undefined) return new HostFailure(detailed(how));
  if (tag === "launch" || tag === "exec") return said("runtime sh / the OCI runtime says no");
  return said(`call ${tag}  ENOSPC`);
}

/** For cases whose first field is not their detail. */
const SPELLED: Readonly<Record<string, (detail: string) => string>> = {
  call: (error) => `open /some ${error} inside`,
  program: (error) => `some ${error}`,
  directory: (error) => `/some ${error}`,
  mount: (error) => `some /place 4096 data  ${error}`,
  "place-in-volume": (error) => `some place ${error}`,
  exchange: (why) =>
    `https://r.example/v2/ ${why.endsWith("call") ? `${why} connect r.example:443 ECONNREFUSED` : why}`,
  answer: (status) => `${status} DENIED told`,
};

function detailed(how: string): failures.Failure {
  const [tag = "", detail = ""] = how.split(":");
  return failureFrom([tag, ...(SPELLED[tag]?.(detail) ?? detail).split(" ")], { text: "some", number: 4 });
}

function said(failure: string): HostFailure {
  return new HostFailure(failureFrom(failure.split(" ")));
}

/** Another program has the port. A command without ports gets another failure. */
function busy({ ports }: networks.Join): HostFailure {
  const [port] = ports;
  return port === undefined ? said("call join  ENOSPC") : refusedPort(port, "EADDRINUSE");
}
