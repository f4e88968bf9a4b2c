// What had come of layers' blobs when their connections broke, until they are asked for again or dropped: files
// `rest-CHAIN-BLOB` beside what is being made, which the next start removes.

import { rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { content } from "../../../hosts/shared/host.js";
import { namesIn } from "../../directories.js";
import { hexOf } from "./digests.js";

export class Rests {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Keeps a file's bytes as those of a layer; there may be no such file. */
  async keep(layer: content.Layer, from: string): Promise<void> {
    if ((await sizeOf(from)) > 0) await rename(from, this.#path(layer));
  }

  /** How many bytes are kept. */
  size(layer: content.Layer): Promise<number> {
    return sizeOf(this.#path(layer));
  }

  /** Moves them to a place. */
  take(layer: content.Layer, to: string): Promise<void> {
    return rename(this.#path(layer), to);
  }

  /** Forgets one that is of no use. */
  forget(layer: content.Layer): Promise<void> {
    return rm(this.#path(layer), { force: true });
  }

  /** Forgets all of a chain. */
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
