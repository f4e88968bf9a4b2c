// Makes one layer in one streaming pass: bytes → digest of the blob → decompress → DiffID → unpack. The blob is kept on
// the way. If a connection broke before, the bytes kept from it are read again, and only the rest is fetched.

import { createHash, type Hash } from "node:crypto";
import { chmodSync, createReadStream, mkdirSync } from "node:fs";
import { open, stat, type FileHandle } from "node:fs/promises";
import {
  HostFailure,
  cutShort,
  damaged,
  interrupted,
  isUnreachable,
  mismatch,
  noSuch,
} from "../../../hosts/shared/index.js";
import type { Report, content } from "../../../hosts/shared/index.js";
import type { BlobStream, Registry } from "../registry.js";
import type { Kernel } from "../../kernel.js";
import { decompressed } from "./decompress.js";
import { BlobHash } from "./digests.js";
import { TarKeeper } from "./kept-tar.js";
import type { LayerRecord, Layers } from "./layers.js";
import { findInLayers } from "./lower.js";
import { LayerProgress } from "../progress.js";
import type { Made, Unpacked, Workers } from "../threads/workers.js";
import { Unpacker } from "./unpacker.js";

export interface LayerDeps {
  layers: Layers;
  /** Runs `unpackLayer`. */
  workers: Workers;
  /** The path of an archive's member on disk. */
  member(member: content.Member): Buffer;
  /** See `Unpacked`. */
  spent(member: content.Member): string | null;
  /** Resolves when a chain that is being unpacked is complete; at once for any other. */
  settled(chain: string): Promise<void>;
}

/** Makes a layer, either all of it or nothing. Resolves to the size of its files in bytes. */
export async function makeLayer(
  layer: content.Layer,
  deps: LayerDeps,
  report: Report,
  signal: AbortSignal,
): Promise<number> {
  const { source } = layer;
  const reuses = source.tag === "registry" && (await deps.layers.has(source.val));
  if (!reuses) return made(layer, false, deps, report, signal);
  return made(layer, true, deps, report, signal).catch((error: unknown) => {
    // The disk has lost its bytes: the registry has them still, and they replace the bad ones.
    if (!makesNoSense(error)) throw error;
    return made(layer, false, deps, report, signal);
  });
}

/** `reuses`: takes the blob that is kept for another layer. */
async function made(
  layer: content.Layer,
  reuses: boolean,
  deps: LayerDeps,
  report: Report,
  signal: AbortSignal,
): Promise<number> {
  const { layers } = deps;
  const { source } = layer;
  const draft = await layers.draft();
  try {
    const member = source.tag === "archived" ? deps.member(source.val) : null;
    const spent = source.tag === "archived" ? deps.spent(source.val) : null;
    const wanted = { layer, draft, member, spent, reuses };
    let end = (): void => {};
    const over = new Promise<void>((resolve) => (end = resolve));
    const below = (): Promise<string[]> => layersBelow(layer, deps, over);
    const { file, ...unpacked } = await deps.workers.run("layer", wanted, { signal, report, below }).finally(end);
    const blob = source.tag === "registry" ? source.val.digest : null;
    const record = { parent: layer.parent ?? null, diffId: layer.diffId, ...unpacked, blob };
    if (layer.unflushed) await layers.keepUnflushed(layer.chain, draft, record, file);
    else await layers.keep(layer.chain, draft, record, file);
    return unpacked.size;
  } catch (error) {
    await layers.abandon(draft);
    throw error;
  }
}

/**
 * Directories of the layers below, the top first. Waits for those that are still being made. They stay where they are
 * until `over`.
 */
async function layersBelow(
  { parent }: content.Layer,
  { layers, settled }: LayerDeps,
  over: Promise<void>,
): Promise<string[]> {
  if (parent === undefined) return [];
  for (let at: string | null = parent; at !== null; at = layers.parent(at)) await settled(at);
  return layers.held(parent, over);
}

export interface UnpackDeps {
  layers: Pick<Layers, "reuse" | "rests">;
  kernel: Kernel;
  registry: Registry;
  report: Report;
  signal: AbortSignal;
  /** Directories of the layers below, the top first, once all of them are complete. */
  below(): Promise<string[]>;
}

/** Fetches and unpacks a layer. If it fails, what has arrived of its blob stays if it may be of use. */
export async function unpackLayer(wanted: Unpacked, deps: UnpackDeps): Promise<Made> {
  const { layer } = wanted;
  const source = await openSource(wanted, deps);
  try {
    return { ...(await unpack(wanted, source, deps)), file: source.blob };
  } catch (error) {
    const isOfUse = deps.signal.aborted || isUnreachable(error);
    if (layer.source.tag === "registry" && !isOfUse) await deps.layers.rests.forget(layer, layer.source.val);
    throw error;
  }
}

/** Where the bytes come from. */
interface Source {
  body: AsyncIterable<Uint8Array>;
  size: number;
  /** The digest to check; null if the bytes are our own. */
  digest: string | null;
  /** The file of the blob; null if the bytes are no blob. */
  blob: string | null;
  /** The same if the bytes are still to be written there; null if they are there already. */
  keep: string | null;
  /** How many bytes that file has already. */
  had: number;
  /** The file of the archive's member; null if the bytes are a blob and are kept as a blob. */
  member: Buffer | null;
}

async function openSource({ layer, draft, reuses, ...wanted }: Unpacked, deps: UnpackDeps): Promise<Source> {
  const { source } = layer;
  if (source.tag === "archived") {
    const member = wanted.member === null ? null : Buffer.from(wanted.member);
    if (member === null) throw noSuch("member", source.val.path);
    const { size } = await stat(member);
    return { body: createReadStream(member, READ), size, digest: null, blob: null, keep: null, had: 0, member };
  }
  const { digest, size } = source.val;
  const known = { size: Number(size), digest, member: null };
  const shared = `${draft}/blob`;
  if (reuses && (await deps.layers.reuse(source.val, shared))) {
    return { ...known, body: createReadStream(shared, READ), blob: shared, keep: null, had: 0 };
  }
  const { rests } = deps.layers;
  const keep = rests.path(layer, source.val);
  const arriving = { ...known, blob: keep, keep };
  const had = await rests.size(layer, source.val);
  const isComplete = had > 0 && had >= known.size;
  // It was being unpacked. After a loss of power its bytes may be others.
  if (isComplete && (await digestOfFile(keep, digest)) === digest) {
    return { ...arriving, body: createReadStream(keep, READ), keep: null, had: 0 };
  }
  const stream = await deps.registry.stream(source.val, deps.signal, isComplete ? 0 : had);
  if (stream.from > 0) return { ...arriving, body: wentOn(keep, stream), had: stream.from };
  await rests.forget(layer, source.val);
  return { ...arriving, body: stream.body, had: 0 };
}

/** By the algorithm of another digest. */
async function digestOfFile(path: string, like: string): Promise<string> {
  const hash = BlobHash.like(like);
  for await (const chunk of createReadStream(path, READ)) hash.update(chunk as Buffer);
  return hash.digest;
}

/** The kept bytes of a blob, then the rest of it. */
async function* wentOn(kept: string, blob: BlobStream): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(kept, { ...READ, end: blob.from - 1 });
    yield* blob.body;
  } finally {
    blob.cancel();
  }
}

async function unpack(
  { layer, draft, spent }: Unpacked,
  source: Source,
  deps: UnpackDeps,
): Promise<Pick<LayerRecord, "size" | "tar">> {
  const { signal } = deps;
  const progress = new LayerProgress(deps.report, source.size);
  const root = `${draft}/diff`;
  mkdirSync(root);
  chmodSync(root, 0o755);
  const unpacker = new Unpacker(root, deps.kernel, layer, spent);
  const keeper = new TarKeeper(unpacker, draft, source.member);
  const taken: Taken = { bytes: 0, failure: undefined };
  const hash = createHash("sha256");
  const bytes = received(source, progress, taken);
  try {
    for await (const chunk of decompressed(lent(bytes), true)) {
      if (signal.aborted) throw interrupted("given-up");
      hash.update(chunk);
      await keeper.push(chunk);
      progress.at("extracting", taken.bytes);
    }
    await keeper.end();
    await readOut(bytes);
  } catch (error) {
    // If the bytes cannot be decoded, check their digest first: most likely they are not the ones that were asked for.
    if (makesNoSense(error)) await readOut(bytes);
    throw taken.failure ?? error;
  } finally {
    unpacker.abandon();
    await keeper.abandon();
    await bytes.return(undefined);
  }
  const diffId = digestOf(hash);
  if (diffId !== layer.diffId) throw mismatch("diff-id", layer.diffId, diffId);
  await linkToLower(unpacker, deps);
  unpacker.finish();
  const tar = await keeper.keep();
  progress.end();
  return { size: unpacker.size, tar };
}

/** What is known about the source while its bytes are being read. */
interface Taken {
  bytes: number;
  /** Why the source failed. Its reader may have failed earlier, without seeing this. */
  failure: unknown;
}

/** The source's bytes, checked and kept. Fails after the last byte if the digest is wrong. */
async function* received(source: Source, progress: LayerProgress, taken: Taken): AsyncGenerator<Uint8Array> {
  const hash = source.digest === null ? null : BlobHash.like(source.digest);
  const file = source.keep === null ? null : await open(source.keep, source.had > 0 ? "a" : "wx", 0o600);
  progress.enter(file ? "downloading" : "extracting");
  try {
    let kept: Promise<void> = Promise.resolve();
    for await (const chunk of source.body) {
      taken.bytes += chunk.length;
      if (taken.bytes > source.size) break;
      hash?.update(chunk);
      await kept;
      kept = file && taken.bytes > source.had ? writeAll(file, chunk) : kept;
      // It is awaited before the next write. Until then its failure must not count as unhandled.
      kept.catch(() => {});
      if (file) progress.at("downloading", taken.bytes);
      yield chunk;
    }
    await kept;
    if (file) progress.enter("verifying");
    verify(source, taken.bytes, hash);
    if (file) progress.enter("downloaded");
    progress.enter("extracting");
  } catch (error) {
    taken.failure = error;
    throw error;
  } finally {
    await file?.close();
  }
}

/** Lends a source to a reader that may stop early, without ending the source. */
function lent(source: AsyncIterator<Uint8Array>): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => ({ next: () => source.next() }) };
}

/** Reads to the end, where the checks are. */
async function readOut(source: AsyncIterator<Uint8Array>): Promise<void> {
  while (!(await source.next()).done);
}

function verify({ digest, size, keep }: Source, received: number, hash: BlobHash | null): void {
  const isWhole = hash === null ? received === size : received <= size && hash.digest === digest;
  if (isWhole && received === size) return;
  // If the source is complete but shorter than announced, a retry would get the same bytes. A file of our own has no
  // other bytes.
  if (received < size && !isWhole) throw keep === null ? damaged("cut") : cutShort("blob", digest ?? "");
  throw mismatch("blob", digest ?? "");
}

/** Hard links to files of lower layers. They are rare, and the only reason for a layer to wait for those below. */
async function linkToLower(unpacker: Unpacker, { kernel, below }: UnpackDeps): Promise<void> {
  if (unpacker.lowerLinks.length === 0) return;
  const directories = await below();
  for (const link of unpacker.lowerLinks) unpacker.linkToLower(link, (name) => findInLayers(directories, name, kernel));
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) done += (await file.write(bytes, done)).bytesWritten;
}

function digestOf(hash: Hash): string {
  return `sha256:${hash.digest("hex")}`;
}

function makesNoSense(error: unknown): boolean {
  return error instanceof HostFailure && NO_SENSE.includes(error.failure.tag);
}

const NO_SENSE: readonly string[] = ["malformed", "wrong-kind", "too-large", "mismatch", "damaged", "faulty-name"];

const READ = { highWaterMark: 256 << 10 };
