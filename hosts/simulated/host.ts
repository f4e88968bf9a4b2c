// The simulated world, put together behind the interfaces of `hosts/host.ts`.

import type { Bodies, RequestId, engine } from "../host.js";
import { registryClient } from "../registry/client.js";
import { archiveOf, exportOf } from "./content/archive.js";
import { simulatedContent } from "./content/content.js";
import type { Looks } from "./content/view.js";
import { beyond } from "./elsewhere.js";
import type { Fault } from "./faults.js";
import { Disk } from "./files/disk.js";
import { MACHINE, runtimesOf } from "./machine.js";
import { WorldNetworks } from "./networks.js";
import type { SimulatedHost, SimulatedOptions } from "./options.js";
import { simulatedProcesses, type SimulatedProcesses } from "./processes/processes.js";
import { PROGRAMS } from "./programs/table.js";
import { seededRandom } from "./random.js";
import { WorldRecords } from "./records.js";
import { sharedCatalogue } from "./registry/catalogue.js";
import { RegistryNetwork } from "./registry/transport.js";
import { simulatedVolumes } from "./volumes.js";
import { WorldFaults } from "./world-faults.js";
import { WorldTime } from "./world-time.js";

const DISK_BYTES = 64 * 1024 ** 3;
const DATA_ROOT = "/var/lib/coracle";
const EXEC_ROOT = "/run/coracle";
const FIRST_IMAGES = ["busybox:latest"];

/** A world of its own. It outlives engines: one that crashed finds everything again. */
export function simulatedHost(options: SimulatedOptions = {}): SimulatedHost {
  const { seed = 0, images = FIRST_IMAGES, dataRoot = DATA_ROOT } = options;
  const time = new WorldTime(options);
  const networks = new WorldNetworks({ time });
  const crashing = new Crashing();
  const faults = new WorldFaults(
    (container) => networks.nameOf(container),
    (fault) => strikeAtOnce(fault, processes, crashing),
  );
  const diskBytes = options.diskBytes ?? DISK_BYTES;
  const disk = new Disk({
    ...{ size: diskBytes, faults, volumesAt: `${dataRoot}/volumes`, now: () => time.now().wall },
    programs: Object.keys(options.programs ?? {}).filter((name) => !PROGRAMS.has(name)),
  });
  const elsewhere = options.elsewhere && beyond(time, options.elsewhere);
  const registries = new RegistryNetwork({ catalogue: sharedCatalogue, clock: time, faults, elsewhere });
  const { transport } = registries;
  const registry = registryClient({
    transport,
    clock: time,
    ...(options.userAgent && { userAgent: options.userAgent }),
  });
  const bodies = new LateBodies();
  const looks: Looks = { disk, filesOf: (container, run) => processes.filesOf(container, run) };
  const content = simulatedContent({ ...looks, clock: time, bodies, registry });
  const volumes = simulatedVolumes(disk);
  let runtimes = runtimesOf(options.runtimes ?? []);
  const random = seededRandom(seed, "processes");
  const seeds = seededRandom(seed, "engines");
  const processes = simulatedProcesses({
    ...{ time, faults, disk, random: () => random.next(), programs: options.programs ?? {} },
    hasRuntime: (name) => runtimes.some((runtime) => runtime.name === name),
    machine: { ...MACHINE, disk: diskBytes },
    networksOf: (container) => networks.placesOf(container).length,
  });
  let hasEnded = false;
  const found = (): engine.Inventory => ({
    processes: processes.inventory(),
    execs: processes.execs(),
    mounts: content.mounts(),
    containers: content.containers(),
    joins: networks.joins(),
    networks: networks.networks(),
    volumes: volumes.names(),
    chains: content.chains(),
  });
  const inventory = async (): Promise<engine.Inventory> => {
    if (hasEnded) throw new Error("the simulated host is closed");
    networks.restart();
    await content.restart();
    return found();
  };
  return {
    timers: time,
    records: new WorldRecords(faults, options.journalBytes),
    processes: processes.perform,
    content: (op, command, report) => {
      if (command.tag === "drop-container") {
        processes.forget(command.val);
        networks.forget(command.val);
      }
      return content.perform(op, command, report);
    },
    networks: networks.perform,
    volumes: volumes.perform,
    replies: {
      ...processes.stdio,
      archive: (source) => archiveOf(source, looks),
      export: (source) => exportOf(source, disk),
      saved: (members) => content.saved(members),
    },
    machine: MACHINE,
    get runtimes() {
      return runtimes;
    },
    offer: (names) => {
      runtimes = runtimesOf(names);
    },
    inventory,
    listen: (happened, given) => {
      bodies.given = given;
      processes.listen(happened);
    },
    seed: () => seeds.bytes(32),
    close: async () => {
      hasEnded = true;
      time.close();
    },
    faults,
    onCrash: (crash) => void (crashing.crash = crash),
    outputLeft: () => {
      if (faults.outputLeft()) crashing.crash();
    },
    firstImages: () => images.map((name) => sharedCatalogue.archive(name)),
    directories: { data: dataRoot, exec: EXEC_ROOT },
    world: {
      files: (container) => disk.view(container),
      processes: () => processes.list(),
      registryRequests: () => [...registries.requests],
      found,
    },
  };
}

/** What does not wait for something to happen. */
function strikeAtOnce(fault: Fault, processes: SimulatedProcesses, crashing: Crashing): void {
  if (fault.kind === "out-of-memory" || fault.kind === "supervisor-lost") processes.struck(fault.kind);
  if (fault.kind === "engine-crash" && fault.afterOutputs <= 0) crashing.crash();
}

/** Whoever has an engine here says how to end it. */
class Crashing {
  crash: () => void = () => {};
}

/** The engine gives them once it is there. */
class LateBodies implements Bodies {
  given: Bodies | null = null;

  take(request: RequestId): AsyncIterable<Uint8Array> {
    if (this.given === null) throw new Error("no engine listens to this host");
    return this.given.take(request);
  }
}
