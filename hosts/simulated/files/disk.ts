// The simulated disk: layers, containers' file systems, volumes, and the machine's own files. It survives the engine.

import { noSuch } from "../../shared/index.js";
import type { content, volumes } from "../../shared/index.js";
import type { FaultSource } from "../faults.js";
import { mountContainer, type MountSpec, type Sources, type ViewSpec } from "./container-mounts.js";
import type { FileSystem } from "./file-system.js";
import { contentOf, inode, type Inode } from "./inode.js";
import { Layers } from "./layers.js";
import { lookup, type Mount, type MountTable } from "./lookup.js";
import { MountedFiles } from "./mounted-files.js";
import { Room, Share } from "./space.js";
import { devices, put } from "./special.js";
import { Tree } from "./tree.js";
import { VolumeMounts } from "./volume-mounts.js";

export type { MountSpec, ViewSpec };

export interface DiskOptions {
  /** How many bytes it can hold. */
  size: number;
  faults: FaultSource;
  /** Directory in which the engine says the machine keeps volumes: the files of volume NAME are in `NAME/_data`. */
  volumesAt?: string;
  /** Names of programs that containers find in addition to those of their images. */
  programs?: readonly string[];
  /** Time of day in nanoseconds since 1970. */
  now(): bigint;
}

/** The files of one container on the disk. */
export interface ContainerFiles {
  tree: Tree;
  share: Share;
  /** The chain below its own files; null if it has no image. */
  chain: string | null;
  /** Whether its file system is mounted. */
  mounted: boolean;
  /** Files made for it, by name. Other containers can mount them too. */
  made: Map<string, Inode>;
  /** It is nothing but a secret or an ssh agent, and in memory. */
  isHeld?: true;
}

/** What a secret needs, besides its bytes; and an agent. */
type Held = Pick<content.SoughtSecret, "container" | "owner" | "group" | "mode">;

/** The only file of a container that is nothing but a secret, or nothing but an agent. */
const SECRET = "/secret";
const AGENT = "/agent";

/** The files of one volume on the disk. */
export interface VolumeFiles {
  tree: Tree;
  share: Share;
  /** What its users see instead; null if nothing is mounted on it. */
  mounted: Mount | null;
}

export class Disk {
  readonly room: Room;
  readonly layers: Layers;
  /** By container id. */
  readonly containers = new Map<string, ContainerFiles>();
  /** By volume name. */
  readonly volumes = new Map<string, VolumeFiles>();
  /** The machine's own files. Binds lead here. */
  readonly machine: MountedFiles;
  readonly now: () => bigint;
  readonly #machine: Map<string, Mount>;
  /** Shared memory of running containers, by container id. */
  readonly #memory = new Map<string, Tree>();
  readonly #tree: Tree;
  /** All files made for containers. They take no room on the disk. */
  readonly #madeFiles = new Tree(new Room(Infinity));
  readonly #volumes: Inode;
  readonly #mounts: VolumeMounts;
  readonly #volumesAt: string;

  constructor({ size, faults, volumesAt = VOLUMES_AT, programs = [], now }: DiskOptions) {
    this.room = new Room(size, faults);
    this.layers = new Layers(this.room, programs);
    this.now = now;
    const tree = new Tree(this.room);
    for (const [path, text] of MACHINE_FILES) {
      const bytes = new TextEncoder().encode(text);
      put(tree, path, inode("file", tree, { bytes }));
      this.room.used += bytes.length;
    }
    put(tree, "/dev", machineDevices(tree));
    put(tree, "/dev/shm", inode("directory", tree, { mode: 0o1777 }));
    this.#tree = tree;
    this.#volumes = inode("directory", tree, { mode: 0o711 });
    this.#volumesAt = volumesAt;
    put(tree, volumesAt, this.#volumes);
    this.#machine = new Map([["/", rootMount(tree)]]);
    this.machine = new MountedFiles(this.#machine, now);
    this.#mounts = new VolumeMounts(this.#machine);
  }

  /** A container's files with nothing mounted over them; null if it has none. */
  view(container: string): FileSystem | null {
    const mounts = this.mountsOf(container);
    return mounts && new MountedFiles(mounts, this.now);
  }

  /** The same as a mount table: the container's own tree and nothing else. */
  mountsOf(container: string): MountTable | null {
    const files = this.containers.get(container);
    return files ? new Map([["/", rootMount(files.tree)]]) : null;
  }

  /**
   * What the processes of a container's run see. Throws `no-such` if its file system is not mounted or a volume is
   * missing. Throws `FileError` if the source of a bind is missing or a mount point cannot be made.
   */
  mountView(container: string, spec: ViewSpec): MountedFiles {
    const files = this.containers.get(container);
    if (!files?.mounted) throw noSuch("file-system", container);
    const sources: Sources = {
      now: this.now,
      volume: (name) => this.volumeRoot(name),
      files: (id) => this.#filesOf(id),
      chain: (chain) => this.#chain(chain),
      made: (source) => this.#made(container, source),
      memory: (id) => this.#memory.get(id) ?? null,
      machine: this.#machine,
    };
    return new MountedFiles(mountContainer(files.tree, spec, sources), this.now);
  }

  /** Makes a file for a container and for containers that join it. A new run replaces its bytes. */
  putMade(container: string, name: string, bytes: Uint8Array): void {
    const made = this.containers.get(container)?.made;
    const file = made?.get(name);
    const modified = this.now();
    if (file) Object.assign(file, { bytes, size: bytes.length, modified });
    else made?.set(name, inode("file", this.#madeFiles, { bytes, modified }));
  }

  /** Makes shared memory for a container. Others can join it while the container runs. */
  makeMemory(container: string, bytes: bigint): void {
    const tree = new Tree(new Room(Number(bytes)));
    tree.root.mode = 0o1777;
    this.#memory.set(container, tree);
  }

  /** Containers that have it mounted keep it. */
  dropMemory(container: string): void {
    this.#memory.delete(container);
  }

  /** Makes a directory of the machine and its missing parents: the source of a bind. */
  makeDirectory(path: string): void {
    const parts = path.split("/").filter((part) => part !== "");
    for (const [index] of parts.entries()) {
      const { place } = lookup(this.#machine, `/${parts.slice(0, index + 1).join("/")}`, true, null);
      if (place === null) this.machine.makeDirectory(`/${parts.slice(0, index + 1).join("/")}`);
    }
  }

  /** Mounts a container's file system if it is not mounted. Throws `no-such` if a layer is missing. */
  mount(container: string, chain: string | null, bare = false): void {
    const files = this.containers.get(container) ?? this.#make(chain, bare);
    files.mounted = true;
    this.containers.set(container, files);
  }

  /** Mounts a container that is nothing but a secret. It takes no room on the disk. */
  holdSecret(held: Held, bytes: Uint8Array): void {
    this.#hold(held, SECRET, "file", bytes);
  }

  /** The same for one that is nothing but the socket of an agent. */
  holdAgent(held: Held): void {
    this.#hold(held, AGENT, "socket", new Uint8Array());
  }

  /** Throws `no-such` if the container is not mounted. */
  secretOf(container: string): Uint8Array {
    const files = this.containers.get(container);
    const place = files?.mounted && lookup(new Map([["/", rootMount(files.tree)]]), SECRET, false, null).place;
    if (!place) throw noSuch("file-system", container);
    return contentOf(place.inode);
  }

  /** Written files stay, but nothing of a secret or an agent. */
  unmount(container: string): void {
    const files = this.containers.get(container);
    if (files?.isHeld) this.containers.delete(container);
    else if (files) files.mounted = false;
  }

  /** The machine restarts: nothing stays mounted, but written files stay. */
  reboot(): void {
    for (const container of [...this.containers.keys()]) this.unmount(container);
    for (const name of this.volumes.keys()) this.unmountVolume(name);
  }

  dropContainer(container: string): void {
    this.containers.get(container)?.share.release();
    this.containers.delete(container);
  }

  makeVolume(name: string): void {
    if (this.volumes.has(name)) return;
    const share = new Share(this.room);
    const tree = new Tree(share);
    this.volumes.set(name, { tree, share, mounted: null });
    put(this.#tree, this.#placeOf(name), inode("directory", this.#tree));
    this.#machine.set(this.#placeOf(name), rootMount(tree));
  }

  /** What users of a volume see; null if there is no such volume. */
  volumeRoot(name: string): Pick<Mount, "tree" | "root"> | null {
    const volume = this.volumes.get(name);
    return volume ? (volume.mounted ?? { tree: volume.tree, root: volume.tree.root }) : null;
  }

  /** Makes a volume and mounts a file system on it, unless something is mounted there. */
  mountVolume(mount: volumes.VolumeMount): void {
    this.makeVolume(mount.name);
    const volume = this.volumes.get(mount.name);
    if (!volume || volume.mounted) return;
    volume.mounted = this.#mounts.make(mount, this.#placeOf(mount.name));
    this.#machine.set(this.#placeOf(mount.name), volume.mounted);
  }

  /** Runs that use it keep it. */
  unmountVolume(name: string): void {
    const volume = this.volumes.get(name);
    if (!volume?.mounted) return;
    volume.mounted = null;
    this.#machine.set(this.#placeOf(name), rootMount(volume.tree));
  }

  dropVolume(name: string): void {
    this.volumes.get(name)?.share.release();
    this.volumes.delete(name);
    this.#machine.delete(this.#placeOf(name));
    this.#volumes.entries.delete(name);
  }

  #hold({ container, owner, group, mode }: Held, path: string, kind: "file" | "socket", bytes: Uint8Array): void {
    const tree = new Tree(new Room(Infinity));
    tree.root.mode = 0o700;
    put(tree, path, inode(kind, tree, { bytes, mode, uid: owner, gid: group, modified: this.now() }));
    const share = new Share(new Room(Infinity));
    this.containers.set(container, { tree, share, chain: null, mounted: true, made: new Map(), isHeld: true });
  }

  #filesOf(container: string): { tree: Tree; root: Inode } | null {
    const files = this.containers.get(container);
    return files?.mounted ? { tree: files.tree, root: files.tree.root } : null;
  }

  /** Nobody can change them. */
  #chain(chain: string): { tree: Tree; root: Inode } {
    const lower = chain === "" ? null : this.layers.tree(chain);
    const tree = lower === null ? new Tree(this.room) : new Tree(this.room, lower);
    return { tree, root: tree.root };
  }

  #placeOf(volume: string): string {
    return `${this.#volumesAt}/${volume}/_data`;
  }

  #made(container: string, source: string): { tree: Tree; root: Inode } | null {
    const [name = "", other = container] = source.split("/").reverse();
    const root = this.containers.get(other)?.made.get(name);
    return root ? { tree: this.#madeFiles, root } : null;
  }

  #make(chain: string | null, bare: boolean): ContainerFiles {
    const lower = bare ? this.layers.tree(chain) : this.layers.image(chain);
    const share = new Share(this.room);
    return {
      tree: lower === null ? new Tree(share) : new Tree(share, lower),
      share,
      chain,
      mounted: false,
      made: new Map(),
    };
  }
}

/** The machine's /dev, with a disk. A container refers to its devices by number. */
function machineDevices(tree: Tree): Inode {
  const directory = devices();
  directory.owner = tree;
  directory.entries.set("sda", inode("block", tree, { mode: 0o660, major: 8, minor: 0 }));
  return directory;
}

function rootMount(tree: Tree): Mount {
  return { tree, root: tree.root, readOnly: false, source: "overlay", type: "overlay", options: "relatime" };
}

const VOLUMES_AT = "/var/lib/coracle/volumes";
const MACHINE_FILES: readonly [string, string][] = [
  ["/etc/hostname", "coracle\n"],
  ["/etc/hosts", "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n"],
  ["/etc/resolv.conf", "nameserver 192.0.2.53\n"],
  ["/etc/os-release", 'PRETTY_NAME="Coracle simulated world"\nNAME="Coracle"\nID=coracle\n'],
];
