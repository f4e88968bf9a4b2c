// The bytes of a tar that the core wants to have received: a request's body, a file of a web server, or a blob
// of a session's client.

import type { Bodies, Report, content } from "../shared/index.js";
import { fromClient } from "./client-body.js";

/** Where the bytes come from. */
export interface Sources {
  bodies: Bodies;
  web: {
    download(file: content.WebFile, signal: AbortSignal): Promise<{ body: AsyncIterable<Uint8Array>; size: number }>;
  };
}

/**
 * Asks a web server only when the first bytes are wanted: who never begins to read leaves no open connection. Reading
 * fails if it does not answer, and reports how much of its file was read.
 */
export function received(
  source: content.TarSource,
  { bodies, web }: Sources,
  report: Report,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  if (source.tag === "empty") return nothing();
  if (source.tag === "body") return fromClient(bodies.take(source.val), signal);
  if (source.tag === "store") return fromClient(bodies.blob(source.val), signal);
  return downloaded(source.val, web, report, signal);
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function* downloaded(
  file: content.WebFile,
  web: Sources["web"],
  report: Report,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { body, size } = await web.download(file, signal);
  yield* counted(body, size, report);
}

/** Reports how many of these bytes were read. `size`: how many there are; 0 if that is not known. */
export async function* counted(
  body: AsyncIterable<Uint8Array>,
  size: number,
  report: Report,
): AsyncGenerator<Uint8Array> {
  report("downloading", 0n, BigInt(size));
  let done = 0;
  for await (const piece of body) {
    done += piece.length;
    report("downloading", BigInt(done), BigInt(size));
    yield piece;
  }
}
