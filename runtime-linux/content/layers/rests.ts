// Blobs while they arrive, in files `rest-CHAIN-BLOB` beside the drafts; the length of a digest tells its algorithm. If
// the connection breaks, the fetch is cancelled or the engine ends, the file stays, and the next fetch goes on where it
// ends.

import { rm, stat } from "node:fs/promises";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { content, engine } from "../../../hosts/shared/index.js";
import { namesIn } from "../../directories.js";
import { blobNames, hexOf } from "./digests.js";

export class Rests {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The file of a layer's blob. */
  path({ chain }: content.Layer, { digest }: content.RegistryBlob): string {
    return join(this.#directory, `${prefixOf(chain)}${blobNames(digest)[1]}`);
  }

  /** How many bytes have arrived. */
  async size(layer: content.Layer, blob: content.RegistryBlob): Promise<number> {
    return (await stat(this.path(layer, blob)).catch(() => null))?.size ?? 0;
  }

  /** Forgets a useless one. */
  forget(layer: content.Layer, blob: content.RegistryBlob): Promise<void> {
    return rm(this.path(layer, blob), { force: true });
  }

  /** Forgets all that has arrived for a chain. */
  async drop(chain: string): Promise<void> {
    const own = prefixOf(chain);
    for (const name of namesIn(this.#directory)) {
      if (name.startsWith(own)) await rm(join(this.#directory, name), { force: true });
    }
  }

  /** All that is of use: it has bytes, and its layer is not there. */
  found(isThere: (chain: string) => boolean): engine.FoundRest[] {
    const newest = new Map<string, bigint>();
    for (const name of namesIn(this.#directory)) {
      const chain = chainIn(name);
      if (chain === null || isThere(chain)) continue;
      const { size, mtimeNs } = statSync(join(this.#directory, name), { bigint: true });
      if (size > 0n && mtimeNs > (newest.get(chain) ?? -1n)) newest.set(chain, mtimeNs);
    }
    return [...newest].map(([chain, at]) => ({ chain, at }));
  }
}

function prefixOf(chain: string): string {
  return `rest-${hexOf(chain)}-`;
}

/** Null if it is the name of something else. */
export function chainIn(name: string): string | null {
  const hex = /^rest-([0-9a-f]{64})-[0-9a-f]{64,128}$/.exec(name)?.[1];
  return hex === undefined ? null : `sha256:${hex}`;
}
