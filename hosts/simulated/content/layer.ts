// Makes one layer: bytes → digest of the blob → decompression → DiffID → tree of changes. The blob is kept on the way.
// If the connection breaks, or the engine ends, the bytes received so far are kept, and only the rest is fetched.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { cutShort, isUnreachable, joined, mismatch, timeOfDay } from "../../shared/index.js";
import type { Clock, HostFailure, Report, content } from "../../shared/index.js";
import { digestLike } from "../../registry/index.js";
import type { RegistryClient } from "../../registry/index.js";
import { decompressed } from "../../streams/compression/index.js";
import { SplittingReader } from "../../streams/tar/index.js";
import type { SplitPart } from "../../streams/tar/index.js";
import type { Inode } from "../files/inode.js";
import type { Layers } from "../files/layers.js";
import type { Share } from "../files/space.js";
import { roomed } from "./room.js";
import { sleep } from "./sleep.js";
import { Unpacker } from "./unpacker.js";

export interface LayerDeps {
  layers: Layers;
  clock: Clock;
  registry: RegistryClient;
  /** Returns a member of an archive. */
  member(member: content.Member): Uint8Array;
  /** Resolves when a chain that is being unpacked is complete; at once for any other chain. */
  settled(chain: string): Promise<void>;
}

/** Makes a layer completely or not at all. Resolves to the size of its files in bytes. */
export async function makeLayer(
  layer: content.Layer,
  deps: LayerDeps,
  report: Report,
  signal: AbortSignal,
): Promise<number> {
  const { layers } = deps;
  const [room, blobRoom] = [layers.share(), layers.share()];
  try {
    const source = await fetched(layer, deps, blobRoom, report, signal);
    const { unpacker, tar } = await unpack(layer, source, room, deps, report, signal);
    const size = unpacker.size();
    const { parent = null, diffId, chain } = layer;
    const made = { parent, diffId, size, blob: source.digest, changes: unpacker.changes, tar };
    const kept = source.isNew ? { bytes: source.bytes, share: blobRoom } : null;
    if (layer.unflushed && kept === null) layers.keepUnflushed(chain, made, room);
    else layers.keep(chain, made, room, kept);
    return size;
  } catch (error) {
    room.release();
    blobRoom.release();
    throw error;
  }
}

/** A layer's bytes, after checking. */
interface Source {
  bytes: Uint8Array;
  /** Null if the layer comes from an archive. */
  digest: string | null;
  /** Whether the blob must still be stored. */
  isNew: boolean;
}

async function fetched(
  { chain, source }: content.Layer,
  deps: LayerDeps,
  room: Share,
  report: Report,
  signal: AbortSignal,
): Promise<Source> {
  if (source.tag === "archived") {
    return { bytes: deps.member(source.val), digest: null, isNew: false };
  }
  const { digest } = source.val;
  const kept = deps.layers.blob(digest);
  if (kept) return { bytes: kept, digest, isNew: false };
  const pieces: Uint8Array[] = [];
  try {
    await download(chain, source.val, pieces, deps, room, report, signal);
  } catch (error) {
    if (pieces.length > 0 && (signal.aborted || isUnreachable(error))) {
      deps.layers.rests.keep(chain, { digest, bytes: joined(pieces), at: timeOfDay(deps.clock) }, room);
    }
    throw error;
  }
  report("verifying", source.val.size, source.val.size);
  const bytes = joined(pieces);
  if (digestLike(digest, bytes) !== digest) throw refused(digest);
  report("downloaded", source.val.size, source.val.size);
  return { bytes, digest, isNew: true };
}

/** Yields the bytes of a blob as they arrive. */
async function download(
  chain: string,
  blob: content.RegistryBlob,
  pieces: Uint8Array[],
  { layers, registry }: LayerDeps,
  room: Share,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  const { body, from } = await registry.stream(blob, signal, layers.rests.size(chain, blob.digest));
  const rest = layers.rests.take(chain, room);
  if (from > 0 && rest) pieces.push(rest);
  else room.release();
  let received = from;
  report("downloading", BigInt(received), blob.size);
  for await (const piece of body) {
    received += piece.length;
    if (received > blob.size) throw refused(blob.digest);
    roomed(() => room.take(piece.length, `blobs/${blob.digest}`));
    pieces.push(piece);
    report("downloading", BigInt(received), blob.size);
  }
  if (received >= blob.size) return;
  // A blob that is complete but shorter than announced would arrive the same way again, so a retry is useless.
  throw digestLike(blob.digest, joined(pieces)) === blob.digest ? refused(blob.digest) : cutShort("blob", blob.digest);
}

function refused(digest: string): HostFailure {
  return mismatch("blob", digest);
}

async function unpack(
  layer: content.Layer,
  source: Source,
  room: Share,
  deps: LayerDeps,
  report: Report,
  signal: AbortSignal,
): Promise<{ unpacker: Unpacker; tar: SplitPart<Inode>[] }> {
  const unpacker = new Unpacker(room, layer);
  const reader = new SplittingReader(unpacker);
  const tar: SplitPart<Inode>[] = [];
  const hash = sha256.create();
  for await (const chunk of decompressed(inPieces(source.bytes, deps.clock, report, signal))) {
    hash.update(chunk);
    await reader.push(chunk);
    for (const part of reader.take()) {
      roomed(() => room.take(part.bytes.length, layer.chain));
      tar.push(part);
    }
  }
  reader.end();
  const diffId = `sha256:${bytesToHex(hash.digest())}`;
  if (diffId !== layer.diffId) throw mismatch("diff-id", layer.diffId, diffId);
  await linkToLower(unpacker, layer, deps);
  const total = BigInt(source.bytes.length);
  report("extracting", total, total);
  return { unpacker, tar };
}

/** Yields bytes at the speed at which the disk writes them. */
async function* inPieces(
  bytes: Uint8Array,
  clock: Clock,
  report: Report,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) {
    const piece = bytes.subarray(at, at + PIECE);
    report("extracting", BigInt(at), BigInt(bytes.length));
    await sleep(clock, BigInt(piece.length) * NS_PER_BYTE, signal);
    yield piece;
  }
}

/** Makes hard links into the layers below. Such links are rare, and only for them does a layer wait for those below. */
async function linkToLower(unpacker: Unpacker, { parent }: content.Layer, deps: LayerDeps): Promise<void> {
  if (!unpacker.needsLower) return;
  for (let at = parent ?? null; at !== null; at = deps.layers.parent(at)) await deps.settled(at);
  unpacker.linkToLower(deps.layers.tree(parent ?? null, { unflushed: true }));
}

/** Bytes that are unpacked at a time. */
const PIECE = 64 << 10;
/** 20 MB of compressed bytes per second. */
const NS_PER_BYTE = 50n;
