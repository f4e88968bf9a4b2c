// The tars of unpacked layers, byte for byte as they arrived: see `kept-tar.ts`.

import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { damaged, mismatch, noSuch } from "../../../hosts/shared/index.js";
import type { HostFailure } from "../../../hosts/shared/index.js";
import { textOf } from "../../../hosts/streams/tar/index.js";
import type { LayerTars } from "../../../hosts/streams/tar/index.js";
import { Confined } from "../files/confined.js";
import { decompressed } from "./decompress.js";
import { bodyOf, PIECE, readSmall, SMALL } from "../files/file-bytes.js";
import { readTarSplit } from "./tar-split.js";
import { FRAME, MEMBER } from "./kept-tar.js";
import type { LayerRecord, Layers } from "./layers.js";

export function layerTars(layers: Layers): LayerTars {
  return {
    size: async (chain) => {
      const record = recordOf(chain, layers);
      record.tar ??= { size: await lengthOf(tarOf(chain, record, layers)), as: "blob" };
      return record.tar.size;
    },
    tar: (chain) => {
      const record = recordOf(chain, layers);
      return checked(batched(tarOf(chain, record, layers)), record);
    },
  };
}

function recordOf(chain: string, layers: Layers): LayerRecord {
  const record = layers.record(chain);
  if (!record) throw noSuch("layer", chain);
  return record;
}

/** A layer made by an engine that did not keep tars yet has a tar only if it has a blob. */
function tarOf(chain: string, { tar, blob }: LayerRecord, layers: Layers): AsyncIterable<Uint8Array> {
  if (blob !== null) return decompressed(fs.createReadStream(layers.blob(blob), READ));
  if (tar?.as === "member") return decompressed(fs.createReadStream(layers.directory(chain, MEMBER), READ));
  if (tar) return filled(layers.directory(chain, FRAME), layers.directory(chain, "diff"));
  throw noSuch("layer-tar", chain);
}

/** The frame, filled with the contents of its files. */
async function* filled(frame: string, root: string): AsyncGenerator<Uint8Array> {
  const tree = new Confined(root);
  for await (const { bytes, place, size } of readTarSplit(frame)) {
    yield bytes;
    if (place === null) continue;
    const file = openFile(tree, place, size);
    try {
      if (size <= SMALL) yield readSmall(file, size);
      else yield* bodyOf(file, size);
    } finally {
      fs.closeSync(file);
    }
  }
}

/** Opens the file exactly where it was put; no link is followed. */
function openFile(tree: Confined, place: string, size: number): number {
  if (tree.resolve(place) !== place) throw changed(place);
  const file = fs.openSync(tree.path(place), TO_READ);
  const stat = fs.fstatSync(file);
  if (stat.isFile() && stat.size === size) return file;
  fs.closeSync(file);
  throw changed(place);
}

function changed(place: string): HostFailure {
  return damaged("layer-file", textOf(place));
}

/** Joins small pieces. A large piece stays valid as long as it did before. */
async function* batched(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let [small, size]: [Uint8Array[], number] = [[], 0];
  for await (const piece of pieces) {
    const isLarge = piece.length > SMALL;
    if (!isLarge) small.push(piece);
    if (!isLarge) size += piece.length;
    if (size > 0 && (isLarge || size >= PIECE)) {
      yield Buffer.concat(small);
      [small, size] = [[], 0];
    }
    if (isLarge) yield piece;
  }
  if (size > 0) yield Buffer.concat(small);
}

/** Passes the tar through, and fails before its end if its digest is wrong. */
async function* checked(pieces: AsyncIterable<Uint8Array>, { diffId }: LayerRecord): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
  const actual = `sha256:${hash.digest("hex")}`;
  if (actual !== diffId) throw mismatch("kept-tar", diffId, actual);
}

async function lengthOf(pieces: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0;
  for await (const piece of pieces) length += piece.length;
  return length;
}

const TO_READ = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;
const READ = { highWaterMark: 256 << 10 };
