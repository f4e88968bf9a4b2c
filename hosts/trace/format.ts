// What a trace is, and how it is written down: version 5 of the format.
//
// A trace is what the core was told, in order, with a hash of what it asked for each time: enough to do it all again and
// to see that the same comes of it. It is cut into segments; each can be replayed by itself.
//
// As text it is NDJSON: UTF-8, one JSON object a line, each line ended by LF, no empty lines. A segment is
//
//   {"format":"coracle-trace","version":5,"core":HEX,"segment":N,"epoch":N,"step":N}                        the header
//   {"now":NOW,"open":{"options":…,"seed":…,"records":[…],"inventory":…},"out":OUT}  or  {"snapshot":BYTES}  the start
//   {"now":NOW,"input":INPUT,"out":OUT}                                                                 any number
//   {"end":"continued"}  or  {"end":"lost","error":TEXT}  or  {"end":"broken","error":TEXT}
//                        or  {"end":"running"}                                                              the end
//
// Long ones may be written in short, BYTES being raw DEFLATE (RFC 1951): any line but the header and the snapshot as
// {"deflated":BYTES}, which is its text in UTF-8; the snapshot as {"snapshot":{"deflated":BYTES}}.
//
// Each line ends with its sum, as its object's last field: ,"sum":HASH} instead of }. It is of the line's bytes up to the
// comma before it, and its seed is the first word of the sum before it (zero for a header): so any change is told, and so
// is a line that is missing, doubled or moved. What is deflated has no sum of its own. A segment begins anew: which one it
// is its header says, and headers are summed as well.
//
// A trace of another version is refused.
//
// `core` is the SHA-256 of the core's wasm bytes, in hex: another core may decide otherwise. Segments are numbered one by
// one; the first of a trace may have any number, older ones may have been thrown away; behind one that is not continued
// numbers may be missing. `epoch` is the number of the instance (`options.epoch`). `step` is the number of the last
// step before the segment's first input: `open` is 0, each input one more. `continued`: the next segment begins with a
// snapshot of this very state. `lost`: the instance is gone. `broken`: what came next was not written down, for the
// recorder was killed or had no room; the instance may have gone on. `running`: this is as far as was seen.
//
// NOW is ["WALL","MONOTONIC"]. INPUT and the arguments of `open` are the values of core/wit/engine.wit:
//   record         object, names in camelCase, in the order of the WIT; an option that is none is left out
//   variant        {"tag":NAME,"val":…}, NAME as in the WIT; without `val` if the case has none
//   result         {"tag":"ok","val":…} or {"tag":"err","val":…}
//   enum           its NAME, as in the WIT
//   list, tuple    array
//   list<u8>       text: base64 (RFC 4648 §4, padded)
//   u64, s64       text: decimal
//   u8 … u32       number
//   string, bool   text, true or false
//
// OUT is {"records":HASH,"effects":HASH,"replies":HASH}; what is left out was not asked for. A line without "out" is a
// call that trapped: it is the last before the end, which is `lost`. A HASH is the first twelve bytes, in base64, of
// the MurmurHash3 (128 bits for 32-bit machines, seed 0) of a list: of all records' commands, in order; of
// {to, op, command} for every other command, `to` being the interface's name; of {request, command} for every reply.
// What is hashed of a value is
//   text, enum     s LENGTH : UTF-8 bytes          list, tuple  l COUNT : each item
//   list<u8>       b LENGTH : bytes                record       r, for each field its name (as text) and its value, then ;
//    of over 1024  h LENGTH : all of their hash    variant      as a record of `tag` and `val`
//   any integer    i DECIMAL ;                     bool         t or f
// where LENGTH and COUNT are decimal, spaces are there for the eye only, fields stand in the order of the WIT, and an
// option that is none is left out.
//
// Credentials. A trace has none: their values in inputs are replaced by stand-ins of the same length, so that the core
// decides the same (see credentials.ts). Users and passwords of addresses are credentials wherever they stand, but for
// what the core keeps in records, which snapshots hold as well: there only a shared trace hides them. Of a field
// `credentials` the hash covers its name only, as if its value were nothing. "masked":true in an input's line says that
// what the core answers in that step may speak of what was replaced: for that step's hash of replies, the bodies of
// `whole` and `bare`, the values of their headers `Location` and the bytes of `chunk` are taken to be empty.

import type { Input, types } from "../shared/host.js";
import type { Opening } from "../driver/index.js";

export const FORMAT = "coracle-trace";
export const VERSION = 5;

/** What a core was told, and hashes of what it asked for. */
export interface Trace {
  /** Oldest first. */
  segments: Segment[];
}

/** A part of a trace that can be replayed without those before it. */
export interface Segment {
  /** SHA-256 of the core's wasm bytes, in hex. */
  core: string;
  /** One more than that of the segment before. */
  number: number;
  /** Number of the instance, from 1. */
  epoch: number;
  /** Number of the last step before the first of `calls`. */
  step: number;
  /** How it begins. */
  start: Start;
  /** Its steps, but for an `open`. */
  calls: Call[];
  /** How it ends. */
  end: End;
}

/** How a segment begins: an instance was opened, or went on from a snapshot. */
export type Start =
  | { tag: "open"; now: types.Instant; opening: Opening; out: OutputHashes | null }
  | { tag: "snapshot"; snapshot: Uint8Array };

/** One step. */
export interface Call {
  /** The time that the core was told. */
  now: types.Instant;
  /** What it was told, without credentials. */
  input: Input;
  /** Null: the core trapped. */
  out: OutputHashes | null;
  /** Bodies of replies are left out of the hash. */
  masked: boolean;
}

/** What was asked for, as hashes; undefined for nothing. */
export type OutputHashes = { [Kind in OutputKind]?: string };

/** The kinds of outputs that are hashed apart from each other. */
export const OUTPUT_KINDS = ["records", "effects", "replies"] as const;
/** One of them. */
export type OutputKind = (typeof OUTPUT_KINDS)[number];

/** How a segment ends: another goes on from here, the instance was lost, the recording broke off, or it still runs. */
export type End =
  { why: "continued" } | { why: "lost"; error: string } | { why: "broken"; error: string } | { why: "running" };

/** A step of an instance: what it had been told when so many steps had been made. */
export interface Position {
  /** Number of the instance, from 1. */
  epoch: number;
  /** Number of the step in the life of its instance; `open` is 0. */
  step: number;
}
