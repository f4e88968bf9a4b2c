// The bytes of a tar that the core wants to have received: a request's body, or a file of a web server.

import type { Bodies, Report, content } from "../shared/index.js";
import { fromClient } from "./client-body.js";

/** Where the bytes come from. */
export interface Sources {
  bodies: Bodies;
  web: {
    download(file: content.WebFile, signal: AbortSignal): Promise<{ body: AsyncIterable<Uint8Array>; size: number }>;
  };
}

/** Fails if the web server does not answer. Reports how much of its file was read. */
export async function received(
  source: content.TarSource,
  { bodies, web }: Sources,
  report: Report,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  if (source.tag === "empty") return nothing();
  if (source.tag === "body") return fromClient(bodies.take(source.val), signal);
  const { body, size } = await web.download(source.val, signal);
  report("downloading", 0n, BigInt(size));
  return counted(body, size, report);
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function* counted(body: AsyncIterable<Uint8Array>, size: number, report: Report): AsyncGenerator<Uint8Array> {
  let done = 0;
  for await (const piece of body) {
    done += piece.length;
    report("downloading", BigInt(done), BigInt(size));
    yield piece;
  }
}
