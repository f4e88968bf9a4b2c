// The failures that a host may report for each command, according to its contract (core/wit).

import { HostFailure, refusedPort } from "../../../hosts/shared/failure.js";
import type { failures, networks } from "../../../hosts/shared/host.js";
import type { HostCommand } from "../commands.js";
import { answered, exchange } from "../../support/registry/registry-failures.js";

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
  if (how !== undefined) return new HostFailure(asData(how));
  if (tag === "launch" || tag === "exec") return new HostFailure(asData("runtime:the OCI runtime says no"));
  return new HostFailure({ tag: "call", val: { call: tag, path: "", inside: false, error: "ENOSPC" } });
}

/** The detail is not checked, since stories use only names of the WIT. */
function asData(how: string): failures.Failure {
  const [tag = "", of = ""] = how.split(":");
  switch (tag) {
    case "interrupted":
      return { tag, val: of as failures.Interruption };
    case "no-such":
    case "exists":
    case "wrong-kind":
      return { tag, val: { what: of as failures.Noun, name: "some" } };
    case "too-large":
      return { tag, val: { what: of as failures.Noun, name: "some", limit: 4n } };
    case "mismatch":
      return { tag, val: { what: of as failures.Digested, wanted: "some", found: "other" } };
    case "damaged":
      return { tag, val: { what: of as failures.Damage, said: "some" } };
    case "malformed":
      return { tag, val: { what: of as failures.Form, text: "some" } };
    case "id-range":
      return { tag, val: Number(of) };
    case "faulty-name":
      return { tag, val: { what: of as failures.NameFault, name: "some", other: "other" } };
    case "place-in-volume":
      return { tag, val: { volume: "some", path: "place", error: of } };
    case "unshared":
      return { tag, val: { path: of, point: "/", receives: false } };
    case "answer":
      return answered(Number(of), "SOME");
    case "exchange":
      return exchange(whyOf(of));
    case "cut-short":
      return { tag, val: { what: of as failures.Noun, name: "some" } };
    case "misplaced":
      return { tag, val: { place: of, destination: of } };
    case "call":
      return { tag, val: { call: "open", path: "/some", inside: true, error: of } };
    case "program":
      return { tag, val: { program: "some", error: of } };
    case "directory":
      return { tag, val: { path: "/some", error: of } };
    case "runtime":
      return { tag, val: { said: of, program: "some", directory: "/some" } };
    case "start-broke":
      return { tag, val: { how: of as failures.StartBreak, said: "some", error: "" } };
    case "silent":
      return { tag, val: { what: of as failures.Noun, limit: 500 } };
    case "unmoved":
      return { tag, val: { what: of as failures.Compulsion, pids: new Uint32Array([7]) } };
    case "setting":
      return { tag, val: { file: of, value: "some", error: "EINVAL" } };
    case "tool":
      return { tag, val: { name: of, exit: 1, said: "some" } };
    case "imagined":
      return { tag, val: { what: of as failures.Noun, name: "some" } };
    case "body-broke":
    case "internal":
      return { tag, val: of };
    default:
      throw new Error(`no such failure: ${how}`);
  }
}

function whyOf(tag: string): failures.ExchangeFailure {
  switch (tag) {
    case "call":
      return { tag, val: { call: "connect", path: "r.example:443", inside: false, error: "ECONNREFUSED" } };
    case "certificate-names":
      return { tag, val: ["other.example"] };
    case "other":
    case "insecure-redirect":
      return { tag, val: "some" };
    case "redirects":
      return { tag, val: 10 };
    default:
      return { tag } as failures.ExchangeFailure;
  }
}

/** Another program has the port. A command without ports gets another failure. */
function busy({ ports }: networks.Join): HostFailure {
  const [port] = ports;
  if (port === undefined)
    return new HostFailure({ tag: "call", val: { call: "join", path: "", inside: false, error: "ENOSPC" } });
  return refusedPort(port, "EADDRINUSE");
}
