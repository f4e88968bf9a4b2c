// The fragment of a link, after `#`: a lesson (`lesson=ID`), a session, or both, joined by `&`. A shared session is
// `1.` and base64url (RFC 4648 §5) of deflated JSON (RFC 1951).

import { checkShared } from "./shared-form.js";
import type { Shared } from "./shared.js";

/** The text is not a session that can be opened. The message tells the visitor why. */
export class BadFragment extends Error {}

const FORMAT = "1.";
/** Longer links get cut when they are passed on. */
const MOST_TEXT = 64 * 1024;
/** Largest size after unpacking. */
const MOST_BYTES = 2 * 1024 * 1024;

export interface Linked {
  /** Id of a lesson, which may not exist. */
  readonly lesson: string | null;
  /** For `decodeFragment`. */
  readonly session: string | null;
}

/** Without a session the lesson begins from the start; otherwise the session continues. */
export function lessonFragment(lesson: string | null, session: string | null): string {
  return [lesson === null ? "" : `lesson=${lesson}`, session ?? ""].filter(Boolean).join("&");
}

export function readFragment(fragment: string): Linked {
  const text = fragment.replace(/^#/, "");
  const found = /^lesson=([^&]*)(?:&(.*))?$/s.exec(text);
  if (found === null) return { lesson: null, session: text || null };
  return { lesson: found[1]!, session: found[2] || null };
}

/** Rejects with `BadFragment` if the session is too large for a link. */
export async function encodeFragment(shared: Shared): Promise<string> {
  const json = JSON.stringify(shared, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value));
  const packed = await through(new TextEncoder().encode(json), new CompressionStream("deflate-raw"), Infinity);
  const text = FORMAT + toBase64Url(packed);
  if (text.length > MOST_TEXT) throw new BadFragment("the session is too large for a link");
  return text;
}

export async function decodeFragment(fragment: string): Promise<Shared> {
  const text = fragment.replace(/^#/, "");
  if (text.length > MOST_TEXT) throw new BadFragment("the link is too large to be a session");
  if (!text.startsWith(FORMAT)) {
    const isNewer = /^\d+\./.test(text);
    throw new BadFragment(isNewer ? "the link is from another version of this page" : "the link holds no session");
  }
  const packed = fromBase64Url(text.slice(FORMAT.length));
  if (packed === null) throw new BadFragment("the link is damaged: it has invalid characters");
  let value: unknown;
  try {
    const bytes = await through(packed, new DecompressionStream("deflate-raw"), MOST_BYTES);
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof BadFragment) throw error;
    throw new BadFragment("the link is damaged: it cannot be unpacked", { cause: error });
  }
  const shared = checkShared(value);
  if (shared === null) throw new BadFragment("the link holds data that is not a session");
  return shared;
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  coder: CompressionStream | DecompressionStream,
  most: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([bytes]).stream().pipeThrough(coder).getReader();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length;
    if (size > most) {
      await reader.cancel().catch(() => {});
      throw new BadFragment("the link unpacks to more than a session can hold");
    }
    pieces.push(new Uint8Array(next.value));
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

function toBase64Url(bytes: Uint8Array): string {
  let units = "";
  for (const byte of bytes) units += String.fromCharCode(byte);
  return btoa(units).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]+$/.test(text)) return null;
  try {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (unit) => unit.charCodeAt(0));
  } catch {
    return null;
  }
}
