// Archives that are held for the core. Each is a directory with the archive's members as files.

import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { mkdtemp, open, readFile, rename } from "node:fs/promises";
import {
  HostFailure,
  faultyName,
  interrupted,
  malformed,
  noSuch,
  tooLarge,
  wrongKind,
} from "../../hosts/shared/index.js";
import type { RequestBytes, content, engine } from "../../hosts/shared/index.js";
import { fromClient } from "../../hosts/streams/index.js";
import {
  TarReader,
  baseOf,
  bytesOf,
  cleanName,
  endOfArchive,
  parentOf,
  textOf,
  limitsOf,
} from "../../hosts/streams/tar/index.js";
import type { TarEntry, TarSink, TarLimits } from "../../hosts/streams/tar/index.js";
import { namesIn, removeTree } from "../directories.js";
import type { Paths } from "../paths.js";
import type { Swept } from "../swept.js";
import { Confined } from "./files/confined.js";
import { decompressed } from "./layers/decompress.js";
import type { Workers } from "./threads/workers.js";
import { walk } from "./files/walk.js";

export class Archives {
  readonly #paths: Paths;
  readonly #workers: Workers;

  constructor(paths: Paths, workers: Workers) {
    [this.#paths, this.#workers] = [paths, workers];
  }

  /**
   * Takes in an archive, either all of it or nothing. Returns the files, and the links that lead to one, sorted by
   * name.
   */
  async ingest(
    { archive, limits }: content.Ingest,
    body: RequestBytes,
    signal: AbortSignal,
  ): Promise<engine.ArchivedFile[]> {
    return this.make(archive, (directory) =>
      this.#workers.run(
        "ingest",
        { directory, limits: limitsOf(limits) },
        { signal, body: (over) => fromClient(body, over), isOwn: body.isOwn === true },
      ),
    );
  }

  /** Takes in a layer's tar, either all of it or nothing. Returns its DiffID. */
  async receive(
    { archive, unpacked }: Pick<content.Receive, "archive" | "unpacked">,
    tar: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<string> {
    return this.make(archive, (directory) =>
      this.#workers.run("receive", { file: `${directory}/layer.tar`, unpacked }, { signal, body: tar }),
    );
  }

  /** Makes an archive: `fill` gets an empty directory, which becomes the archive when `fill` is done. */
  async make<T>(archive: string, fill: (directory: string) => Promise<T>): Promise<T> {
    const place = this.#place(archive);
    if (fs.existsSync(place)) throw new HostFailure({ tag: "exists", val: { what: "archive", name: archive } });
    fs.mkdirSync(this.#paths.archives(), { recursive: true, mode: 0o700 });
    const draft = await mkdtemp(this.#paths.archives("draft-"));
    try {
      const made = await fill(draft);
      await rename(draft, place);
      return made;
    } catch (error) {
      await removeTree(draft);
      throw error;
    }
  }

  /** A member's bytes, unless there are more than `limit`. */
  async read({ limit, ...member }: content.ReadMember): Promise<Uint8Array> {
    const path = this.member(member);
    if (fs.lstatSync(path).size > limit) throw tooLarge("member", member.path, limit);
    return readFile(path);
  }

  /** The path of a member on disk. Links are followed within the archive. */
  member({ archive, path }: content.Member): Buffer {
    const root = this.#place(archive);
    if (!fs.existsSync(root)) throw noSuch("archive", archive);
    const tree = new Confined(root);
    const found = tree.resolve(cleanName(bytesOf(path)), { follow: true });
    const stat = tree.stat(found);
    if (!stat) throw noSuch("member", path);
    if (!stat.isFile()) throw wrongKind("member", path);
    return tree.path(found);
  }

  async drop(archive: string): Promise<void> {
    await removeTree(this.#place(archive));
  }

  /** Removes all archives: none outlives the engine. */
  async sweep(swept: Swept): Promise<void> {
    for (const name of namesIn(this.#paths.archives()))
      swept(this.#paths.archives(name), "it was held for an earlier engine");
    await removeTree(this.#paths.archives());
  }

  #place(archive: string): string {
    if (!/^[0-9A-Za-z][0-9A-Za-z_.-]*$/.test(archive)) throw malformed("archive-name", archive);
    return this.#paths.archives(`archive-${archive}`);
  }
}

/** Puts an archive's members into an empty directory, and returns them as `ingest` does. */
export async function takeIn(
  directory: string,
  limits: TarLimits,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<engine.ArchivedFile[]> {
  const members = new Members(directory, limits);
  const reader = new TarReader(members);
  try {
    for await (const chunk of decompressed(body)) {
      if (signal.aborted) throw interrupted("given-up");
      await reader.push(chunk);
    }
    reader.end();
  } finally {
    members.abandon();
  }
  return filesIn(directory);
}

/** Puts members into a directory: files and links. Owners, modes and times are not kept. */
class Members implements TarSink {
  readonly limits: TarLimits;
  readonly #tree: Confined;
  #file = -1;
  /** The offset of the next bytes in the file. */
  #at = 0;
  #hasHoles = false;

  constructor(root: string, limits: TarLimits) {
    this.limits = limits;
    this.#tree = new Confined(root);
  }

  entry(entry: TarEntry): void {
    const name = cleanName(entry.name);
    if (name === "") return;
    const how = { make: true } as const;
    if (entry.type === "directory") return void this.#tree.directory(name, how);
    const parent = this.#tree.directory(parentOf(name), how);
    this.#make(parent === "" ? baseOf(name) : `${parent}/${baseOf(name)}`, entry);
  }

  data(piece: Uint8Array): void {
    for (let done = 0; done < piece.length;) {
      done += fs.writeSync(this.#file, piece, done, piece.length - done, this.#at + done);
    }
    this.#at += piece.length;
  }

  hole(size: number): void {
    this.#at += size;
  }

  end(): void {
    // A hole at the end was not written: set the file's size.
    if (this.#file >= 0 && this.#hasHoles) fs.ftruncateSync(this.#file, this.#at);
    this.abandon();
  }

  /** Closes and drops an unfinished file. */
  abandon(): void {
    if (this.#file >= 0) fs.closeSync(this.#file);
    this.#file = -1;
  }

  #make(name: string, entry: TarEntry): void {
    const path = this.#tree.path(name);
    const there = this.#tree.stat(name);
    if (there?.isDirectory()) this.#tree.forget(name);
    if (there) fs.rmSync(path, { recursive: true });
    this.#at = 0;
    this.#hasHoles = entry.holes > 0;
    if (entry.type === "file") this.#file = fs.openSync(path, "wx", 0o600);
    else if (entry.type === "symlink") fs.symlinkSync(Buffer.from(entry.target, "latin1"), path);
    else if (entry.type === "link") fs.linkSync(this.#tree.path(this.#target(entry)), path);
  }

  #target({ name, target }: TarEntry): string {
    const found = fileBehind(this.#tree, cleanName(target), false);
    if (!found) throw faultyName("hard-link-to-other", textOf(name), textOf(target));
    return found.name;
  }
}

/** Writes a tar to a new file, and returns its DiffID. Without any bytes, the tar is empty. */
export async function writeTar(into: string, tar: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  const file = await open(into, "wx", 0o600);
  const write = async (piece: Uint8Array): Promise<void> => {
    hash.update(piece);
    for (let done = 0; done < piece.length;) done += (await file.write(piece, done)).bytesWritten;
  };
  try {
    let isEmpty = true;
    for await (const piece of tar) {
      if (signal.aborted) throw interrupted("given-up");
      isEmpty &&= piece.length === 0;
      await write(piece);
    }
    if (isEmpty) await write(endOfArchive());
  } finally {
    await file.close();
  }
  return `sha256:${hash.digest("hex")}`;
}

async function filesIn(directory: string): Promise<engine.ArchivedFile[]> {
  const tree = new Confined(directory);
  const files: engine.ArchivedFile[] = [];
  for await (const { name, stat } of walk(directory)) {
    const size = stat.isSymbolicLink() ? fileBehind(tree, name, true)?.size : stat.isFile() ? stat.size : undefined;
    if (size !== undefined) files.push({ path: textOf(name), size });
  }
  return files;
}

/** Undefined if the name leads to no file of the archive. */
function fileBehind(tree: Confined, name: string, follow: boolean): { name: string; size: bigint } | undefined {
  try {
    const found = tree.resolve(name, { follow });
    const stat = tree.stat(found);
    return stat?.isFile() ? { name: found, size: BigInt(stat.size) } : undefined;
  } catch (error) {
    if (error instanceof HostFailure) return undefined;
    throw error;
  }
}
