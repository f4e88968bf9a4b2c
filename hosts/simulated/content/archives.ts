// Archives that the host holds for the core. Their members are kept in memory.

import { HostFailure, faultyName, interrupted, joined, noSuch, tooLarge, wrongKind } from "../../shared/index.js";
import type { content, engine } from "../../shared/index.js";
import { digestOf } from "../../registry/index.js";
import { fromClient } from "../../streams/index.js";
import { decompressed } from "../../streams/compression/index.js";
import { TarReader, bytesOf, cleanName, endOfArchive, textOf, limitsOf, limited } from "../../streams/tar/index.js";
import type { TarEntry, TarSink, TarLimits } from "../../streams/tar/index.js";
import { contentOf, inode, type Inode } from "../files/inode.js";
import type { Change } from "../files/merge.js";
import { Share, type Space } from "../files/space.js";
import { ChangeTree } from "./change-tree.js";
import { FileBody } from "./file-body.js";
import { roomed } from "./room.js";

export class Archives {
  readonly #room: Space;
  readonly #archives = new Map<string, { tree: ChangeTree; share: Share }>();

  constructor(room: Space) {
    this.#room = room;
  }

  /**
   * Stores an archive completely or not at all. Returns its files, and the links that lead to files, sorted by name.
   */
  async ingest(
    { archive, limits }: content.Ingest,
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<engine.ArchivedFile[]> {
    return this.#make(archive, async (share, tree) => {
      const reader = new TarReader(new Members(tree, share, limitsOf(limits)));
      for await (const chunk of decompressed(fromClient(body, signal))) {
        if (signal.aborted) throw interrupted("given-up");
        await reader.push(chunk);
      }
      reader.end();
      return filesIn(tree);
    });
  }

  /** Stores a layer's tar completely or not at all. Returns its DiffID. Without any bytes, the tar is empty. */
  async receive(
    { archive, unpacked }: Pick<content.Receive, "archive" | "unpacked">,
    tar: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<string> {
    return this.#make(archive, async (share, tree) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of limited(decompressed(tar), unpacked)) {
        if (signal.aborted) throw interrupted("given-up");
        roomed(() => share.take(piece.length, LAYER_TAR));
        pieces.push(piece);
      }
      const given = joined(pieces);
      const bytes = given.length === 0 ? endOfArchive() : given;
      tree.put(tree.place(LAYER_TAR), inode("file", null, { bytes }));
      return digestOf(bytes);
    });
  }

  /** Makes an archive of one member. */
  async keep(archive: string, name: string, bytes: Uint8Array): Promise<void> {
    await this.#make(archive, async (share, tree) => {
      roomed(() => share.take(bytes.length, name));
      tree.put(tree.place(name), inode("file", null, { bytes }));
    });
  }

  /** Returns a member's bytes if it is no larger than the limit. */
  read({ limit, ...member }: content.ReadMember): Uint8Array {
    const bytes = this.member(member);
    if (bytes.length > limit) throw tooLarge("member", member.path, limit);
    return bytes;
  }

  /** Returns a member's bytes. Links are followed within the archive. */
  member({ archive, path }: content.Member): Uint8Array {
    const found = this.#archives.get(archive);
    if (!found) throw noSuch("archive", archive);
    const file = found.tree.find(textOf(cleanName(bytesOf(path))), true)?.change.file;
    if (!file) throw noSuch("member", path);
    if (file.kind !== "file") throw wrongKind("member", path);
    return contentOf(file);
  }

  drop(archive: string): void {
    this.#archives.get(archive)?.share.release();
    this.#archives.delete(archive);
  }

  /** Archives do not outlive the engine. */
  clear(): void {
    for (const archive of [...this.#archives.keys()]) this.drop(archive);
  }

  async #make<T>(archive: string, fill: (share: Share, tree: ChangeTree) => Promise<T>): Promise<T> {
    if (this.#archives.has(archive)) throw new HostFailure({ tag: "exists", val: { what: "archive", name: archive } });
    const [share, tree] = [new Share(this.#room), new ChangeTree()];
    try {
      const made = await fill(share, tree);
      this.#archives.set(archive, { tree, share });
      return made;
    } catch (error) {
      share.release();
      throw error;
    }
  }
}

/** The member of an archive that holds a layer's tar (core/wit/content.wit). */
const LAYER_TAR = "layer.tar";

/** Keeps files and links, but not owners, modes or times. */
class Members implements TarSink {
  readonly limits: TarLimits;
  readonly #tree: ChangeTree;
  readonly #body: FileBody;

  constructor(tree: ChangeTree, space: Space, limits: TarLimits) {
    this.limits = limits;
    this.#tree = tree;
    this.#body = new FileBody(space);
  }

  entry(entry: TarEntry): void {
    const name = textOf(cleanName(entry.name));
    if (name === "") return;
    const spot = this.#tree.place(name);
    const there = spot.directory.entries.get(spot.name)?.file;
    if (entry.type === "directory" && there?.kind === "directory") return;
    const file = this.#made(entry, name);
    if (file) this.#tree.put(spot, file);
    else spot.directory.entries.delete(spot.name);
  }

  data(piece: Uint8Array): void {
    this.#body.add(piece);
  }

  hole(size: number): void {
    this.#body.hole(size);
  }

  end(): void {
    this.#body.end();
  }

  /** Null for devices, which an archive does not need. */
  #made(entry: TarEntry, name: string): Inode | null {
    if (entry.type === "link") return this.#target(entry);
    if (entry.type === "symlink") return inode("symlink", null, { target: textOf(entry.target) });
    if (entry.type === "directory") return inode("directory", null);
    if (entry.type !== "file") return null;
    const file = inode("file", null);
    this.#body.begin(file, name);
    return file;
  }

  #target({ name, target }: TarEntry): Inode {
    const file = fileBehind(this.#tree, textOf(cleanName(target)), false);
    if (!file) throw faultyName("hard-link-to-other", textOf(name), textOf(target));
    return file;
  }
}

function filesIn(tree: ChangeTree): engine.ArchivedFile[] {
  const files: engine.ArchivedFile[] = [];
  const add = ({ entries }: Change, above: string): void => {
    for (const [name, change] of byBytes(entries)) {
      const path = `${above}${name}`;
      const file = change.file?.kind === "symlink" ? fileBehind(tree, path, true) : change.file;
      if (file?.kind === "file") files.push({ path, size: BigInt(file.size) });
      add(change, `${path}/`);
    }
  };
  add(tree.root, "");
  return files;
}

/** Undefined if the name leads to no file of the archive. */
function fileBehind(tree: ChangeTree, name: string, follow: boolean): Inode | undefined {
  try {
    const file = tree.find(name, follow)?.change.file;
    return file?.kind === "file" ? file : undefined;
  } catch (error) {
    if (error instanceof HostFailure) return undefined;
    throw error;
  }
}

/** Sorts by the bytes of the names. */
export function byBytes<T>(entries: ReadonlyMap<string, T>): [string, T][] {
  const keyed = [...entries].map(([name, value]) => ({ key: bytesOf(name), name, value }));
  keyed.sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0));
  return keyed.map(({ name, value }) => [name, value]);
}
