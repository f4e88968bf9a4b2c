// Partial blobs whose connection broke, kept until they are asked for again or dropped. They are files
// `rest-CHAIN-BLOB` beside the drafts, and the next start removes them.

import { rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { content } from "../../../hosts/shared/index.js";
import { namesIn } from "../../directories.js";
import { hexOf } from "./digests.js";

export class Rests {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Keeps a file's bytes as the partial blob of a layer; none may exist yet. */
  async keep(layer: content.Layer, from: string): Promise<void> {
    if ((await sizeOf(from)) > 0) await rename(from, this.#path(layer));
  }

  /** How many bytes are kept. */
  size(layer: content.Layer): Promise<number> {
    return sizeOf(this.#path(layer));
  }

  /** Moves the bytes to a path. */
  take(layer: content.Layer, to: string): Promise<void> {
    return rename(this.#path(layer), to);
  }

  /** Forgets a useless one. */
  forget(layer: content.Layer): Promise<void> {
    return rm(this.#path(layer), { force: true });
  }

  /** Forgets all partial blobs of a chain. */
  async drop(chain: string): Promise<void> {
    const own = prefixOf(chain);
    for (const name of namesIn(this.#directory)) {
      if (name.startsWith(own)) await rm(join(this.#directory, name), { force: true });
    }
  }

  #path({ chain, source }: content.Layer): string {
    const blob = source.tag === "registry" ? hexOf(source.val.digest) : "";
    return join(this.#directory, `${prefixOf(chain)}${blob}`);
  }
}

function prefixOf(chain: string): string {
  return `rest-${hexOf(chain)}-`;
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0;
}
