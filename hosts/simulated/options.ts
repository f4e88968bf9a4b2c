// What a simulated world is made of, and what one can see and touch of it from outside.

import type { Host, engine, types } from "../shared/host.js";
import type { Transport } from "../registry/transport.js";
import type { Faults } from "./faults.js";
import type { FileSystem } from "./files/file-system.js";
import type { Program } from "./program.js";
import type { Pace, SimulatedTime } from "./time.js";

/** How a simulated world is to be. */
export interface SimulatedOptions {
  /** Everything that is drawn is drawn from it; 0 if not given. Equal seeds and equal inputs make equal worlds. */
  seed?: number;
  /** Time of day when the world begins; 2026-01-01T00:00:00Z if not given. */
  begins?: types.WallTime;
  /** `{ times: 1 }` if not given. */
  pace?: Pace;
  /**
   * Programs by the name of their file, in place of those that every world has, or beside them: what no image has as a
   * file stands in `/usr/local/bin`.
   */
  programs?: Readonly<Record<string, Program>>;
  /** Asked for registries that the simulated catalogue does not have; without it they do not exist. */
  elsewhere?: Transport;
  /** How the engine names itself to registries; `coracle` if not given. */
  userAgent?: string;
  /** Images of the catalogue that are there from the start; `["busybox:latest"]` if not given. */
  images?: readonly string[];
  /** Names of OCI runtimes that there are, beside `runc`, which is the default. */
  runtimes?: readonly string[];
  /** Bytes that the disk holds; 64 GiB if not given. */
  diskBytes?: number;
  /** Bytes of events that are kept; 64 MiB if not given. */
  journalBytes?: number;
  /** Where the simulated machine keeps things, volumes among them; `/var/lib/coracle` if not given. */
  dataRoot?: string;
}

/** A world that pretends, with its hands: time and faults. */
export interface SimulatedHost extends Host {
  readonly timers: SimulatedTime;
  /** What goes wrong. */
  readonly faults: Faults;
  /** Takes what crashes the engine, for the fault `engine-crash`. The engine on this host calls it. */
  onCrash(crash: () => void): void;
  /** An output has left the engine: `engine-crash` counts them. The engine on this host calls it. */
  outputLeft(): void;
  /** Other runtimes than before from now on, by name, beside `runc`: runs go on with what they run by. */
  offer(runtimes: readonly string[]): void;
  /**
   * Restarts the machine: its engine crashes; processes, mounts and networks are gone, records and files are there. The
   * world's time goes on.
   */
  reboot(): void;
  /** Archives to load into a new engine (`POST /images/load`), one for each of the options' images. */
  firstImages(): Uint8Array[];
  /** Where a machine would keep things, for people. */
  readonly directories: { readonly data: string; readonly exec: string };
  /** What goes on in it. */
  readonly world: WorldView;
}

/** The world as a visitor sees it. Nothing here changes it. */
export interface WorldView {
  /** Files of a container, mounted or not; null if there are none. */
  files(container: string): FileSystem | null;
  /** Processes of running containers. */
  processes(): { container: string; pid: number; parent: number; argv: readonly string[] }[];
  /** Requests that reached the simulated registries, newest last, credentials left out. */
  registryRequests(): { at: bigint; method: string; url: string; status: number }[];
  /** What an engine that is opened now would find; nothing that is under way is given up for it. */
  found(): engine.Inventory;
  /** Bytes that a container's own files take up; null if there are none. */
  sizeOf(container: string): number | null;
  /** Bytes that a volume's files take up; null if there is no such volume. */
  sizeOfVolume(name: string): number | null;
}
