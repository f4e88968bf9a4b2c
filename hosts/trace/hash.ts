// Hashes of what a step asked for, and of the core. What is hashed is laid down in format.ts.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { Reply, StepOutputs } from "../outbox.js";
import { toBase64 } from "./base64.js";
import type { OutputHashes } from "./format.js";

const HASH_BYTES = 12;
/** Of base64. */
const HASH_CHARACTERS = 16;
const MOST_PLAIN = 1024;
/** Bytes of UTF-8 that a unit of UTF-16 takes at most. */
const WIDEST = 3;
const NO_BYTES = new Uint8Array();

/** SHA-256 at once. The platform's own, where it has one, is ten times as fast as the portable one. */
export interface Sha256 {
  (bytes: Uint8Array): Uint8Array;
  /** The same in base64, where that is quicker. */
  inBase64?: (bytes: Uint8Array) => string;
}

/** What a trace calls a core by: of the bytes of its wasm module. */
export function identityOf(wasm: Uint8Array): string {
  return bytesToHex(sha256(wasm));
}

/** `masked`: bodies of replies are taken to be empty. */
export function hashesOf(
  { records, effects, replies }: StepOutputs,
  masked: boolean,
  hash: Sha256 = sha256,
): OutputHashes {
  const hashes: OutputHashes = {};
  if (records.length > 0) hashes.records = hashOf(records, hash);
  if (effects.length > 0) hashes.effects = hashOf(effects, hash);
  if (replies.length > 0) hashes.replies = hashOf(masked ? replies.map(withoutBody) : replies, hash);
  return hashes;
}

function withoutBody({ request, command }: Reply): Reply {
  switch (command.tag) {
    case "whole":
    case "bare":
      return { request, command: { tag: command.tag, val: { ...command.val, body: NO_BYTES } } };
    case "chunk":
      return { request, command: { tag: "chunk", val: NO_BYTES } };
    default:
      return { request, command };
  }
}

function hashOf(value: unknown, hash: Sha256): string {
  const writer = new Writer(hash);
  writer.value(value);
  const { written } = writer;
  return hash.inBase64?.(written).slice(0, HASH_CHARACTERS) ?? toBase64(hash(written).subarray(0, HASH_BYTES));
}

const encoder = new TextEncoder();
/** Steps come one after the other: one buffer will do, and it need not be made each time. */
let shared = new Uint8Array(64 * 1024);
const MOST_SHARED = 1024 * 1024;

class Writer {
  #bytes = shared;
  #length = 0;

  constructor(readonly hash: Sha256) {}

  /** Valid until the next writer is made. */
  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  value(value: unknown): void {
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "number" || typeof value === "bigint") return this.#plain(`i${value};`);
    if (typeof value === "boolean") return this.#plain(value ? "t" : "f");
    if (value instanceof Uint8Array) return this.#raw(value);
    if (Array.isArray(value)) {
      this.#plain(`l${value.length}:`);
      for (const item of value) this.value(item);
      return;
    }
    this.#record(value as Record<string, unknown>);
  }

  #record(record: Record<string, unknown>): void {
    this.#plain("r");
    for (const name in record) {
      const value = record[name];
      if (value === undefined) continue;
      this.#text(name);
      if (name !== "credentials") this.value(value);
    }
    this.#plain(";");
  }

  #text(text: string): void {
    const { length } = text;
    if (length < 64 && this.#short(text)) return;
    const start = this.#length;
    // As many bytes as units, as a rule: then nothing is copied.
    this.#plain(`s${length}:`);
    this.#reserve(WIDEST * length);
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(this.#length));
    this.#length += written;
    if (written === length) return;
    this.#length = start;
    const encoded = encoder.encode(text);
    this.#plain(`s${encoded.length}:`);
    this.#copy(encoded);
  }

  /** A short text of ASCII alone; false if it is not. */
  #short(text: string): boolean {
    const { length } = text;
    const start = this.#length;
    this.#plain(`s${length}:`);
    this.#reserve(length);
    for (let at = 0; at < length; at++) {
      const unit = text.charCodeAt(at);
      if (unit >= 0x80) {
        this.#length = start;
        return false;
      }
      this.#bytes[this.#length++] = unit;
    }
    return true;
  }

  /** Many bytes are often the same as before, where the rest is not: who hashes may know them. */
  #raw(bytes: Uint8Array): void {
    const isLong = bytes.length > MOST_PLAIN;
    this.#plain(`${isLong ? "h" : "b"}${bytes.length}:`);
    this.#copy(isLong ? this.hash(bytes) : bytes);
  }

  #plain(ascii: string): void {
    this.#reserve(ascii.length);
    for (let at = 0; at < ascii.length; at++) this.#bytes[this.#length++] = ascii.charCodeAt(at);
  }

  #copy(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.written);
    this.#bytes = grown;
    if (grown.length <= MOST_SHARED) shared = grown;
  }
}
