// What the processes of the simulated world need of the rest of it.

import type { Clock, engine } from "../../shared/index.js";
import type { EngineSocket } from "../engine-socket.js";
import type { FaultSource } from "../faults.js";
import type { Disk } from "../files/disk.js";
import type { Program } from "../program.js";
import type { NetworkNamespace } from "../traffic/namespace.js";
import type { Traffic } from "../traffic/traffic.js";

export interface ProcessesNeeds {
  time: Clock;
  /** A number from 0 up to 1, from the world's seed. */
  random: () => number;
  faults: FaultSource;
  disk: Pick<Disk, "mountView" | "machine" | "secretOf" | "putMade" | "makeMemory" | "dropMemory">;
  /** Programs by name of file, in addition to or instead of the built-in ones. */
  programs?: Readonly<Record<string, Program>>;
  /** Whether a runtime of that name exists. */
  hasRuntime: (name: string) => boolean;
  /** Name and facts of the machine. */
  machine: Pick<engine.Machine, "name" | "kernelVersion" | "kernelArchitecture" | "cpus" | "memory"> & { disk: number };
  networks: ContainerNetworks;
  /** The engine that runs the containers. */
  engine: EngineSocket;
}

/** The networks of the world, as launches need them. */
export interface ContainerNetworks {
  readonly traffic: Traffic;
  /** The namespace that was made for a container when it joined a network; undefined if none was. */
  namespaceOf(container: string): NetworkNamespace | undefined;
}
