// Blobs in a content store of a session's client (moby/buildkit, session/content): what a cache of type `local` is in.

import { digestLike } from "../../registry/index.js";
import { interrupted, joined, mismatch, noSuch, tooLarge } from "../../shared/index.js";
import type { content } from "../../shared/index.js";
import { CallFailed, type Caller } from "../conversation.js";
import { decode, encode } from "../messages/codec.js";
import { readRequest, readResponse } from "../messages/content.js";
import { SERVICE, storeHeader } from "./store.js";

/** Codes of gRPC by which a client says that it has no such blob, no such store, or no stores at all. */
const MISSING: ReadonlySet<number> = new Set([5, 12]);

/** Fails as `body-broke` with the client's words, or as `interrupted` if the session ends. `signal`: ends the call. */
export async function* storedBlob(
  caller: Caller,
  blob: content.ClientBlob,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const call = caller(`${SERVICE}/Read`, storeHeader(blob.in));
  const cancel = (): void => call.cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    await call.send(encode(readRequest, { digest: blob.digest }));
    call.finish();
    for await (const message of call.messages) {
      const { data } = decode(readResponse, message) as { data?: Uint8Array };
      if (data !== undefined && data.length > 0) yield data;
    }
  } finally {
    signal?.removeEventListener("abort", cancel);
    cancel();
  }
}

/**
 * The same for a small one, whose digest is checked. Also fails as `no-such`, `too-large` or `mismatch` of `blob`, and as
 * `interrupted` if nobody waits any more.
 */
export async function storedDocument(
  caller: Caller,
  wanted: content.ClientDocument,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const bytes = await smallBlob(caller, wanted, signal);
  if (digestLike(wanted.digest, bytes) !== wanted.digest) throw mismatch("blob", wanted.digest);
  return bytes;
}

async function smallBlob(caller: Caller, wanted: content.ClientDocument, signal: AbortSignal): Promise<Uint8Array> {
  const { digest, limit } = wanted;
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of storedBlob(caller, wanted, signal)) {
      size += piece.length;
      if (size > limit) throw tooLarge("blob", digest, limit);
      pieces.push(piece);
    }
  } catch (error) {
    if (signal.aborted) throw interrupted("given-up");
    if (error instanceof CallFailed && MISSING.has(error.code)) throw noSuch("blob", digest);
    throw error;
  }
  if (signal.aborted) throw interrupted("given-up");
  return joined(pieces);
}
