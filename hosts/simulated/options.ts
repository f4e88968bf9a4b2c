// Options of a simulated world, and what an embedder can see and change from outside.

import type { Host, PortConnection, engine, types } from "../shared/index.js";
import type { Transport } from "../registry/index.js";
import type { Faults } from "./faults.js";
import type { FileSystem } from "./files/file-system.js";
import type { Program } from "./program.js";
import type { Pace, SimulatedTime } from "./time.js";

/** Opens real ports for published ones of the simulated machine. */
export interface PortDoors {
  /**
   * Listens for this port of the simulated machine. `address` may be `0.0.0.0` or `::`. Visitors are to get a connection
   * of the host's `dial`, or of `dialDatagrams` for UDP. Resolves to a function that closes it. Rejects with an error whose `code` is the
   * name of the errno(3), such as `EADDRINUSE`.
   */
  open(port: { address: string; port: number; protocol: "tcp" | "udp" }): Promise<() => void>;
}

/** Options of a simulated world. */
export interface SimulatedOptions {
  /** The seed of every random number; 0 if not given. Equal seeds and equal inputs make equal worlds. */
  seed?: number;
  /** Time of day when the world begins; 2026-01-01T00:00:00Z if not given. */
  begins?: types.WallTime;
  /** `{ times: 1 }` if not given. */
  pace?: Pace;
  /**
   * Programs by the name of their file, in addition to or instead of the built-in ones. A program that no image has as
   * a file is placed in `/usr/local/bin`.
   */
  programs?: Readonly<Record<string, Program>>;
  /**
   * Handles requests to registries that the simulated catalogue does not have. Without it such registries do not exist.
   */
  elsewhere?: Transport;
  /** How the engine names itself to registries; `coracle` if not given. */
  userAgent?: string;
  /** Opens real ports for published ones of TCP and UDP. Without it only `dial` and `dialDatagrams` reach them. */
  doors?: PortDoors;
  /** Images of the catalogue that exist from the start; `["busybox:latest"]` if not given. */
  images?: readonly string[];
  /** Names of OCI runtimes in addition to `runc`, which is the default. */
  runtimes?: readonly string[];
  /** Size of the disk in bytes; 64 GiB if not given. */
  diskBytes?: number;
  /** Bytes of events to keep; 64 MiB if not given. */
  journalBytes?: number;
  /** Directory in which the simulated machine keeps its data, volumes included; `/var/lib/coracle` if not given. */
  dataRoot?: string;
}

/** A simulated host, with control over its time and its faults. */
export interface SimulatedHost extends Host {
  readonly timers: SimulatedTime;
  /** Sets and lifts faults. */
  readonly faults: Faults;
  /**
   * Registers the function that crashes the engine, for the fault `engine-crash`. The engine on this host calls this.
   */
  onCrash(crash: () => void): void;
  /** Answers containers that have the engine's socket as a mount. The engine on this host calls this. */
  serve(answer: (target: string, init: RequestInit) => Promise<Response>): void;
  /** Reports that an output has left the engine, for `engine-crash` to count. The engine on this host calls this. */
  outputLeft(): void;
  /** Replaces the list of OCI runtimes, by name, in addition to `runc`. Existing runs continue with their runtime. */
  offer(runtimes: readonly string[]): void;
  /**
   * Restarts the machine: its engine crashes. Processes, mounts and networks are gone; records and files stay. The
   * world's time goes on.
   */
  reboot(): void;
  /**
   * Connects to a published TCP port, from the machine itself: at 127.0.0.1 if no address is given, or at ::1 if the port
   * is published there alone. Rejects with `SocketError`.
   */
  dial(port: number, address?: string): Promise<PortConnection>;
  /**
   * Sends datagrams to a published UDP port, likewise: each chunk is one, an empty one too, and may get lost. A write of
   * more than 65,507 bytes rejects with `SocketError` (`EMSGSIZE`). `readable` ends when the other side says that nobody
   * listens there. Rejects with `SocketError` if there is no way.
   */
  dialDatagrams(port: number, address?: string): Promise<PortConnection>;
  /**
   * Asks a published port for its page (`GET /`), all within the event under way. Resolves to the answer as text, head
   * included. Rejects with `SocketError`.
   */
  visit(port: number, address?: string): Promise<string>;
  /** Archives to load into a new engine (`POST /images/load`), one for each image of the options. */
  firstImages(): Uint8Array[];
  /** Directories where a real machine would keep its data, for display. */
  readonly directories: { readonly data: string; readonly exec: string };
  /** A view of what happens in the world. */
  readonly world: WorldView;
}

/** What a packet is for: a port of TCP or UDP, or an echo. */
export type PacketAim =
  | { address: string; protocol: "tcp" | "udp"; port: number }
  | { address: string; protocol: "icmp" };

/** A read-only view of the world. */
export interface WorldView {
  /** Files of a container, mounted or not; null if it has none. */
  files(container: string): FileSystem | null;
  /** Processes of running containers. */
  processes(): { container: string; pid: number; parent: number; argv: readonly string[] }[];
  /** Requests that reached the simulated registries, newest last, without credentials. */
  registryRequests(): { at: bigint; method: string; url: string; status: number }[];
  /** The inventory that an engine opened now would find. Operations under way are not cancelled. */
  found(): engine.Inventory;
  /** Size of a container's own files in bytes; null if it has none. */
  sizeOf(container: string): number | null;
  /** Size of a volume's files in bytes; null if there is no such volume. */
  sizeOfVolume(name: string): number | null;
  /** Names of volumes on which a file system is mounted. */
  mountedVolumes(): readonly string[];
  /**
   * The container that gets what another one sends, and the port there (0 for an echo); `container` is empty for the
   * machine. Null if nobody does.
   */
  arrival(from: string, aim: PacketAim): { container: string; port: number } | null;
  /** The addresses of a name in a container; undefined if nobody on its networks has the name. */
  lookUp(container: string, name: string): readonly string[] | undefined;
}
