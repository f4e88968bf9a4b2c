// The simulated world behind the interfaces of `hosts/shared/host.ts`.

import type { Host } from "../shared/index.js";
import { archiveOf, exportOf } from "./content/archive.js";
import { MACHINE, runtimesOf } from "./machine.js";
import type { SimulatedHost, SimulatedOptions } from "./options.js";
import { Parts } from "./parts.js";
import { seededRandom } from "./random.js";
import { dial, dialDatagrams, visit, type World } from "./traffic/dial.js";
import { WorldRecords } from "./records.js";
import { sharedCatalogue } from "./registry/catalogue.js";

const EXEC_ROOT = "/run/coracle";
const FIRST_IMAGES = ["busybox:latest"];

/** A separate world. It outlives engines: after a crash, the next engine finds everything again. */
export function simulatedHost(options: SimulatedOptions = {}): SimulatedHost {
  const { seed = 0, images = FIRST_IMAGES } = options;
  const parts = new Parts(options);
  const { time, processes, faults, bodies, crashing } = parts;
  const seeds = seededRandom(seed, "engines");
  const end = new AbortController();
  const fromOutside: World = { time, traffic: parts.networks.traffic, ended: end.signal };
  return {
    ...interfacesOf(parts),
    ...{ timers: time, records: new WorldRecords(faults, options.journalBytes), machine: MACHINE },
    get runtimes() {
      return parts.runtimes;
    },
    offer: (names) => void (parts.runtimes = runtimesOf(names)),
    ...lifeOf(parts, end),
    listen: (happened, given) => {
      bodies.given = given;
      processes.listen(happened);
    },
    seed: () => seeds.bytes(32),
    faults,
    serve: (answer) => parts.engine.serve(answer),
    onCrash: (crash) => void (crashing.crash = crash),
    outputLeft: () => {
      if (faults.outputLeft()) crashing.crash();
    },
    reboot: () => parts.reboot(),
    visit: (port, address = parts.networks.loopbackOf(port)) => visit(parts.networks.traffic, { address, port }),
    dial: (port, address = parts.networks.loopbackOf(port)) => dial(fromOutside, { address, port }),
    dialDatagrams: (port, address = parts.networks.loopbackOf(port, "udp")) =>
      dialDatagrams(fromOutside, { address, port }),
    firstImages: () => images.map((name) => sharedCatalogue.archive(name)),
    directories: { data: parts.dataRoot, exec: EXEC_ROOT },
    world: viewOf(parts),
  };
}

/** The interfaces that the core calls, and the sources of replies' bytes. */
function interfacesOf({ processes, networks, content, volumes, looks, disk }: Parts) {
  return {
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
  } satisfies Partial<Host>;
}

/** What a new engine finds in the world, and how to end the world. */
function lifeOf(parts: Parts, end: AbortController): Pick<Host, "inventory" | "close"> {
  return {
    inventory: async () => {
      end.signal.throwIfAborted();
      parts.networks.restart();
      await parts.content.restart();
      return parts.found();
    },
    close: async () => {
      parts.networks.close();
      parts.time.close();
      end.abort(new Error("the simulated host is closed"));
    },
  };
}

function viewOf(parts: Parts): SimulatedHost["world"] {
  return {
    files: (container) => parts.disk.view(container),
    processes: () => parts.processes.list(),
    registryRequests: () => [...parts.registries.requests],
    found: () => parts.found(),
    sizeOf: (container) => parts.disk.containers.get(container)?.share.used ?? null,
    sizeOfVolume: (name) => parts.disk.volumes.get(name)?.share.used ?? null,
    arrival: (from, aim) => parts.networks.arrival(from, aim),
    lookUp: (container, name) => parts.networks.lookUp(container, name),
    mountedVolumes: () => [...parts.disk.volumes].flatMap(([name, { mounted }]) => (mounted ? [name] : [])),
  };
}
