// How a host says that it could not do something, by command: as its contract has it (core/wit).

import { HostFailure } from "../../../hosts/failure.js";
import type { networks, types } from "../../../hosts/host.js";

/** Beside what is likeliest. */
export const ALSO: Readonly<Record<string, readonly types.FailureKind[]>> = {
  resolve: ["denied", "unauthorized", "registry", "unsupported"],
  tags: ["denied", "registry"],
  blob: ["denied", "registry"],
  login: ["denied", "registry"],
  layer: ["registry", "unsupported"],
  extract: ["denied"],
  join: ["busy"],
  identify: ["internal"],
};

const STATUSES: Partial<Record<types.FailureKind, number>> = { denied: 403, unauthorized: 401, registry: 500 };
const OF_REGISTRY: readonly string[] = ["resolve", "tags", "blob", "login", "layer"];

export function failureFor({ tag, val }: { tag: string; val?: unknown }, kind?: types.FailureKind): HostFailure {
  if (kind === "busy") return busy(val as networks.Join);
  if (kind !== undefined) {
    const status = OF_REGISTRY.includes(tag) ? (STATUSES[kind] ?? 0) : 0;
    return new HostFailure(kind, `${tag} is ${kind}`, { status });
  }
  if (tag === "launch" || tag === "exec") return new HostFailure("invalid", "the OCI runtime says no");
  return new HostFailure("exhausted", `no room for ${tag}`);
}

/** Somebody else has the port; whoever asks for none meets with something else. */
function busy({ ports }: networks.Join): HostFailure {
  const [port] = ports;
  if (port === undefined) return new HostFailure("exhausted", "no room for join");
  return new HostFailure("busy", `${port.hostAddress}:${port.hostPort}`);
}
