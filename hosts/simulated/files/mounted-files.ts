// Mounted trees as one file system, as a container's processes see it.

import { FileError, type FileKind, type FileStatus, type FileSystem } from "./file-system.js";
import { contentOf, extend, inode, lengthOf, readDevice, writeDevice, type Attributes, type Inode } from "./inode.js";
import { allows, lookup, type Found, type Identity, type MountTable, type Place } from "./lookup.js";
import { isMountRoot, isOwnAll, own } from "./own.js";

/** Numbers of a device; 0 if the file is not a device. */
interface Device {
  major: number;
  minor: number;
}

/** `now` is the time of day in nanoseconds since 1970. */
export class MountedFiles implements FileSystem {
  readonly mounts: MountTable;
  readonly #now: () => bigint;
  readonly #identity: Identity | null;
  readonly #gid: number;

  constructor(mounts: MountTable, now: () => bigint, identity: Identity | null = null) {
    this.mounts = mounts;
    this.#now = now;
    this.#identity = identity;
    this.#gid = identity?.groups[0] ?? 0;
  }

  /** The same files with the permissions of a user. New files get the first group. */
  as(identity: Identity): MountedFiles {
    return new MountedFiles(this.mounts, this.#now, identity);
  }

  /**
   * Whether the permissions suffice: 4 to read, 2 to write, 1 to execute. Root may execute a file that anyone may
   * execute.
   */
  allows(path: string, right: number): boolean {
    const { inode: file } = this.#existing(path, true);
    if (right === 1 && file.kind === "file" && (file.mode & 0o111) === 0) return false;
    return allows(file, right, this.#identity);
  }

  status(path: string): FileStatus {
    return statusOf(this.#existing(path, true).inode);
  }

  linkStatus(path: string): FileStatus {
    return statusOf(this.#existing(path, false).inode);
  }

  resolve(path: string): string {
    return this.#existing(path, true).path;
  }

  read(path: string): Uint8Array {
    const { inode: file } = this.#existing(path, true);
    this.#require(file, 4, path);
    if (file.kind === "directory") throw new FileError("EISDIR", path);
    return file.kind === "file" ? contentOf(file) : readDevice(file, path);
  }

  write(path: string, bytes: Uint8Array, mode = 0o644): void {
    const found = this.#find(path, true);
    if (found.place === null) return this.#createFile(found, path, bytes, mode);
    const file = this.#writable(found.place, path, false);
    if (file === null) return;
    found.place.mount.tree.space.take(bytes.length - file.size, path);
    file.bytes = bytes.slice();
    file.size = bytes.length;
    file.modified = this.#now();
  }

  append(path: string, bytes: Uint8Array): void {
    const found = this.#find(path, true);
    if (found.place === null) return this.#createFile(found, path, bytes, 0o644);
    const file = this.#writable(found.place, path, true);
    if (file === null) return;
    found.place.mount.tree.space.take(bytes.length, path);
    extend(file, bytes);
    file.modified = this.#now();
  }

  list(path: string): string[] {
    const { inode: directory } = this.#existing(path, true);
    if (directory.kind !== "directory") throw new FileError("ENOTDIR", path);
    this.#require(directory, 4, path);
    return [...directory.entries.keys()].sort();
  }

  makeDirectory(path: string, mode = 0o755): void {
    this.#create(this.#absent(path), path, "directory", { mode });
  }

  /** Makes a device node with these numbers and this mode (mknod(2)), replacing what stands there. */
  makeDevice(path: string, { kind, mode, major, minor }: Pick<FileStatus, "kind" | "mode" | "major" | "minor">): void {
    if (this.#find(path, false).place !== null) this.remove(path);
    this.#create(this.#absent(path), path, kind, { mode, major, minor });
  }

  symlink(target: string, path: string): void {
    this.#create(this.#absent(path), path, "symlink", { target });
  }

  remove(path: string): void {
    const { place, parent, name } = this.#find(path, false);
    if (place === null) throw new FileError("ENOENT", path);
    if (place.inode.kind === "directory") throw new FileError("EISDIR", path);
    this.#unlink(place, parent, name, path);
  }

  removeDirectory(path: string): void {
    const { place, parent, name } = this.#find(path, false);
    if (place === null) throw new FileError("ENOENT", path);
    if (place.inode.kind !== "directory") throw new FileError("ENOTDIR", path);
    if (place.path === "/" || place.inode === place.mount.root) throw new FileError("EBUSY", path);
    if (place.inode.entries.size > 0) throw new FileError("ENOTEMPTY", path);
    this.#unlink(place, parent, name, path);
  }

  link(existing: string, path: string): void {
    const from = this.#existing(existing, false);
    const { parent, name } = this.#absent(path);
    if (from.mount !== parent.mount || from.inode === from.mount.root) throw new FileError("EXDEV", path);
    if (from.inode.kind === "directory") throw new FileError("EPERM", path);
    const directory = this.#changeable(parent, path);
    const file = own(from, path);
    file.links++;
    this.#enter(directory, name, file);
  }

  rename(from: string, to: string): void {
    const { place: source } = this.#find(from, false);
    const found = this.#find(to, false);
    if (source === null) throw new FileError("ENOENT", from);
    requireMovable(source, found, to);
    if (source.parent === null || found.place?.inode === source.inode) return;
    const directory = this.#changeable(found.parent, to);
    const origin = this.#changeable(source.parent, from);
    const file = own(source, from);
    // Overlayfs does this whether there is anything below or not.
    if (file.kind === "directory" && directory.origin !== null) file.opaque = true;
    if (found.place) found.place.mount.tree.unlinked(found.place.inode);
    origin.entries.delete(source.name);
    origin.modified = this.#now();
    this.#enter(directory, found.name, file);
  }

  changeMode(path: string, mode: number): void {
    this.#changeAttributes(path, (file) => (file.mode = mode & 0o7777));
  }

  changeOwner(path: string, uid: number, gid: number): void {
    if (this.#identity !== null && this.#identity.uid !== 0) throw new FileError("EPERM", path);
    this.#changeAttributes(path, (file) => ([file.uid, file.gid] = [uid, gid]));
  }

  touch(path: string, modified: bigint): void {
    this.#changeAttributes(path, (file) => (file.modified = modified));
  }

  /** Makes a device or a fifo: mknod(2). */
  makeNode(path: string, kind: "character" | "block" | "fifo", { major, minor }: Device): void {
    this.#create(this.#absent(path), path, kind, { major, minor });
  }

  /** Sets the given attributes. A symlink is not followed. */
  setAttributes(path: string, attributes: Pick<Attributes, "mode" | "uid" | "gid" | "modified" | "xattrs">): void {
    this.#changeAttributes(path, (file) => Object.assign(file, attributes), false);
  }

  #find(path: string, follow: boolean): Found {
    return lookup(this.mounts, path, follow, this.#identity);
  }

  #existing(path: string, follow: boolean): Place {
    const { place } = this.#find(path, follow);
    if (place === null) throw new FileError("ENOENT", path);
    return place;
  }

  #absent(path: string): Found {
    // A slash at the end of a new directory's name has no meaning.
    const found = this.#find(path.replace(/(?<=[^/])\/+$/, ""), false);
    if (found.place !== null) throw new FileError("EEXIST", path);
    return found;
  }

  #require(file: Inode, right: number, path: string): void {
    if (!allows(file, right, this.#identity)) throw new FileError("EACCES", path);
  }

  /** The file to write to, with or without its old content; null for a device, which has consumed the bytes. */
  #writable(place: Place, path: string, keep: boolean): Inode | null {
    const { inode: file, mount } = place;
    if (file.kind === "directory") throw new FileError("EISDIR", path);
    this.#require(file, 2, path);
    if (file.kind !== "file") {
      writeDevice(file, path);
      return null;
    }
    if (mount.readOnly) throw new FileError("EROFS", path);
    if (file.made !== null) throw new FileError("EACCES", path);
    return own(place, path, keep);
  }

  #createFile(found: Found, path: string, bytes: Uint8Array, mode: number): void {
    if (path.endsWith("/")) throw new FileError("EISDIR", path);
    this.#create(found, path, "file", { mode, bytes: bytes.slice() });
  }

  #create({ parent, name }: Found, path: string, kind: FileKind, given: Attributes): void {
    const directory = this.#changeable(parent, path);
    const { tree } = parent.mount;
    tree.space.take(given.bytes?.length ?? lengthOf(given.target ?? ""), path);
    const owner = { uid: this.#identity?.uid ?? 0, gid: this.#gid, modified: this.#now() };
    const opaque = kind === "directory" && hasLower(directory, name);
    this.#enter(directory, name, inode(kind, tree, { ...given, ...owner, opaque }));
  }

  #enter(directory: Inode, name: string, file: Inode): void {
    directory.entries.set(name, file);
    directory.modified = this.#now();
  }

  #unlink(place: Place, parent: Place, name: string, path: string): void {
    if (isMountRoot(place)) throw new FileError("EBUSY", path);
    const directory = this.#changeable(parent, path);
    const sticky = (directory.mode & 0o1000) !== 0 && this.#identity !== null && this.#identity.uid !== 0;
    if (sticky && ![directory.uid, place.inode.uid].includes(this.#identity?.uid ?? 0)) {
      throw new FileError("EPERM", path);
    }
    directory.entries.delete(name);
    directory.modified = this.#now();
    place.mount.tree.unlinked(place.inode);
  }

  #changeAttributes(path: string, change: (file: Inode) => void, follow = true): void {
    const place = this.#existing(path, follow);
    if (place.mount.readOnly) throw new FileError("EROFS", path);
    const mayChange = this.#identity === null || [0, place.inode.uid].includes(this.#identity.uid);
    if (!mayChange) throw new FileError("EPERM", path);
    change(own(place, path));
  }

  /** A directory in which names may be added and removed. */
  #changeable(place: Place, path: string): Inode {
    if (place.mount.readOnly) throw new FileError("EROFS", path);
    this.#require(place.inode, 3, path);
    return own(place, path);
  }
}

function statusOf(file: Inode): FileStatus {
  const { kind, mode, uid, gid, modified, links, target, major, minor } = file;
  const size = kind === "symlink" ? lengthOf(target) : file.size;
  return { kind, mode, uid, gid, size, modified, target, links, major, minor };
}

/** Whether a lower tree has an entry of this name. */
function hasLower({ origin }: Inode, name: string): boolean {
  return origin?.entries.has(name) ?? false;
}

/** Whether rename(2) may take something from one place to another. */
function requireMovable(source: Place, { place, parent }: Found, path: string): void {
  if (isMountRoot(source) || (place && isMountRoot(place))) throw new FileError("EBUSY", path);
  if (source.mount !== parent.mount) throw new FileError("EXDEV", path);
  if (source.mount.readOnly) throw new FileError("EROFS", path);
  if (place?.inode === source.inode) return;
  if (isWithin(parent, source)) throw new FileError("EINVAL", path);
  if (place && isWithin(source, place)) throw new FileError("ENOTEMPTY", path);
  const isDirectory = source.inode.kind === "directory";
  if (place && place.inode.kind === "directory" && !isDirectory) throw new FileError("EISDIR", path);
  if (place && place.inode.kind !== "directory" && isDirectory) throw new FileError("ENOTDIR", path);
  // Like overlayfs without `redirect_dir`: such a directory cannot be renamed, so the program must copy it.
  if (isDirectory && !isOwnAll(source)) throw new FileError("EXDEV", path);
  if (place && place.inode.entries.size > 0) throw new FileError("ENOTEMPTY", path);
}

/** Whether the first place is the second or below it. */
function isWithin({ path }: Place, { path: above }: Place): boolean {
  return `${path}/`.startsWith(`${above}/`);
}
