// The parts of a simulated world, made once and connected to each other. `host.ts` presents them as a host.

import { LateBodies, type content, type engine } from "../shared/index.js";
import { registryClient } from "../registry/index.js";
import { simulatedContent, type SimulatedContent } from "./content/content.js";
import type { Looks } from "./content/view.js";
import { EngineSocket } from "./engine-socket.js";
import { beyond } from "./elsewhere.js";
import type { Fault } from "./faults.js";
import { Disk } from "./files/disk.js";
import { MACHINE, runtimesOf } from "./machine.js";
import { WorldNetworks } from "./networks.js";
import type { PortDoors, SimulatedOptions } from "./options.js";
import { simulatedProcesses, type SimulatedProcesses } from "./processes/processes.js";
import { PROGRAMS } from "./programs/table.js";
import { seededRandom } from "./random.js";
import { sharedCatalogue } from "./registry/catalogue.js";
import { RegistryNetwork } from "./registry/transport.js";
import { simulatedVolumes, type SimulatedVolumes } from "./volumes.js";
import { WorldFaults } from "./world-faults.js";
import { WorldTime } from "./world-time.js";

const DISK_BYTES = 64 * 1024 ** 3;
const DATA_ROOT = "/var/lib/coracle";

export class Parts {
  readonly dataRoot: string;
  readonly diskBytes: number;
  readonly time: WorldTime;
  readonly networks: WorldNetworks;
  readonly faults: WorldFaults;
  readonly disk: Disk;
  readonly registries: RegistryNetwork;
  readonly content: SimulatedContent;
  readonly volumes: SimulatedVolumes;
  readonly processes: SimulatedProcesses;
  readonly engine: EngineSocket;
  readonly bodies = new LateBodies();
  readonly crashing = new Crashing();
  /** Access to containers' files. */
  readonly looks: Looks;
  /** The OCI runtimes that exist now. */
  runtimes: engine.OciRuntime[];

  constructor(options: SimulatedOptions) {
    this.dataRoot = options.dataRoot ?? DATA_ROOT;
    this.diskBytes = options.diskBytes ?? DISK_BYTES;
    this.runtimes = runtimesOf(options.runtimes ?? []);
    this.time = new WorldTime(options);
    this.engine = new EngineSocket(this.time);
    this.faults = new WorldFaults(
      (container) => this.networks.nameOf(container),
      (fault) => this.#strikeAtOnce(fault),
    );
    this.networks = this.#networksFor(options);
    this.disk = this.#diskFor(options);
    this.registries = this.#registriesFor(options);
    this.looks = { disk: this.disk, filesOf: (container, run) => this.processes.filesOf(container, run) };
    this.content = this.#contentFor(options);
    this.volumes = simulatedVolumes(this.disk);
    this.processes = this.#processesFor(options);
  }

  /** The inventory that an engine opened now would find. */
  found(): engine.Inventory {
    const { processes, content, networks, volumes } = this;
    return {
      processes: processes.inventory(),
      execs: processes.execs(),
      mounts: content.mounts(),
      containers: [...new Set([...content.containers(), ...processes.keptLogs()])].sort(),
      joins: networks.joins(),
      sandboxes: networks.sandboxes(),
      networks: networks.networks(),
      volumes: volumes.names(),
      chains: content.chains(),
      rests: content.rests(),
    };
  }

  /** The machine restarts: the engine and all processes are gone. */
  reboot(): void {
    this.crashing.crash();
    this.processes.reboot();
    this.networks.reboot();
    this.disk.reboot();
  }

  #diskFor({ programs = {} }: SimulatedOptions): Disk {
    return new Disk({
      ...{ size: this.diskBytes, faults: this.faults, volumesAt: `${this.dataRoot}/volumes` },
      now: () => this.time.now().wall,
      programs: Object.keys(programs).filter((name) => !PROGRAMS.has(name)),
    });
  }

  #networksFor({ seed = 0, doors }: SimulatedOptions): WorldNetworks {
    const { time, faults } = this;
    const random = seededRandom(seed, "packets");
    const slow: PortDoors | undefined = doors && { open: (port) => time.beyond(doors.open(port)) };
    return new WorldNetworks({ time, faults, random: () => random.next(), ...(slow && { doors: slow }) });
  }

  #registriesFor(options: SimulatedOptions): RegistryNetwork {
    const { time: clock, faults } = this;
    const elsewhere = options.elsewhere && beyond(clock, options.elsewhere);
    return new RegistryNetwork({ catalogue: sharedCatalogue, clock, faults, elsewhere });
  }

  #contentFor({ userAgent }: SimulatedOptions): SimulatedContent {
    const { time: clock, bodies, looks } = this;
    const { transport } = this.registries;
    const registry = registryClient({ transport, clock, ...(userAgent && { userAgent }) });
    const keepLog = (kept: content.KeptLog): Promise<number> => this.processes.keepLog(kept);
    return simulatedContent({ ...looks, clock, bodies, registry, keepLog });
  }

  #processesFor({ seed = 0, programs = {} }: SimulatedOptions): SimulatedProcesses {
    const { time, faults, disk, networks, engine } = this;
    const random = seededRandom(seed, "processes");
    return simulatedProcesses({
      ...{ time, faults, disk, random: () => random.next(), programs },
      hasRuntime: (name) => this.runtimes.some((runtime) => runtime.name === name),
      machine: { ...MACHINE, disk: this.diskBytes },
      ...{ networks, engine },
    });
  }

  /** Handles faults that strike at once, without waiting for an operation. */
  #strikeAtOnce(fault: Fault): void {
    if (fault.kind === "out-of-memory" || fault.kind === "supervisor-lost") this.processes.struck(fault.kind);
    if (fault.kind === "engine-crash" && fault.afterOutputs <= 0) this.crashing.crash();
  }
}

/** The engine on this host sets how to crash it. */
class Crashing {
  crash: () => void = () => {};
}
