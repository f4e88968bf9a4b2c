// Blobs in a content store of a session's client (moby/buildkit, session/content): what a cache of type `local` is in.

import { digestLike } from "../../registry/index.js";
import { joined, mismatch, noSuch, tooLarge } from "../../shared/index.js";
import type { content } from "../../shared/index.js";
import { fromClient } from "../../streams/index.js";
import { CallFailed, readFrom, type Caller, type Conversation } from "../conversation.js";
import { decode, encode } from "../messages/codec.js";
import { readRequest, readResponse } from "../messages/content.js";
import { SERVICE, storeHeader } from "./store.js";

/** Codes of gRPC by which a client says that it has no such blob, no such store, or no stores at all. */
const MISSING: ReadonlySet<number> = new Set([5, 12]);

/** Fails as `body-broke` with the client's words, or as `interrupted` if the session ends. */
export function storedBlob(caller: Caller, blob: content.ClientBlob): AsyncIterable<Uint8Array> {
  return readFrom(
    () => caller(`${SERVICE}/Read`, storeHeader(blob.in)),
    (call) => bytesOf(call, blob.digest),
  );
}

async function* bytesOf(call: Conversation, digest: string): AsyncGenerator<Uint8Array, void, undefined> {
  await call.send(encode(readRequest, { digest }));
  call.finish();
  for await (const message of call.messages) {
    const { data } = decode(readResponse, message) as { data?: Uint8Array };
    if (data !== undefined && data.length > 0) yield data;
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
    for await (const piece of fromClient(storedBlob(caller, wanted), signal)) {
      size += piece.length;
      if (size > limit) throw tooLarge("blob", digest, limit);
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof CallFailed && MISSING.has(error.code)) throw noSuch("blob", digest);
    throw error;
  }
  return joined(pieces);
}
