// A file of a web server that is put among a container's files.

import type { content, engine } from "../../shared/index.js";
import { absolutePath, limited } from "../tar/index.js";
import { madeEntry } from "./places.js";
import type { CopyTarget, Hashing } from "./source.js";

/** What is known of a file before its bytes arrive. */
export interface Incoming extends Pick<content.Download, "into" | "limit"> {
  /** Nanoseconds since 1970. */
  modified: bigint;
}

/** What its bytes tell. */
export type Arrived = Pick<engine.Downloaded, "digest" | "size" | "beginning">;

/** Resolves when it is complete: until then, nothing is there. */
export async function putDownload(
  { into, limit, modified }: Incoming,
  body: AsyncIterable<Uint8Array>,
  { sink, ...rest }: CopyTarget,
  hash: Hashing,
): Promise<Arrived> {
  const path = absolutePath(into.path).slice(1);
  await sink.entry({ ...madeEntry(path, { sink, ...rest }, null), mtime: modified, type: "file", mode: MODE });
  const beginning: number[] = [];
  let size = 0n;
  for await (const piece of limited(body, limit)) {
    if (piece.length === 0) continue;
    hash.update(piece);
    beginning.push(...piece.subarray(0, BEGINNING - beginning.length));
    size += BigInt(piece.length);
    await sink.data(piece);
  }
  await sink.end();
  return { digest: hash.digest(), size, beginning: Uint8Array.from(beginning) };
}

/** What `Last-Modified` says (RFC 9110 §8.8.2); the beginning of 1970 if it says nothing. */
export function modifiedAt(header: string | null): bigint {
  const milliseconds = Date.parse(header ?? "");
  return milliseconds > 0 ? BigInt(milliseconds) * 1_000_000n : 0n;
}

/** The parts of an answer that its header tells. */
export function describedBy(header: (name: string) => string | null): Omit<engine.Downloaded, keyof Arrived> {
  return { disposition: header("content-disposition") ?? "", mediaType: header("content-type") ?? "" };
}

const MODE = 0o600;
const BEGINNING = 512;
