// Skips that CI allows, each with a reason why the engine cannot run the test. Any other skip fails the run under
// CI=true (tests/reporter.ts), because a CI machine should lack nothing.
import { LIMITS } from "../simulated-limits.js";

/** Reasons to skip a test on the reference. */
export const REFERENCE = {
  after141: "it came after API 1.41, the reference's newest version",
  buildkit: "the BuildKit of the reference is older: it tells errors and steps in another way",
  buildContainers: "the BuildKit of the reference runs steps in containers of its own, which no list shows",
  cachePoisoning: "the reference takes a committed container for a step of a build (CVE-2024-24557)",
  capabilities: "the reference has no HostConfig.Capabilities in any version",
  detached: "the reference ends an exec when a client detaches from its terminal",
  earlyBytes: "the reference loses bytes that arrive together with the request",
  execRefusals: "the reference creates an exec that cannot be started",
  extraHosts: "the reference accepts no '=' between a name and its address",
  fromPlatform: "the reference says the machine's platform for FROM --platform=… scratch",
  handshakes: "the reference refuses a handshake with plain text",
  killed: "the test kills our own daemon",
  load: "this test is not about the reference's behaviour under load",
  laterFlags: "the reference's classic builder does not have these flags",
  logsByName: "the reference follows a log by its file's name: it loses or repeats lines, or ends the stream",
  logsUnbounded: "the reference keeps the whole log by default",
  modes: "the reference accepts any mode at create",
  nonsense: "the reference's answers to invalid requests are not compared",
  ours: "only our engine has it",
  portFilters: "the reference finds no container by a published port, and also stopped ones by an exposed port",
  portsTakenAway: "the reference does not publish ports again that a connection took away",
  portRanges: "the reference shows port 0 for a range",
  proven: "it passed there with the same sources (tests/proofs.json)",
  privileged: "its runtime requests capabilities that this kernel does not grant",
  quiet: "it notices only when it sends the next output",
  races: "the reference has race conditions here",
  readsOn: "the reference reads on after its client has left",
  retries: "the reference retries a broken layer for minutes",
  runtimes: "the reference reloads the runtimes, but not the default one",
  sctp: "the reference's proxy needs sctp in the kernel",
  self: "the comparison is with the reference",
  startAndLogs: "it dates a start after the first lines, so that the log since then omits them",
  standsStill: "the reference stops reading an exec's output when its client is gone, so the process blocks",
  unbuilt: "the reference has this feature",
  unread: "this test is not about the reference's buffers",
  unversioned: "the reference does not check the version that introduced an endpoint",
  waitsOn: "the reference keeps waiting for an exit after a failed start",
  nestedIndex: "the reference does not follow an index inside an index",
  zstd: "the reference does not support zstd",
} as const;

/** Reasons to skip a test on the simulated engine, in addition to `LIMITS`. */
export const SIMULATED = {
  blockDevices: "block devices of the simulated machine do not count writes",
  cgroups: "the simulated machine has no cgroup tree",
  kernel: "the simulated kernel has no files of network interfaces",
  kernelFiles: "the simulated kernel has no domain name, and only limits on the number of processes",
  killed: "the simulated world ends with its daemon",
  mknod: "no simulated program creates devices",
  mounts: "the simulated machine has no mounts of its own",
  processes: "the simulated machine has no processes outside containers",
  runtimes: "the simulated machine has no OCI runtimes to call",
  selections: "the simulated ps cannot select by name or number",
  supervisors: "the simulated machine has no supervisors of containers",
} as const;

/** Reasons to skip a test on real machines. */
export const REAL = { otherProcesses: "a real machine has processes outside containers" } as const;

/** Kinds of interfaces that kernels are often built without. */
export const lackedInterfaces = (kind: string): string => `this kernel has no interfaces of type ${kind}`;

/** Reasons to skip tests of tools that no package has. */
export const UNPACKAGED = {
  buildx: "buildx is not here: CORACLE_TEST_BUILDX is the path of the plugin",
  swarmkit: "swarmd and swarmctl are not here: CORACLE_TEST_SWARMKIT names their folder",
} as const;

/** Single tests, by the end of their names. */
const SINGLE: readonly (readonly [name: string, reason: string])[] = [
  ["vlan 10 of an interface is made with its first network, and goes with its last", lackedInterfaces("vlan")],
  ["dummy interfaces connect containers that reach nothing else", lackedInterfaces("dummy")],
  ["ipvlan gives all containers the parent's hardware address", lackedInterfaces("ipvlan")],
  ["the daemon", "the tests themselves do not have the usual priority"],
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
    Object.values<string>(UNPACKAGED).includes(reason) ||
    SINGLE.some(([end, why]) => name.endsWith(end) && why === reason)
  );
}
