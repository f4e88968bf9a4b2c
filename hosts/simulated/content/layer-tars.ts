// Rebuilds the tars of the simulated disk's layers, byte for byte as they arrived.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { mismatch, noSuch } from "../../shared/index.js";
import type { content } from "../../shared/index.js";
import type { LayerTars } from "../../streams/tar/index.js";
import { contentOf } from "../files/inode.js";
import type { Layer, Layers } from "../files/layers.js";

export function layerTars(layers: Layers): LayerTars {
  return {
    size: async (chain) => layerOf(chain, layers).tar.reduce((sum, { bytes, size }) => sum + bytes.length + size, 0),
    tar: (chain) => tarOf(layerOf(chain, layers)),
  };
}

/** Its size in bytes. Fails, if all of it is to be read, if it does not match the DiffID. */
export async function measuredTar({ chain, verify }: content.MeasuredTar, layers: Layers): Promise<number> {
  const tars = layerTars(layers);
  let size = 0;
  if (!verify) return tars.size(chain);
  for await (const piece of tars.tar(chain)) size += piece.length;
  return size;
}

function layerOf(chain: string, layers: Layers): Layer {
  const layer = layers.layer(chain);
  if (!layer) throw noSuch("layer", chain);
  return layer;
}

/** Throws at its end if the bytes do not match the DiffID. */
async function* tarOf({ tar, diffId }: Layer): AsyncGenerator<Uint8Array> {
  const hash = sha256.create();
  for (const { bytes, place } of tar) {
    for (const piece of place === null ? [bytes] : [bytes, contentOf(place)]) {
      hash.update(piece);
      yield piece;
    }
  }
  const actual = `sha256:${bytesToHex(hash.digest())}`;
  if (actual !== diffId) throw mismatch("kept-tar", diffId, actual);
}
