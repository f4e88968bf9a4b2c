// Layers on the simulated disk: each a tree of changes, kept apart from the one below, since that may come later.

import { noSuch } from "../../shared/failure.js";
import type { FramePart } from "../../streams/tar/frame.js";
import type { Inode } from "./inode.js";
import { merged, type Change } from "./merge.js";
import { Rests } from "./rests.js";
import { Share, type Space } from "./space.js";
import { withStubs } from "./stubs.js";

/** What is kept of a layer. */
export interface Layer {
  /** ChainID below it; null for the lowest. */
  parent: string | null;
  diffId: string;
  /** Bytes of its files. */
  size: number;
  /** Digest of the blob that it came as, kept; null when it came otherwise. */
  blob: string | null;
  changes: Change;
  /** Its tar: what stands between the contents of its files, and those. */
  tar: readonly FramePart<Inode>[];
}

export class Layers {
  /** Of blobs that broke off. */
  readonly rests = new Rests(() => this.share());
  readonly #room: Space;
  readonly #layers = new Map<string, Layer & { share: Share }>();
  /** Blobs as they were received. */
  readonly #blobs = new Map<string, { bytes: Uint8Array; share: Share }>();
  /** Trees of whole chains, with what containers need of places to mount on. */
  readonly #images = new Map<string, Inode>();

  readonly #programs: readonly string[];

  /** `programs`: names of those that every image is to have. */
  constructor(room: Space, programs: readonly string[] = []) {
    this.#room = room;
    this.#programs = programs;
  }

  /** ChainIDs of all whole layers. */
  all(): string[] {
    return [...this.#layers.keys()];
  }

  layer(chain: string): Layer | undefined {
    return this.#layers.get(chain);
  }

  /** Room for a layer or a blob that is on its way: to be handed to `keep`, or released. */
  share(): Share {
    return new Share(this.#room);
  }

  blob(digest: string): Uint8Array | undefined {
    return this.#blobs.get(digest)?.bytes;
  }

  /** `blob`: the bytes it came as, if they are not kept already, with the room they took. */
  keep(chain: string, layer: Layer, share: Share, blob: { bytes: Uint8Array; share: Share } | null): void {
    this.#layers.set(chain, { ...layer, share });
    if (blob === null || layer.blob === null) return;
    if (this.#blobs.has(layer.blob)) blob.share.release();
    else this.#blobs.set(layer.blob, blob);
  }

  /** Forgets a layer, or what is kept of it on its way; the blob too, when no other layer came from it. */
  drop(chain: string): void {
    this.rests.drop(chain);
    const layer = this.#layers.get(chain);
    if (!layer) return;
    layer.share.release();
    this.#layers.delete(chain);
    this.#images.delete(chain);
    if (layer.blob === null || [...this.#layers.values()].some(({ blob }) => blob === layer.blob)) return;
    this.#blobs.get(layer.blob)?.share.release();
    this.#blobs.delete(layer.blob);
  }

  /** The files of a chain, to be shared; null: of none. Throws `no-such` when a layer is missing. */
  image(chain: string | null): Inode {
    const key = chain ?? "";
    const image = this.#images.get(key) ?? withStubs(this.tree(chain), this.#programs);
    this.#images.set(key, image);
    return image;
  }

  /** The same without places to mount on. */
  tree(chain: string | null): Inode | null {
    const changes: Change[] = [];
    for (let at = chain; at !== null;) {
      const layer = this.#layers.get(at);
      if (!layer) throw noSuch("layer", at);
      changes.push(layer.changes);
      at = layer.parent;
    }
    return changes.reduceRight<Inode | null>((lower, change) => merged(lower, change), null);
  }
}
