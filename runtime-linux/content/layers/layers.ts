// Unpacked layers on disk. Each chain has `layers/HEX/` with `diff/` (the files) and `layer.json` (the layer's record);
// after a container was mounted on it, `stubs/`; `frame` or `member`, which its tar needs too (kept-tar.ts); after it was
// sent to a registry, perhaps `sent.json` (upload.ts), and while it is sent or if that broke off, `begun-HEX.json` for
// each repository (begun-upload.ts). A layer appears there complete, by one rename. `layers/tmp/` holds layers that are
// being made or removed, or wait for their flush, and blobs that are arriving (rests.ts). Blobs as received are in `blobs/ALGORITHM/HEX`.

import { existsSync, readFileSync } from "node:fs";
import { link, mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { noSuch } from "../../../hosts/shared/index.js";
import type { engine } from "../../../hosts/shared/index.js";
import { makeLasting, makeSpread, namesIn, removeEmpty, removeTree, syncPath } from "../../directories.js";
import type { Kernel } from "../../kernel.js";
import type { Paths } from "../../paths.js";
import type { Swept } from "../../swept.js";
import { ALGORITHMS, blobNames, hexOf, isBlobDigest, isDigest } from "./digests.js";
import { Flushes } from "./flushes.js";
import type { KeptTar } from "./kept-tar.js";
import { Moves } from "./moves.js";
import { chainIn, Rests } from "./rests.js";

/** The record of a layer. */
export interface LayerRecord {
  /** ChainID of the parent. */
  parent: string | null;
  diffId: string;
  /** Size of its files in bytes. */
  size: number;
  /** Digest of the kept blob that the layer came from; null if it came another way. */
  blob: string | null;
  /** What is kept to rebuild its tar. Missing in layers of older engines, which have their blob at most. */
  tar?: KeptTar;
}

/** A layer that may not be on disk yet. */
interface Unflushed {
  readonly draft: string;
  /** Where it is. A crash leaves a draft, or a layer that has a name because its flush was ending. */
  place: string;
  /** Where the older layer is that it has replaced, until that is certain. */
  replaced: string | null;
  readonly record: LayerRecord;
  /** The file of the blob that the record names. */
  readonly blob: string | null;
}

export class Layers {
  /** Blobs that are arriving, or broke off. */
  readonly rests: Rests;
  readonly #paths: Paths;
  readonly #kernel: Kernel;
  #records: Map<string, LayerRecord> | undefined;
  readonly #unflushed = new Map<string, Unflushed>();
  readonly #flushes: Flushes;
  readonly #moves = new Moves();
  /** Chains that are being dropped. */
  readonly #drops = new Map<string, Promise<void>>();

  /** `records`: of the layers to know; by default they are read from disk. */
  constructor(paths: Paths, kernel: Kernel, records?: Map<string, LayerRecord>) {
    this.#paths = paths;
    this.#kernel = kernel;
    this.#records = records;
    this.#flushes = new Flushes(kernel);
    this.rests = new Rests(paths.layers("tmp"));
  }

  /** ChainIDs of all complete layers. */
  all(): string[] {
    return [...this.#known().keys()];
  }

  /** Beginnings of layers that are not complete. */
  restsFound(): engine.FoundRest[] {
    return this.rests.found((chain) => this.record(chain) !== undefined);
  }

  record(chain: string): LayerRecord | undefined {
    return this.#known().get(chain);
  }

  /** A layer with its record. Throws `no-such`. */
  known(chain: string): { chain: string; record: LayerRecord } {
    const record = this.record(chain);
    if (!record) throw noSuch("layer", chain);
    return { chain, record };
  }

  /** Directories of a chain's layers, the top first. Throws `no-such`. */
  stack(chain: string): string[] {
    return this.#stack(chain, () => undefined);
  }

  /** The same, unflushed ones too. None of them moves until `over`: a name that is not found would count as deleted. */
  held(chain: string, over: Promise<void>): Promise<string[]> {
    return this.#moves.held(() => this.#stack(chain, (at) => this.#unflushed.get(at)), over);
  }

  #stack(chain: string, unflushedOf: (chain: string) => Unflushed | undefined): string[] {
    const stack: string[] = [];
    for (let at: string | null = chain; at !== null;) {
      const unflushed = unflushedOf(at);
      const record: LayerRecord | undefined = unflushed?.record ?? this.record(at);
      if (!record) throw noSuch("layer", at);
      stack.push(join(unflushed?.place ?? this.directory(at), "diff"));
      at = record.parent;
    }
    return stack;
  }

  /** The layer below one that may be unflushed; null if there is none, or no such layer. */
  parent(chain: string): string | null {
    return (this.#unflushed.get(chain)?.record ?? this.record(chain))?.parent ?? null;
  }

  /** The lower directories of a container: its chain, and the stubs on top once it was mounted. */
  lower(chain: string | undefined): string[] {
    const stubs = this.stubs(chain);
    const stack = chain === undefined ? [] : this.stack(chain);
    return existsSync(stubs) ? [stubs, ...stack] : stack;
  }

  /** The directory of the stubs for a chain's containers. Without a chain: for containers that have no layers. */
  stubs(chain: string | undefined): string {
    return chain === undefined ? this.#paths.layers("none", "stubs") : this.directory(chain, "stubs");
  }

  /** The path of a layer's directory, or of something in it. */
  directory(chain: string, ...name: string[]): string {
    return this.#paths.layers(hexOf(chain), ...name);
  }

  /** A new directory for a layer, to `keep` or to `abandon`. Only root can read it, like all layers. */
  async draft(): Promise<string> {
    const draft = await this.scratch();
    try {
      this.#flushes.begin(draft);
      return draft;
    } catch (error) {
      await removeTree(draft);
      throw error;
    }
  }

  async abandon(draft: string): Promise<void> {
    this.#flushes.end(draft);
    await removeTree(draft);
  }

  /** A new directory for what is never flushed. If it is left there, `sweep` removes it. */
  async scratch(): Promise<string> {
    await makeLasting(this.#paths.layers("tmp"), 0o700);
    makeSpread(this.#paths.layers("tmp"), 0o700, this.#kernel);
    return mkdtemp(this.#paths.layers("tmp", "draft-"));
  }

  /** Whether a blob is kept. */
  async has({ digest, size }: { digest: string; size: bigint }): Promise<boolean> {
    return (await stat(this.blob(digest)).catch(() => null))?.size === Number(size);
  }

  /** Puts a kept blob into a draft; false if the blob is not kept any more. */
  async reuse({ digest }: { digest: string }, place: string): Promise<boolean> {
    return link(this.blob(digest), place).then(
      () => true,
      () => false,
    );
  }

  /** Makes a layer of a draft with a `diff`. `blob`: the file of the blob that the record names. */
  async keep(chain: string, draft: string, record: LayerRecord, blob: string | null = null): Promise<void> {
    await this.keepUnflushed(chain, draft, record, blob);
    try {
      await this.flush([chain]);
    } catch (error) {
      await this.#dropUnflushed(chain);
      throw error;
    }
  }

  /** The same, except that the layer is there for those above it only, until `flush`. */
  async keepUnflushed(chain: string, draft: string, record: LayerRecord, blob: string | null = null): Promise<void> {
    await writeFile(`${draft}/layer.json`, JSON.stringify(record), { flag: "wx", mode: 0o600 });
    await this.#dropUnflushed(chain);
    this.#unflushed.set(chain, { draft, place: draft, replaced: null, record, blob });
  }

  /**
   * Makes layers complete. Their contents are on disk before they get their names, and the names are on disk before this
   * resolves, because the image is recorded after that.
   */
  async flush(chains: readonly string[]): Promise<void> {
    const missing = chains.find((chain) => !this.#unflushed.has(chain) && this.record(chain) === undefined);
    if (missing !== undefined) throw noSuch("layer", missing);
    const layers = chains.flatMap((chain) => {
      const unflushed = this.#unflushed.get(chain);
      return unflushed === undefined ? [] : [{ chain, unflushed }];
    });
    if (layers.length === 0) return;
    try {
      await this.#flushes.flush(layers.map(({ unflushed }) => unflushed.draft));
      await this.#moves.move(async () => {
        for (const { chain, unflushed } of layers) await this.#name(chain, unflushed);
      });
      await syncPath(this.#paths.layers());
    } catch (error) {
      // An older layer that was to be replaced may still be of use.
      for (const { chain } of layers) if (this.record(chain) !== undefined) await this.#dropUnflushed(chain);
      throw error;
    }
    for (const { chain, unflushed } of layers) {
      this.#unflushed.delete(chain);
      this.#known().set(chain, unflushed.record);
    }
    for (const { chain, unflushed } of layers) {
      this.#flushes.end(unflushed.draft);
      await this.rests.drop(chain);
    }
  }

  /** It may have its name already, from a flush that failed. */
  async #name(chain: string, unflushed: Unflushed): Promise<void> {
    const { place, record, blob } = unflushed;
    const directory = this.directory(chain);
    if (place === directory) return;
    if (record.blob !== null && blob !== null) await this.#keepBlob(blob, record.blob);
    if (existsSync(directory)) await this.#replace(directory, unflushed);
    else await rename(place, directory);
    unflushed.place = directory;
  }

  /** At each moment one of both has the name. Containers may still run on the older one. */
  async #replace(directory: string, unflushed: Unflushed): Promise<void> {
    const aside = await this.#aside();
    await rename(unflushed.place, aside);
    unflushed.place = aside;
    unflushed.replaced = await this.#exchange(aside, directory);
  }

  /** Not every file system can do it at once. Returns where the older one is then. */
  async #exchange(aside: string, directory: string): Promise<string> {
    try {
      this.#kernel.exchange(aside, directory);
      return aside;
    } catch (error) {
      if (!["EINVAL", "ENOSYS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
      const older = await this.#aside();
      await rename(directory, older);
      await rename(aside, directory).catch(async (failure: unknown) => {
        await rename(older, directory);
        throw failure;
      });
      return older;
    }
  }

  /** Forgets a layer, or what is kept of an incomplete one. The blob goes too if no other layer came from it. */
  async drop(chain: string): Promise<void> {
    const before = this.dropped(chain) ?? Promise.resolve();
    const drop = before.then(() => this.#drop(chain));
    this.#drops.set(chain, drop);
    try {
      await drop;
    } finally {
      if (this.#drops.get(chain) === drop) this.#drops.delete(chain);
    }
  }

  /** If a chain is being dropped: resolves when that is done. A chain made after that stays. */
  dropped(chain: string): Promise<void> | undefined {
    return this.#drops.get(chain)?.catch(() => {});
  }

  async #drop(chain: string): Promise<void> {
    await this.rests.drop(chain);
    await this.#dropUnflushed(chain);
    const record = this.record(chain);
    if (!record) return;
    const trash = await this.scratch();
    await this.#moves.move(() => rename(this.directory(chain), `${trash}/layer`));
    this.#known().delete(chain);
    const shared = [...this.#known().values()].some(({ blob }) => blob === record.blob);
    if (record.blob !== null && !shared) await rm(this.blob(record.blob), { force: true });
    await removeTree(trash);
  }

  async #dropUnflushed(chain: string): Promise<void> {
    const unflushed = this.#unflushed.get(chain);
    if (unflushed === undefined) return;
    const trash = await this.#moves.move(async () => {
      this.#unflushed.delete(chain);
      return this.#withdraw(chain, unflushed);
    });
    this.#flushes.end(unflushed.draft);
    if (trash !== null) await removeTree(trash);
  }

  /**
   * Takes a layer's name from it: under that, it would be taken for complete after a crash. The name goes back to the
   * layer that it replaced. Returns the directory to remove; null if a container may run on it by now.
   */
  async #withdraw(chain: string, { place, replaced }: Unflushed): Promise<string | null> {
    const directory = this.directory(chain);
    if (place !== directory) return place;
    if (replaced === null) {
      const trash = await this.scratch();
      await rename(place, `${trash}/layer`);
      return trash;
    }
    await this.#exchange(replaced, directory).catch(async () => {
      // If the disk refuses that, too, there is no such layer any more.
      this.#known().delete(chain);
      await rename(directory, await this.#aside());
    });
    return null;
  }

  /**
   * Removes what a crash has left: drafts, and blobs without a layer. Blobs that were arriving stay. `mounted`: some
   * container has its files mounted.
   */
  async sweep(swept: Swept, mounted: boolean): Promise<void> {
    const drafts = this.#paths.layers("tmp");
    for (const { draft } of this.#unflushed.values()) this.#flushes.end(draft);
    this.#unflushed.clear();
    for (const name of namesIn(drafts)) {
      const chain = chainIn(name);
      if (chain !== null && this.record(chain) === undefined) continue;
      if (mounted && name.startsWith(REPLACED)) continue;
      swept(join(drafts, name), "a layer was being made, or removed");
      await removeTree(join(drafts, name));
    }
    await removeEmpty(drafts);
    const wanted = new Set([...this.#known().values()].map(({ blob }) => blob));
    for (const algorithm of ALGORITHMS) {
      for (const name of namesIn(this.#paths.blobs(algorithm))) {
        const digest = `${algorithm}:${name}`;
        if (wanted.has(digest)) continue;
        swept(this.#paths.blobs(algorithm, name), "no layer came from it");
        await rm(this.#paths.blobs(algorithm, name), { recursive: true, force: true });
      }
    }
  }

  /** Read only once, because nobody else writes here. */
  #known(): Map<string, LayerRecord> {
    if (this.#records) return this.#records;
    this.#records = new Map();
    for (const name of namesIn(this.#paths.layers())) {
      const record = /^[0-9a-f]{64}$/.test(name) ? readRecord(this.#paths.layers(name, "layer.json")) : undefined;
      if (record) this.#records.set(`sha256:${name}`, record);
    }
    return this.#records;
  }

  /** The path of a received blob. */
  blob(digest: string): string {
    return this.#paths.blobs(...blobNames(digest));
  }

  /**
   * A place for a layer that is replaced, or for a directory whose `layer.json` cannot be read. Containers may still run on
   * it, so a sweep removes it once none does.
   */
  async #aside(): Promise<string> {
    await makeLasting(this.#paths.layers("tmp"), 0o700);
    return `${await mkdtemp(this.#paths.layers("tmp", REPLACED))}/layer`;
  }

  async #keepBlob(from: string, digest: string): Promise<void> {
    const directory = this.#paths.blobs(blobNames(digest)[0]);
    await makeLasting(directory, 0o700);
    await rename(from, this.blob(digest));
    await syncPath(directory);
    // If both names belong to one file, rename(2) does nothing.
    await rm(from, { force: true });
  }
}

/** What names of layers begin with that were replaced. */
const REPLACED = "replaced-";

/** Undefined if the file is unreadable: then there is no layer. */
function readRecord(path: string): LayerRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(path, "utf8")) as LayerRecord | null;
    if (record === null || typeof record.size !== "number") return undefined;
    const isOwn = isDigest(record.diffId) && (record.parent === null || isDigest(record.parent));
    return isOwn && (record.blob === null || isBlobDigest(record.blob)) ? record : undefined;
  } catch {
    return undefined;
  }
}
