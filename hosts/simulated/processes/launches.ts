// Starts the runs of the simulated world: from a launch to its files, its kernel and its first process.

import { HostFailure, withRates } from "../../shared/index.js";
import type { processes } from "../../shared/index.js";
import { FileError } from "../files/file-system.js";
import type { MountedFiles } from "../files/mounted-files.js";
import { PROGRAMS } from "../programs/table.js";
import { addDevices, numberOf } from "./devices.js";
import type { Seen } from "./kernel-files.js";
import type { Kernel, MachineFacts } from "./kernel.js";
import type { ContainerLog } from "./log.js";
import type { ProcessesNeeds } from "./needs.js";
import type { Spec } from "./oci-spec.js";
import type { ProcessTable } from "./pid-namespace.js";
import { NetworkNamespace } from "../traffic/namespace.js";
import type { Run } from "./run.js";
import { SIGTERM } from "./signals.js";
import { filesOf, identityOf, makeDirectories, parseSpec, viewOf } from "./spec.js";
import type { StdinTarget } from "./stdin.js";

/** What belongs to the other runs, or outlives this one. */
export interface RunParts {
  /** The running run of a container. */
  of(container: string): Run;
  nextPid(): number;
  log(container: string): ContainerLog;
  /** The clients' input of a run. */
  stdin(launch: processes.Launch): { connect(target: StdinTarget): void };
  /** The kernel has killed a process of it for want of memory. */
  killed(run: Run): void;
}

export class Launches {
  readonly #needs: ProcessesNeeds;
  readonly #facts: MachineFacts;
  readonly #run: RunParts;

  constructor(needs: ProcessesNeeds, run: RunParts) {
    this.#needs = needs;
    const { kernelVersion, kernelArchitecture, cpus, memory, disk } = needs.machine;
    this.#facts = { release: kernelVersion, architecture: kernelArchitecture, cpus, memory: Number(memory), disk };
    this.#run = run;
  }

  start(run: Run, launch: processes.Launch): ReturnType<Run["start"]> {
    const { machine, disk } = this.#needs;
    const { container } = launch;
    const spec = this.specOf(launch);
    const seen = this.#seen(run, spec);
    run.network = seen.network;
    const table = this.#joined(spec);
    if (launch.shmSize > 0n) disk.makeMemory(container, launch.shmSize);
    makeDirectories(launch.directories, disk.machine);
    for (const [name, bytes] of filesOf(spec, launch, (own) => this.own(own))) disk.putMade(container, name, bytes);
    const view = viewOf(spec, launch, seen);
    const files = mounted(() => disk.mountView(container, view));
    addDevices(launch.devices, disk.machine, files);
    const identity = identityOf(launch, files);
    const kernel = this.#kernel(container, files, seen.network);
    const stdin = this.#run.stdin(launch);
    const log = this.#run.log(container);
    log.keep(launch.log);
    return run.start(
      {
        ...{ spec, launch, kernel, files, identity, pid: this.#run.nextPid(), machineName: machine.name, log, table },
        killed: () => this.#run.killed(run),
      },
      (target) => stdin.connect(target),
    );
  }

  specOf({ spec: bytes, rates, variables }: processes.Launch): Spec {
    const spec = parseSpec(bytes);
    if (variables.length > 0)
      spec.process = { ...spec.process, env: [...(spec.process?.env ?? []), ...this.#held(variables)] };
    const { resources } = (spec.linux ??= {});
    const blockIO = withRates(resources?.blockIO, rates, (path) => numberOf(this.#needs.disk.machine, path));
    if (blockIO) spec.linux.resources = { ...resources, blockIO };
    return spec;
  }

  /** Later ones of the same name count. */
  #held(variables: processes.HeldVariable[]): string[] {
    const { disk } = this.#needs;
    return variables.map(({ name, container }) => `${name}=${new TextDecoder().decode(disk.secretOf(container))}`);
  }

  /** The machine's file of that name. */
  own(name: string): Uint8Array {
    return this.#needs.disk.machine.read(`/etc/${name}`);
  }

  /** The processes of the pid namespace that it joins; undefined for a namespace of its own. */
  #joined({ linux }: Spec): ProcessTable | undefined {
    const namespaces = linux?.namespaces ?? [];
    for (const { path = "" } of namespaces) {
      if (path.startsWith("ipc:")) this.#run.of(path.slice("ipc:".length));
    }
    const pid = namespaces.find(({ type }) => type === "pid");
    // The core knows that this machine has no other processes, and never shares its namespace.
    if (!pid) throw new HostFailure({ tag: "internal", val: "processes of the machine were asked for" });
    return pid.path?.startsWith("pid:") ? this.#run.of(pid.path.slice("pid:".length)).namespace?.table : undefined;
  }

  // The results of these two live as long as the processes, so they hold no more of the launch than needed.

  #seen(run: Run, spec: Spec): Seen {
    const { time } = this.#needs;
    const network = this.#network(run.container, spec);
    return { machine: this.#facts, network, resources: () => run.resources, uptime: () => time.now().monotonic };
  }

  #kernel(container: string, files: MountedFiles, namespace: NetworkNamespace): Kernel {
    return {
      time: this.#needs.time,
      network: { namespace, traffic: this.#needs.networks.traffic },
      engine: this.#needs.engine,
      random: this.#needs.random,
      machine: this.#facts,
      program: (name) => this.#needs.programs?.[name] ?? PROGRAMS.get(name),
      files: ({ uid, gid, groups }) => files.as({ uid, groups: [gid, ...groups] }),
      swallows: (signal) => signal === SIGTERM && this.#needs.faults.strike("ignore-sigterm", { container }) !== null,
    };
  }

  /** Without a network namespace of its own, a container uses the machine's. */
  #network(container: string, spec: Spec): NetworkNamespace {
    const network = spec.linux?.namespaces?.find(({ type }) => type === "network");
    const { networks } = this.#needs;
    if (!network) return networks.traffic.machine;
    const [, joined] = /^network:(.+)$/.exec(network.path ?? "") ?? [];
    const own = joined === undefined ? networks.namespaceOf(container) : this.#run.of(joined).network;
    return own ?? new NetworkNamespace(container);
  }
}

function mounted<T>(mount: () => T): T {
  try {
    return mount();
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const { code, path } = error;
    throw new HostFailure({ tag: "call", val: { call: "mount", path, inside: true, error: code } });
  }
}
