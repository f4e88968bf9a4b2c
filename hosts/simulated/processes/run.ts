// One run of a container: its first process from launch to end, and its reported state.

import { noSuch, refusedDirectory, refusedProgram } from "../../shared/index.js";
import type { HostFailure, Identity, engine, processes, types } from "../../shared/index.js";
import type { ContainerLog } from "./log.js";
import type { Kernel } from "./kernel.js";
import { PidNamespace, type ProcessTable } from "./pid-namespace.js";
import { SIGWINCH } from "./signals.js";
import type { Resources, Spec } from "./oci-spec.js";
import { environmentOf, groupLimits, limitsOf, makeDirectory } from "./spec.js";
import type { StdinTarget } from "./stdin.js";
import { Pipe, type Sink, type Source } from "./streams.js";
import { Terminal } from "./terminal.js";
import { NoProgram } from "../program.js";
import { FileError } from "../files/file-system.js";
import type { NetworkNamespace } from "../traffic/namespace.js";
import type { MountedFiles } from "../files/mounted-files.js";

/** Exit code of a process that was killed when nobody could report its end: 128 + SIGKILL. */
const LOST_CODE = 137;

export class Run {
  namespace: PidNamespace | null = null;
  terminal: Terminal | null = null;
  /** The network namespace of its processes; null until it starts. */
  network: NetworkNamespace | null = null;
  #resolveEnded: (exit: types.Exit) => void = () => {};
  /** Resolves when it has ended. */
  readonly ended = new Promise<types.Exit>((resolve) => (this.#resolveEnded = resolve));
  /** The files that its processes see, set when it starts. */
  files: MountedFiles | null = null;
  #launched: types.Launched | null = null;
  #exit: types.Exit | null = null;
  #isLost = false;
  /** Its end must not be reported. */
  isDropped = false;
  /** The current limits. */
  resources: Resources = {};

  constructor(
    readonly container: string,
    readonly number: number,
  ) {}

  get isRunning(): boolean {
    return this.#launched !== null && this.#exit === null;
  }

  get memoryKills(): number {
    return this.namespace?.memoryKills ?? 0;
  }

  get state(): engine.ProcessState {
    if (this.#launched === null) return { tag: "unstarted" };
    if (this.#exit === null) return { tag: "running", val: this.#launched };
    return this.#isLost ? { tag: "lost" } : { tag: "exited", val: this.#exit };
  }

  /** Creates its processes and their files. `connect` receives the target of clients' input. */
  start(needs: Needs, connect: (target: StdinTarget) => void): types.Launched {
    const { spec, launch, kernel, log, files, identity } = needs;
    this.resources = spec.linux?.resources ?? {};
    const { args = [], env = [], cwd = "/" } = spec.process ?? {};
    enter(files, cwd);
    this.files = files;
    const namespace = new PidNamespace(kernel, limitsOf(spec), spec.hostname ?? needs.machineName, needs.table);
    namespace.killed = needs.killed;
    this.namespace = namespace;
    const stdio = this.#open(launch, log);
    const variables = environmentOf(env, identity.home);
    const { uid, gid, groups } = identity;
    try {
      const first = namespace.start({
        ...{ argv: args, env: variables, cwd, uid, gid, groups, umask: 0o022, terminal: this.terminal, group: 0 },
        ...{ ignored: new Set<number>(), stdin: stdio.stdin, stdout: stdio.stdout, stderr: stdio.stderr },
      });
      if (this.terminal) this.terminal.foreground = first.pid;
      void first.exited.then((code) => {
        log.endRun();
        this.#ended(code, kernel);
      });
    } catch (error) {
      throw error instanceof NoProgram ? refusal(error) : error;
    }
    stdio.stdin.release();
    connect(stdio.target);
    return (this.#launched = { pid: needs.pid, at: kernel.time.now().wall });
  }

  /** The supervisor is killed. Its processes end too. */
  lose(): void {
    if (!this.isRunning) return;
    this.#isLost = true;
    this.namespace?.kill();
  }

  #ended(code: number, kernel: Kernel): void {
    const { wall: at } = kernel.time.now();
    const outOfMemory = this.namespace?.isOutOfMemory ?? false;
    this.#exit = this.#isLost
      ? { code: LOST_CODE, outOfMemory: false, lost: true, at }
      : { code, outOfMemory, lost: false, at };
    this.#resolveEnded(this.#exit);
  }

  #open(launch: processes.Launch, log: ContainerLog): Stdio {
    const [stdout, stderr] = [log.sink("stdout"), log.sink("stderr")];
    if (launch.tty) return this.#openTerminal(launch, stdout);
    const pipe = new Pipe();
    if (!launch.openStdin) {
      pipe.sink.release();
      return { stdin: pipe.source, stdout, stderr, target: null };
    }
    return { stdin: pipe.source, stdout, stderr, target: { sink: pipe.sink, endsOnce: launch.stdinOnce } };
  }

  #openTerminal({ rows, columns, openStdin }: processes.Launch, shown: Sink): Stdio {
    const terminal = new Terminal(shown, rows, columns);
    terminal.signalGroup = (group, signal) => void this.namespace?.signalGroup(group, signal);
    this.terminal = terminal;
    const { source, sink } = terminal;
    return { stdin: source, stdout: sink, stderr: sink, target: openStdin ? { terminal } : null };
  }

  /**
   * Sets new limits. If more memory is in use than the new limit, the OOM killer strikes, as for an allocation beyond
   * it.
   */
  limit(resources: Resources): void {
    this.resources = { ...this.resources, ...resources };
    const { namespace } = this;
    if (!namespace) return;
    delete namespace.limits.memoryAsked;
    Object.assign(namespace.limits, groupLimits(this.resources));
    if (namespace.allocated > namespace.limits.memory) namespace.kill(true);
  }

  resize(rows: number, columns: number): void {
    if (!this.isRunning) throw noSuch("process");
    if (!this.terminal || (this.terminal.rows === rows && this.terminal.columns === columns)) return;
    Object.assign(this.terminal, { rows, columns });
    this.namespace?.signalGroup(this.terminal.foreground, SIGWINCH);
  }
}

export interface Needs {
  spec: Spec;
  launch: processes.Launch;
  kernel: Kernel;
  log: ContainerLog;
  /** The files as root sees them. */
  files: MountedFiles;
  identity: Identity;
  /** The pid in the machine's pid namespace. */
  pid: number;
  /** The process table of the container whose pid namespace it joins. */
  table?: ProcessTable | undefined;
  /** Used by a container that shares the machine's UTS namespace. */
  machineName: string;
  /** Called when the OOM killer strikes. */
  killed: () => void;
}

interface Stdio {
  stdin: Source;
  stdout: Sink;
  stderr: Sink;
  target: StdinTarget;
}

/** Enters the working directory; makes it if it is missing. */
function enter(files: MountedFiles, cwd: string): void {
  try {
    makeDirectory(files, cwd);
    if (files.status(cwd).kind !== "directory") throw new FileError("ENOTDIR", cwd);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw refusedDirectory(cwd, error.code);
  }
}

/** The failure that a runtime would report. */
export function refusal({ command, code }: NoProgram): HostFailure {
  return refusedProgram(command, code);
}
