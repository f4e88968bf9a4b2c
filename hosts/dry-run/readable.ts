// Turns values of the boundary into readable JSON (see `format.ts`).

import { toBase64 } from "../shared/index.js";
import type { types } from "../shared/index.js";
import type { PlannedBytes } from "./format.js";

const strict = new TextDecoder("utf-8", { fatal: true });

/** A value without credentials. */
export function readable(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return readableBytes(value);
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number | bigint>, readable);
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([name, field]) => field !== undefined && name !== "credentials");
  return Object.fromEntries(fields.map(([name, field]) => [name, readable(field)]));
}

export function readableBytes(bytes: Uint8Array): PlannedBytes {
  let text: string;
  try {
    text = strict.decode(bytes);
  } catch {
    return { base64: toBase64(bytes) };
  }
  try {
    return { json: parsed(text) };
  } catch {
    return { text };
  }
}

/** Parses JSON. Whole numbers that are too large for a JavaScript number become texts, so that no digit is lost. */
export function parsed(text: string): unknown {
  const exact = text.replaceAll(TEXT_OR_LONG, (found) => (isExact(found) ? found : `"${found}"`));
  return JSON.parse(exact) as unknown;
}

/** A text, or a whole number of 16 or more digits. */
const TEXT_OR_LONG = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g;

function isExact(found: string): boolean {
  return found.startsWith('"') || Number.isSafeInteger(Number(found));
}

/** RFC 3339 with nanoseconds, in UTC. */
export function readableTime(wall: types.WallTime): string {
  const second = new Date(Number(wall / 1_000_000_000n) * 1000).toISOString().slice(0, 19);
  return `${second}.${String(wall % 1_000_000_000n).padStart(9, "0")}Z`;
}
