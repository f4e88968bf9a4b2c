// Heads of HTTP messages (RFC 9112).

import type { Input } from "../../program.js";
import { concat } from "../escapes.js";

/** A request or a response, and the bytes of its body that came along with the head. */
export interface Message {
  /** Three words: `GET / HTTP/1.1` or `HTTP/1.1 200 OK`. */
  first: [string, string, string];
  /** Names in lower case. */
  headers: ReadonlyMap<string, string>;
  /** As they came. */
  lines: readonly string[];
  begun: Uint8Array;
}

/** A longer head is no head. */
const MOST_BYTES = 65_536;

/** Reads to the empty line after the headers. Null if there is none. */
export async function readMessage(input: Input): Promise<Message | null> {
  let held = "";
  for (let piece = await input.read(); piece; piece = await input.read()) {
    held += latin1(piece);
    const [end] = /\r?\n\r?\n/.exec(held) ?? [];
    if (end !== undefined) return parsed(held.slice(0, held.indexOf(end)), held.slice(held.indexOf(end) + end.length));
    if (held.length > MOST_BYTES) return null;
  }
  return null;
}

/** The body ends before its end. The message is busybox's. */
export class CutShort extends Error {}

/** Reads the rest of a body: its chunks, `content-length` bytes, or to the end. Throws `CutShort`. */
export async function* bodyOf(message: Message, input: Input): AsyncGenerator<Uint8Array> {
  if (message.headers.get("transfer-encoding")?.toLowerCase() === "chunked") return yield* chunksOf(message, input);
  const length = message.headers.get("content-length");
  let left = length === undefined ? Infinity : Number(length);
  for (let piece: Uint8Array | null = message.begun; piece && left > 0; piece = left > 0 ? await input.read() : null) {
    const own = piece.subarray(0, Math.min(left, piece.length));
    left -= own.length;
    if (own.length > 0) yield own;
  }
  if (left > 0 && left < Infinity) throw new CutShort("connection closed prematurely");
}

/** RFC 9112, section 7.1, without the trailer fields. */
async function* chunksOf({ begun }: Message, input: Input): AsyncGenerator<Uint8Array> {
  let held = begun;
  const more = async (): Promise<void> => {
    const piece = held.length > MOST_BYTES ? null : await input.read();
    if (piece === null) throw new CutShort("error getting response");
    held = held.length > 0 ? concat([held, piece]) : piece;
  };
  const line = async (): Promise<string> => {
    while (!held.includes(NEWLINE)) await more();
    const end = held.indexOf(NEWLINE);
    const text = latin1(held.subarray(0, end));
    held = held.subarray(end + 1);
    return text;
  };
  for (;;) {
    let left = Number.parseInt(await line(), 16);
    if (left === 0) return;
    if (!(left > 0)) throw new CutShort("error getting response");
    while (left > 0) {
      while (held.length === 0) await more();
      const own = held.subarray(0, left);
      [held, left] = [held.subarray(own.length), left - own.length];
      yield own;
    }
    await line();
  }
}

const NEWLINE = 0x0a;

function parsed(head: string, begun: string): Message {
  const [start = "", ...lines] = head.split(/\r?\n/);
  const [, one = "", two = "", three = ""] = /^(\S*) ?(\S*) ?(.*)$/.exec(start) ?? [];
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { first: [one, two, three], headers: new Map(headers), lines: [start, ...lines], begun: bytesOf(begun) };
}

/** A character for each byte. */
function latin1(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
