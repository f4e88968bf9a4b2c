// Skips that CI allows, each with a reason why the engine cannot run the test. Any other skip fails the run under
// CI=true (tests/reporter.ts), because a CI machine should lack nothing.
import { LIMITS } from "../simulated-limits.js";

/** Reasons to skip a test on the reference. */
export const REFERENCE = {
  after141: "it came after API 1.41, where the reference ends",
  capabilities: "the reference knows no HostConfig.Capabilities at any version",
  detached: "the reference ends an exec whose terminal is detached from",
  earlyBytes: "the reference loses bytes that come along with the request",
  execRefusals: "the reference makes an exec that cannot be started",
  extraHosts: "the reference takes no '=' between a name and its address",
  handshakes: "the reference refuses a handshake by bare text",
  killed: "it is our own daemon that is killed",
  load: "how it bears load is its own matter",
  logsByName: "the reference follows a log by its file's name: it loses lines, repeats others, or breaks off",
  logsUnbounded: "the reference keeps all of a log unless it is told otherwise",
  modes: "the reference takes any mode at create",
  nonsense: "what the reference makes of them is its own matter",
  ours: "it is ours alone",
  portFilters: "the reference finds nothing by a published port, and by exposed ones also what does not run",
  portRanges: "the reference shows port 0 for a range",
  privileged: "its runtime asks for capabilities that this kernel gives nobody",
  quiet: "it notices at the next output",
  races: "the reference has races of its own",
  retries: "the reference asks for a broken layer again and again, for minutes",
  runtimes: "the reference reads the runtimes again, but not the default one",
  sctp: "the reference's proxy wants sctp of the kernel",
  self: "the reference is the other end of it",
  startAndLogs: "it dates a start after the first lines, which are then left out of the log since",
  standsStill: "the reference reads no more of an exec whose client is gone, so that it stands still",
  unbuilt: "the reference has it",
  unread: "what it keeps for them is its own matter",
  unversioned: "the reference does not look at the version that an endpoint came with",
  waitsOn: "the reference goes on waiting for an exit when the start has failed",
  zstd: "the reference reads no zstd",
} as const;

/** Reasons to skip a test on the simulated engine, in addition to `LIMITS`. */
export const SIMULATED = {
  blockDevices: "no block device of the simulated machine counts what is written",
  cgroups: "the simulated machine has no tree of control groups",
  kernel: "the simulated kernel has no files of network interfaces",
  kernelFiles: "the simulated kernel tells of no domain, and has no limits of processes but those that count",
  killed: "the world of the simulated machine ends with its daemon",
  mknod: "no simulated program makes devices",
  mounts: "the simulated machine has no mounts of its own",
  packets: "no packet travels on simulated networks",
  processes: "the simulated machine has no processes besides those of containers",
  runtimes: "the simulated machine has no OCI runtime that could be asked",
  selections: "the simulated ps selects nobody by name or number",
  supervisors: "the simulated machine has no supervisors of containers",
} as const;

/** Reasons to skip a test on real machines. */
export const REAL = { otherProcesses: "a real machine has processes besides those of containers" } as const;

export const UNBUILT_NETWORKS = "networks of one's own are not built yet: POST /networks/create answers 501";

/** Single tests, by the end of their names. */
const SINGLE: readonly (readonly [name: string, reason: string])[] = [
  ["testcontainers on linux > networks", UNBUILT_NETWORKS],
  ["testcontainers on simulated > networks", UNBUILT_NETWORKS],
  ["the daemon", "the tests do not have the usual priority themselves"],
  ...LIMITS.map(({ block, test, reason }) => [`${block} on simulated > ${test}`, reason] as const),
];

/** Whether CI allows a test, named with all its blocks, to be skipped for this reason. */
export function isAllowedSkip(name: string, reason: string): boolean {
  const ofEngine = (engine: RegExp, reasons: object): boolean =>
    engine.test(name) && Object.values(reasons).includes(reason);
  return (
    ofEngine(/ on reference\b/, REFERENCE) ||
    ofEngine(/ on simulated\b/, SIMULATED) ||
    ofEngine(/ on (linux|reference)\b/, REAL) ||
    SINGLE.some(([end, why]) => name.endsWith(end) && why === reason)
  );
}
