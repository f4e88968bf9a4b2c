// Layers on the simulated disk. Each is a tree of changes, kept apart from the layer below, which may arrive later.

import { noSuch } from "../../shared/index.js";
import type { SplitPart } from "../../streams/tar/index.js";
import type { Inode } from "./inode.js";
import { merged, type Change } from "./merge.js";
import { Rests } from "./rests.js";
import { Share, type Space } from "./space.js";
import { withStubs } from "./stubs.js";

/** What the disk keeps of a layer. */
export interface Layer {
  /** ChainID of the layer below; null for the lowest. */
  parent: string | null;
  diffId: string;
  /** Size of its files in bytes. */
  size: number;
  /** Digest of the blob that it was unpacked from, which is kept; null if it came another way. */
  blob: string | null;
  changes: Change;
  /** Its tar as parts: the bytes between the files' contents, and references to the contents. */
  tar: readonly SplitPart<Inode>[];
}

export class Layers {
  /** Beginnings of blobs whose download broke off. */
  readonly rests = new Rests(() => this.share());
  readonly #room: Space;
  readonly #layers = new Map<string, Layer & { share: Share }>();
  /** Those that a crash takes away. */
  readonly #unflushed = new Map<string, Layer & { share: Share }>();
  /** Blobs as they were received. */
  readonly #blobs = new Map<string, { bytes: Uint8Array; share: Share }>();
  /** Trees of whole chains, with the mount points that containers need. */
  readonly #images = new Map<string, Inode>();

  readonly #programs: readonly string[];

  /** `programs`: names of programs that every image gets. */
  constructor(room: Space, programs: readonly string[] = []) {
    this.#room = room;
    this.#programs = programs;
  }

  /** ChainIDs of all complete layers. */
  all(): string[] {
    return [...this.#layers.keys()];
  }

  layer(chain: string): Layer | undefined {
    return this.#layers.get(chain);
  }

  /** Room for a layer or a blob that is still arriving. The caller passes it to `keep` or releases it. */
  share(): Share {
    return new Share(this.#room);
  }

  blob(digest: string): Uint8Array | undefined {
    return this.#blobs.get(digest)?.bytes;
  }

  /** `blob`: the bytes that the layer was unpacked from and the room they took; used if they are not stored already. */
  keep(chain: string, layer: Layer, share: Share, blob: { bytes: Uint8Array; share: Share } | null): void {
    this.rests.drop(chain);
    this.#layers.get(chain)?.share.release();
    this.#layers.set(chain, { ...layer, share });
    if (blob === null || layer.blob === null) return;
    if (this.#blobs.has(layer.blob)) blob.share.release();
    else this.#blobs.set(layer.blob, blob);
  }

  /** The layer is there for those above it only, until `flush`. */
  keepUnflushed(chain: string, layer: Layer, share: Share): void {
    this.#unflushed.get(chain)?.share.release();
    this.#unflushed.set(chain, { ...layer, share });
  }

  /** Throws `no-such` if a layer is missing. */
  flush(chains: readonly string[]): void {
    const missing = chains.find((chain) => !this.#unflushed.has(chain) && !this.#layers.has(chain));
    if (missing !== undefined) throw noSuch("layer", missing);
    for (const chain of chains) {
      const unflushed = this.#unflushed.get(chain);
      if (unflushed === undefined) continue;
      this.#unflushed.delete(chain);
      this.keep(chain, unflushed, unflushed.share, null);
    }
  }

  /** The engine is gone, and what was not flushed with it. */
  dropUnflushed(): void {
    for (const { share } of this.#unflushed.values()) share.release();
    this.#unflushed.clear();
  }

  /** Removes a layer, or what has been received of it. Removes its blob too if no other layer came from it. */
  drop(chain: string): void {
    this.rests.drop(chain);
    this.#unflushed.get(chain)?.share.release();
    this.#unflushed.delete(chain);
    const layer = this.#layers.get(chain);
    if (!layer) return;
    layer.share.release();
    this.#layers.delete(chain);
    this.#images.delete(chain);
    if (layer.blob === null || [...this.#layers.values()].some(({ blob }) => blob === layer.blob)) return;
    this.#blobs.get(layer.blob)?.share.release();
    this.#blobs.delete(layer.blob);
  }

  /** The layer below one that may be unflushed; null if there is none, or no such layer. */
  parent(chain: string): string | null {
    return (this.#unflushed.get(chain) ?? this.#layers.get(chain))?.parent ?? null;
  }

  /** The files of a chain, to be shared; null stands for no image. Throws `no-such` if a layer is missing. */
  image(chain: string | null): Inode {
    const key = chain ?? "";
    const image = this.#images.get(key) ?? withStubs(this.tree(chain), this.#programs);
    this.#images.set(key, image);
    return image;
  }

  /** The same without mount points. `unflushed`: such layers count, too. */
  tree(chain: string | null, { unflushed }: { unflushed: boolean } = { unflushed: false }): Inode | null {
    const changes: Change[] = [];
    for (let at = chain; at !== null;) {
      const layer = (unflushed ? this.#unflushed.get(at) : undefined) ?? this.#layers.get(at);
      if (!layer) throw noSuch("layer", at);
      changes.push(layer.changes);
      at = layer.parent;
    }
    return changes.reduceRight<Inode | null>((lower, change) => merged(lower, change), null);
  }
}
