// One layer, in one streaming pass: bytes → digest of the blob → decompress → DiffID → unpack, the blob kept on the way.
// What had come of a blob when its connection broke is read again, and the rest fetched.

import { createHash, type Hash } from "node:crypto";
import { chmodSync, createReadStream, mkdirSync } from "node:fs";
import { open, rm, stat, type FileHandle } from "node:fs/promises";
import { cutShort, damaged, HostFailure, interrupted, isUnreachable, mismatch } from "../../../hosts/shared/failure.js";
import type { content, Report } from "../../../hosts/shared/host.js";
import type { BlobStream, Registry } from "../registry.js";
import type { Kernel } from "../../kernel.js";
import { decompressed } from "./decompress.js";
import { TarKeeper } from "./kept-tar.js";
import type { LayerRecord, Layers } from "./layers.js";
import { findInLayers } from "./lower.js";
import { LayerProgress } from "../progress.js";
import { Unpacker } from "./unpacker.js";

export interface LayerDeps {
  layers: Layers;
  kernel: Kernel;
  registry: Registry;
  /** Where an archive's member stands on disk. */
  member(member: content.Member): Buffer;
  /** Resolves when a chain that is being unpacked is whole; at once for any other. */
  settled(chain: string): Promise<void>;
}

/** Makes a layer, whole or not at all. Resolves to the bytes of its files. */
export async function makeLayer(
  layer: content.Layer,
  deps: LayerDeps,
  report: Report,
  signal: AbortSignal,
): Promise<number> {
  const { layers } = deps;
  const draft = await layers.draft();
  try {
    const source = await openSource(layer, draft, deps, signal);
    const made = await unpack(layer, draft, source, deps, new LayerProgress(report, source.size), signal);
    const blob = layer.source.tag === "registry" ? layer.source.val.digest : null;
    await layers.keep(layer.chain, draft, { parent: layer.parent ?? null, diffId: layer.diffId, ...made, blob });
    return made.size;
  } catch (error) {
    if (layer.source.tag === "registry" && isUnreachable(error)) await layers.rests.keep(layer, `${draft}/blob`);
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

/** Where the bytes come from. */
interface Source {
  body: AsyncIterable<Uint8Array>;
  size: number;
  /** To be compared with what comes; null when the bytes are ours. */
  digest: string | null;
  /** File to keep them in; null when they are kept already. */
  keep: string | null;
  /** So many of them are in it. */
  had: number;
  /** File of the archive's member that they are; null: they are a blob, and kept as that. */
  member: Buffer | null;
}

async function openSource(layer: content.Layer, draft: string, deps: LayerDeps, signal: AbortSignal): Promise<Source> {
  const { source } = layer;
  if (source.tag === "archived") {
    const member = deps.member(source.val);
    const { size } = await stat(member);
    return { body: createReadStream(member, READ), size, digest: null, keep: null, had: 0, member };
  }
  const { digest, size } = source.val;
  const known = { size: Number(size), digest, member: null };
  const keep = `${draft}/blob`;
  if (await deps.layers.reuse(source.val, keep)) {
    return { ...known, body: createReadStream(keep, READ), keep: null, had: 0 };
  }
  const { rests } = deps.layers;
  const blob = await deps.registry.stream(source.val, signal, await rests.size(layer));
  if (blob.from === 0) {
    await rests.forget(layer);
    return { ...known, body: blob.body, keep, had: 0 };
  }
  await rests.take(layer, keep);
  return { ...known, body: wentOn(keep, blob), keep, had: blob.from };
}

/** What is kept of a blob, and then the rest of it. */
async function* wentOn(kept: string, blob: BlobStream): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(kept, { ...READ, end: blob.from - 1 });
    yield* blob.body;
  } finally {
    blob.cancel();
  }
}

async function unpack(
  layer: content.Layer,
  draft: string,
  source: Source,
  deps: LayerDeps,
  progress: LayerProgress,
  signal: AbortSignal,
): Promise<Pick<LayerRecord, "size" | "tar">> {
  const root = `${draft}/diff`;
  mkdirSync(root);
  chmodSync(root, 0o755);
  const unpacker = new Unpacker(root, deps.kernel, layer.parent !== undefined);
  const keeper = new TarKeeper(unpacker, draft, source.member);
  const taken: Taken = { bytes: 0, failure: undefined };
  const hash = createHash("sha256");
  const bytes = received(source, progress, taken);
  try {
    for await (const chunk of decompressed(lent(bytes))) {
      if (signal.aborted) throw interrupted("given-up");
      hash.update(chunk);
      await keeper.push(chunk);
      progress.at("extracting", taken.bytes);
    }
    await keeper.end();
    await unpacker.settled();
    await readOut(bytes);
  } catch (error) {
    // Bytes that make no sense are, first of all, not those that were asked for.
    if (makesNoSense(error)) await readOut(bytes);
    throw taken.failure ?? error;
  } finally {
    await unpacker.abandon();
    await keeper.abandon();
    await bytes.return(undefined);
  }
  const diffId = digestOf(hash);
  if (diffId !== layer.diffId) throw mismatch("diff-id", layer.diffId, diffId);
  await linkToLower(unpacker, layer, deps);
  unpacker.finish();
  const tar = await keeper.keep();
  progress.end();
  return { size: unpacker.size, tar };
}

/** What is known of the source while it is read by others. */
interface Taken {
  bytes: number;
  /** How it failed; its reader may have failed before, and not have been told. */
  failure: unknown;
}

/** The source's bytes, checked and kept; fails when they are not what they should be, after the last of them. */
async function* received(source: Source, progress: LayerProgress, taken: Taken): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  const file = source.keep === null ? null : await open(source.keep, source.had > 0 ? "a" : "wx", 0o600);
  progress.enter(file ? "downloading" : "extracting");
  try {
    let kept: Promise<void> = Promise.resolve();
    for await (const chunk of source.body) {
      taken.bytes += chunk.length;
      if (taken.bytes > source.size) break;
      if (source.digest !== null) hash.update(chunk);
      await kept;
      kept = file && taken.bytes > source.had ? writeAll(file, chunk) : kept;
      // It is waited for before the next; until then its failure is not unhandled.
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

/** For a reader that may stop early without ending the source. */
function lent(source: AsyncIterator<Uint8Array>): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => ({ next: () => source.next() }) };
}

/** To the end, where the checks are. */
async function readOut(source: AsyncIterator<Uint8Array>): Promise<void> {
  while (!(await source.next()).done);
}

function verify({ digest, size, keep }: Source, received: number, hash: Hash): void {
  const isWhole = digest === null ? received === size : received <= size && digestOf(hash) === digest;
  if (isWhole && received === size) return;
  // Whole, and shorter than it was said to be, it would come so again. What is a file of ours has no other bytes.
  if (received < size && !isWhole) throw keep === null ? damaged("cut") : cutShort("blob", digest ?? "");
  throw mismatch("blob", digest ?? "");
}

/** Needs the layers below: rare, and the only thing for which a layer waits for its parent. */
async function linkToLower(
  unpacker: Unpacker,
  layer: content.Layer,
  { layers, kernel, settled }: LayerDeps,
): Promise<void> {
  if (unpacker.lowerLinks.length === 0) return;
  const { parent } = layer;
  if (parent !== undefined) await settled(parent);
  const below = parent === undefined ? [] : layers.stack(parent);
  for (const link of unpacker.lowerLinks) unpacker.linkToLower(link, (name) => findInLayers(below, name, kernel));
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
