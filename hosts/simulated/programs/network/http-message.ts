// Heads of HTTP messages (RFC 9112).

import type { Input } from "../../program.js";

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

/** Reads the rest of a body: `content-length` bytes, or to the end. */
export async function* bodyOf(message: Message, input: Input): AsyncGenerator<Uint8Array> {
  const length = message.headers.get("content-length");
  let left = length === undefined ? Infinity : Number(length);
  for (let piece: Uint8Array | null = message.begun; piece && left > 0; piece = left > 0 ? await input.read() : null) {
    const own = piece.subarray(0, Math.min(left, piece.length));
    left -= own.length;
    if (own.length > 0) yield own;
  }
}

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
