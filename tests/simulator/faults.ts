// Faults of the simulated world as lines: `fault KIND [CONTAINER|VALUE] [TIMES]`.

import type { Fault } from "../../hosts/simulated/faults.js";
import type { Draw } from "./random.js";
import type { HostCommand } from "./commands.js";
import { ALSO } from "./worlds/failing.js";

/** Parses the rest of a line that sets a fault. `times` is how often it strikes, or null for always. */
export function faultOf([kind = "", ...args]: readonly string[]): { fault: Fault; times: number | null } {
  const times = (at: number): number | null => (args[at] === undefined ? null : Number(args[at]));
  const whom = args[0] === undefined || args[0] === "all" ? {} : { container: args[0] };
  switch (kind) {
    case "registry-down":
    case "registry-unauthorized":
    case "registry-corrupt":
    case "disk-full":
    case "records-full":
      return { fault: { kind }, times: times(0) };
    case "registry-limited":
      return { fault: { kind, retryAfter: 1 }, times: times(0) };
    case "registry-fails":
      return { fault: { kind, status: 503 }, times: times(0) };
    case "registry-slow":
      return { fault: { kind, bytesPerSecond: 20_000 }, times: times(0) };
    case "registry-cut":
      return { fault: { kind, afterBytes: 300 }, times: times(0) };
    case "ignore-sigterm":
    case "out-of-memory":
    case "supervisor-lost":
      return { fault: { kind, ...whom }, times: times(1) };
    case "die-at-once":
      return { fault: { kind, code: 9, ...whom }, times: times(1) };
    case "runtime-fails":
      return { fault: { kind, message: "the runtime fell over", ...whom }, times: times(1) };
    default:
      throw new Error(`no such fault: ${kind}`);
  }
}

/** `registry-fails` is only in stories that are written: each kind here has a part in all draws. */
const KINDS = [
  "registry-down 2",
  "registry-unauthorized 1",
  "registry-limited 1",
  "registry-slow 3",
  "registry-cut 1",
  "registry-corrupt 1",
  "disk-full 4",
  "records-full 1",
  "ignore-sigterm NAME 3",
  "die-at-once NAME 1",
  "die-at-once NAME 4",
  "out-of-memory NAME 1",
  "supervisor-lost NAME 1",
  "runtime-fails NAME 1",
];

/**
 * Commands that the host plays tricks with. All may fail, except for those that only end with a crash. Stories draw
 * from this list, so its order matters.
 */
// prettier-ignore
export const TRICKED: readonly (HostCommand | "any" | "source")[] = [
  "launch", "mount", "unmount", "join", "leave", "leave-all", "reap", "signal", "pause", "resume", "layer", "drop-chain", "make",
  "drop", "exec", "reap-exec", "resolve", "blob", "ingest", "receive", "read", "commit", "stat", "extract", "make-directory",
  "drop-container", "drop-archive", "populate", "limit", "rewrite", "sample", "ps", "count-own", "any", "identify",
  "find", "login", "search", "tags", "resize", "resize-exec", "source",
  "upload", "publish",
];

/** Commands that are tricked only by a trick on `any`. */
export const UNTRICKED: readonly HostCommand[] = [
  "signal-exec",
  "measure",
  "measure-tar",
  "free-space",
  "flush-layers",
  "compare",
  "read-file",
  "list-files",
  "choose",
  "copy",
  "download",
  "clone",
  "blob-of",
  "find-credentials",
  "hold-secret",
  "keep-log",
  "send-files",
  "send-images",
  "read-document",
  "give-blobs",
  "forward-agent",
  "find-blob",
  "mount-blob",
  "abandon",
  "routes",
  "name",
  "serve-names",
  "make-parent-network",
  "join-parent",
];

/** Draws a line that sets a fault. */
export function drawFault(draw: Draw, names: readonly string[]): string {
  return draw.weighted<() => string>([
    [4, () => `fault ${draw.one(KINDS).replace("NAME", draw.one([...names, "all"]))}`],
    [4, () => `trick ${draw.one(["fail", "fail", "fail-late", "slow"])} ${draw.one(TRICKED)} ${1 + draw.below(2)}`],
    [2, () => drawFailing(draw)],
    [2, () => `trick twice ${draw.one([...TRICKED, "exited", "exec-exited"])} ${1 + draw.below(3)}`],
    [1, () => `trick lose ${draw.one(TRICKED)} 1`],
    [1, () => `trick slow flush ${1 + draw.below(3)}`],
    [1, () => `refuse ${draw.one(["unkept", "kept"])}`],
    [4, () => `crash ${drawCut(draw)} ${draw.one([0, 0, 50, 500, 30_000])} ${draw.onceIn(3) ? drawCut(draw) : 0}`],
    [1, () => "restart"],
    [1, () => `clock ${draw.one(["+1", "-1", "+3600", "-3600", "-86400", "+31536000"])}`],
  ])();
}

function drawFailing(draw: Draw): string {
  const command = draw.one(Object.keys(ALSO) as HostCommand[]);
  return `trick fail ${command} ${1 + draw.below(2)} ${draw.one(ALSO[command] ?? [])}`;
}

/** Most crashes come soon, while the latest requests are pending. */
function drawCut(draw: Draw): number {
  return draw.onceIn(4) ? 1 + draw.below(60) : 1 + draw.below(10);
}
