// Hashes of a step's outputs, and of the core. hosts/trace/format.ts defines what is hashed.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { ByteWriter, ascii, twelveToBase64 } from "../shared/index.js";
import type { Reply, StepOutputs, replies } from "../shared/index.js";
import { remembering } from "./known-bytes.js";
import { murmur3 } from "./murmur3.js";

/** Hashes of a step's outputs. A kind without outputs is undefined. */
export type OutputHashes = { [Kind in OutputKind]?: string };

/** The kinds of outputs. Each kind has its own hash. */
export const OUTPUT_KINDS = ["records", "effects", "replies"] as const;
/** A kind of output. */
export type OutputKind = (typeof OUTPUT_KINDS)[number];

const MOST_PLAIN = 1024;
const LETTER = { b: 0x62, f: 0x66, h: 0x68, i: 0x69, l: 0x6c, r: 0x72, s: 0x73, t: 0x74 } as const;
const COLON = 0x3a;
const SEMICOLON = 0x3b;
const NO_BYTES = new Uint8Array();

/** The digest that stands for bytes longer than `MOST_PLAIN`. */
const digestOfLong = remembering(murmur3);

/** A core's identity in a trace: the hash of its wasm module's bytes. */
export function identityOf(wasm: Uint8Array): string {
  return bytesToHex(sha256(wasm));
}

/** `masked`: bodies of replies count as empty. */
export function hashesOf({ records, effects, replies }: StepOutputs, masked: boolean): OutputHashes {
  const hashes: OutputHashes = {};
  if (records.length > 0) hashes.records = hashOf(records);
  if (effects.length > 0) hashes.effects = hashOf(effects);
  if (replies.length > 0) hashes.replies = hashOfReplies(replies, masked);
  return hashes;
}

/** One writer is enough, since steps come one after the other. */
const writer = new ByteWriter();

function hashOf(value: unknown): string {
  writer.clear();
  write(value);
  return twelveToBase64(murmur3(writer.written));
}

function hashOfReplies(of: readonly Reply[], masked: boolean): string {
  writer.clear();
  writeCount(LETTER.l, of.length);
  for (const reply of of) writeReply(reply, masked);
  return twelveToBase64(murmur3(writer.written));
}

/** The fixed bytes before each value of most replies. Their names are known, so no loop over fields is needed. */
const REPLY = { request: ascii("rs7:request"), command: ascii("s7:command") };
const COMMAND = { whole: ascii("rs3:tags5:wholes3:val"), bare: ascii("rs3:tags4:bares3:val") };
const HEAD: { [Field in keyof replies.Head]: Uint8Array } = {
  status: ascii("rs6:status"),
  headers: ascii("s7:headers"),
};
const WHOLE: { [Field in keyof replies.Whole]: Uint8Array } = {
  head: ascii("rs4:head"),
  body: ascii("s4:body"),
  stateless: ascii("s9:stateless"),
};

/** The value of the header `Location`, which repeats a part of the request. */
const LOCATION = /(?<=^Location: ).*$/m;

/** The same as `write`, in half the time. `masked`: the body counts as empty. */
function writeReply({ request, command }: Reply, masked: boolean): void {
  writer.copy(REPLY.request);
  writeInteger(request);
  writer.copy(REPLY.command);
  if (command.tag === "whole" || command.tag === "bare") {
    writer.copy(COMMAND[command.tag]);
    writeWhole(command.val, masked);
    writer.byte(SEMICOLON);
  } else {
    write(masked && command.tag === "chunk" ? { tag: "chunk", val: NO_BYTES } : command);
  }
  writer.byte(SEMICOLON);
}

function writeWhole({ head, body, stateless }: replies.Whole, masked: boolean): void {
  writer.copy(WHOLE.head);
  writer.copy(HEAD.status);
  writeInteger(head.status);
  writer.copy(HEAD.headers);
  writeText(masked ? head.headers.replace(LOCATION, "") : head.headers);
  writer.byte(SEMICOLON);
  writer.copy(WHOLE.body);
  writeBytes(masked ? NO_BYTES : body);
  writer.copy(WHOLE.stateless);
  writer.byte(stateless ? LETTER.t : LETTER.f);
  writer.byte(SEMICOLON);
}

function write(value: unknown): void {
  if (typeof value === "string") return writeText(value);
  if (typeof value === "number" || typeof value === "bigint") return writeInteger(value);
  if (typeof value === "boolean") return writer.byte(value ? LETTER.t : LETTER.f);
  if (value instanceof Uint8Array) return writeBytes(value);
  if (!Array.isArray(value)) return writeRecord(value as Record<string, unknown>);
  writeCount(LETTER.l, value.length);
  for (const item of value) write(item);
}

function writeRecord(record: Record<string, unknown>): void {
  writer.byte(LETTER.r);
  for (const name in record) {
    const value = record[name];
    if (value === undefined) continue;
    writeText(name);
    if (name !== "credentials") write(value);
  }
  writer.byte(SEMICOLON);
}

function writeInteger(value: number | bigint): void {
  writer.byte(LETTER.i);
  writer.integer(value);
  writer.byte(SEMICOLON);
}

function writeText(text: string): void {
  writer.byte(LETTER.s);
  writer.counted(text);
}

function writeBytes(bytes: Uint8Array): void {
  const isLong = bytes.length > MOST_PLAIN;
  writeCount(isLong ? LETTER.h : LETTER.b, bytes.length);
  writer.copy(isLong ? digestOfLong(bytes) : bytes);
}

function writeCount(letter: number, count: number): void {
  writer.byte(letter);
  writer.integer(count);
  writer.byte(COLON);
}
