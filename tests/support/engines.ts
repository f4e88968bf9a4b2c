// The engines under test of the HTTP suite. Each is started by its command line and reached only by its socket, with
// `busybox:latest` in its image list.
import { existsSync, readFileSync } from "node:fs";
import { cpus, hostname, release, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DIFFERENCES } from "../reference-differences.js";
import { findProgram } from "./commands.js";
import { launchDaemon, type CommandLine, type DaemonProcess, type Place } from "./daemon-process.js";
import { EngineClient } from "./engine-client.js";
import { busyboxArchive } from "./archives/images.js";
import { HERE } from "./netns.js";
import { referenceMissing, startReference } from "./reference.js";

export type EngineKind = "linux" | "simulated" | "reference";

export interface Engine {
  readonly kind: EngineKind;
  readonly maxVersion: string;
  readonly minVersion: string;
  /** Why it cannot run here, or null. */
  readonly missing: string | null;
  /** `nodeFlags`: Node flags for our engine. */
  start(flags?: readonly string[], nodeFlags?: readonly string[], place?: Place): Promise<DaemonProcess>;
}

/** A started engine. */
export class RunningEngine extends EngineClient {
  constructor(
    readonly engine: Engine,
    readonly daemon: DaemonProcess,
  ) {
    super(daemon.socketPath);
  }

  get kind(): EngineKind {
    return this.engine.kind;
  }

  /** What it should report about its machine. */
  get machine(): Machine {
    return this.kind === "simulated" ? SIMULATED_MACHINE : thisMachine();
  }

  /**
   * The expected value where our engine and the reference are known to differ. `id` names the row that gives the
   * reason.
   */
  expected<T>(id: string, newest: T, reference: T): T {
    if (!DIFFERENCES.some((row) => row.id === id)) throw new Error(`no row "${id}" in tests/reference-differences.ts`);
    return this.kind === "reference" ? reference : newest;
  }
}

export interface Machine {
  readonly name: string;
  readonly kernel: string;
  readonly cpus: number;
  readonly memory: number;
  /** Name of the distribution. */
  readonly system: string;
  /** A network interface that containers on the machine's own network see. */
  readonly interfaceName: string;
}

/** The machine of the simulated world, whatever it runs on. */
const SIMULATED_MACHINE: Machine = {
  name: "coracle-sim",
  kernel: "6.1.0-simulated",
  cpus: 4,
  memory: 8 * 2 ** 30,
  system: "Coracle simulated machine",
  interfaceName: "eth0",
};

function thisMachine(): Machine {
  const system = /^PRETTY_NAME="?(.*?)"?$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "";
  const facts = { name: hostname(), kernel: release(), cpus: cpus().length, memory: totalmem(), system };
  return { ...facts, interfaceName: "up0" };
}

/**
 * All engines; `CORACLE_TEST_ENGINES=reference` (or `linux`, or `simulated`) selects one, for work on the tests
 * themselves.
 */
export function engines(): Engine[] {
  const chosen = process.env["CORACLE_TEST_ENGINES"]?.split(",");
  return [LINUX, SIMULATED, REFERENCE].filter((engine) => chosen === undefined || chosen.includes(engine.kind));
}

/** Why tests of the Linux daemon are skipped; null if they run. */
export function missingLinux(): string | null {
  const linux = engines().find(({ kind }) => kind === "linux");
  return linux === undefined ? "another engine was chosen" : linux.missing;
}

/** The engines that really run containers. */
export function realEngines(): Engine[] {
  return engines().filter(({ kind }) => kind !== "simulated");
}

/** Starts an engine and makes sure that it has `busybox:latest`. */
export async function startWithBusybox(
  engine: Engine,
  flags: readonly string[] = [],
  nodeFlags: readonly string[] = [],
  place?: Place,
): Promise<DaemonProcess> {
  const daemon = await engine.start(flags, nodeFlags, place);
  if (engine.kind === "reference") await new EngineClient(daemon.socketPath).load(await busyboxArchive());
  return daemon;
}

/** The repository. It is two folders above this file and also above the bundle of the benches. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The command line of our daemon, without arguments. */
export const CORACLE: readonly string[] = coracle();

function coracle(nodeFlags: readonly string[] = []): string[] {
  return [process.execPath, ...nodeFlags, join(ROOT, "hosts/node/coracle.cjs")];
}

/** Starts our daemon, as `coracle daemon`. Its data root is in its own directory unless given. */
export function startCoracle(
  flags: readonly string[] = [],
  dataRoot?: string,
  nodeFlags: readonly string[] = [],
  place?: Place,
): Promise<DaemonProcess> {
  const commandLine: CommandLine = (directories) => [
    ...coracle(nodeFlags),
    "daemon",
    "-H",
    `unix://${directories.socketPath}`,
    "--data-root",
    dataRoot ?? directories.dataRoot,
    "--exec-root",
    directories.execRoot,
    "-p",
    directories.pidFile,
    ...flags,
  ];
  return launchDaemon("linux", commandLine, place);
}

/** Starts our daemon on the same machine as another one, which must be closed after it. */
export function startBeside({ netns }: DaemonProcess): Promise<DaemonProcess> {
  return launchDaemon(
    "second",
    ({ socketPath, dataRoot, execRoot, pidFile }) => [
      ...[...CORACLE, "daemon", "-H", `unix://${socketPath}`, "-p", pidFile],
      ...["--data-root", dataRoot, "--exec-root", execRoot],
    ],
    // The first one closes the namespace.
    { netns: { ...netns, close: async () => {} } },
  );
}

/** Starts `coracle daemon --simulated`, which needs neither root nor a namespace. */
export function startSimulated(
  flags: readonly string[] = [],
  nodeFlags: readonly string[] = [],
  place?: Place,
): Promise<DaemonProcess> {
  const commandLine: CommandLine = ({ socketPath, dataRoot }) => {
    const roots = ["-H", `unix://${socketPath}`, "--data-root", dataRoot];
    return [...coracle(nodeFlags), "daemon", "--simulated", ...roots, ...flags];
  };
  return launchDaemon("simulated", commandLine, { ...place, netns: HERE });
}

const LINUX: Engine = {
  kind: "linux",
  maxVersion: "1.55",
  minVersion: "1.24",
  missing: linuxMissing(),
  start: (flags, nodeFlags, place) => startCoracle(flags, undefined, nodeFlags, place),
};

const SIMULATED: Engine = {
  kind: "simulated",
  maxVersion: "1.55",
  minVersion: "1.24",
  missing: null,
  start: startSimulated,
};

const REFERENCE: Engine = {
  kind: "reference",
  maxVersion: "1.41",
  minVersion: "1.12",
  missing: referenceMissing(),
  start: (flags, _, place) => startReference(flags, place),
};

/** A missing build is a failure, never a skip. Our engine may be skipped only if the machine lacks something. */
function linuxMissing(): string | null {
  if (process.platform !== "linux") return "containers need Linux";
  if (process.getuid?.() !== 0) return "the Linux daemon needs root";
  if (findProgram("crun") === null && findProgram("runc") === null) return "neither crun nor runc is installed";
  if (findProgram("ip") === null) return "ip (iproute2), which the tests need, is not installed";
  if (!existsSync("/proc/self/ns/net")) return "this kernel has no network namespaces";
  return null;
}
