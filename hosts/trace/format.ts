// Defines a trace and its file format, version 5.
//
// A trace holds the inputs of the core, in order, each with a hash of the outputs of its step. That is enough to run
// the core again and to check that it does the same. A trace is cut into segments, and each can be replayed by itself.
//
// As text it is NDJSON: UTF-8, one JSON object per line, each line ended by LF, no empty lines. A segment is
//
//   {"format":"coracle-trace","version":5,"core":HEX,"segment":N,"epoch":N,"step":N}                        the header
//   {"now":NOW,"open":{"options":…,"seed":…,"records":[…],"inventory":…},"out":OUT}  or  {"snapshot":BYTES}  the start
//   {"now":NOW,"input":INPUT,"out":OUT}                                                                 any number
//   {"end":"continued"}  or  {"end":"lost","error":TEXT}  or  {"end":"broken","error":TEXT}
//                        or  {"end":"running"}                                                              the end
//
// Long lines may be compressed, with BYTES as raw DEFLATE (RFC 1951). Any line but the header and the snapshot may be
// {"deflated":BYTES}, which holds the line's text in UTF-8. A snapshot may be {"snapshot":{"deflated":BYTES}}.
//
// Each line ends with its checksum, as the last field of its object: ,"sum":HASH} instead of }. It covers the line's
// bytes up to the comma before it. Its seed is the first word of the checksum before it (zero for a header). So it
// reveals any change, and a line that is missing, doubled or moved. The text inside `deflated` has no checksum of its
// own. Each segment starts a new chain. Its header has its number, and headers have checksums, too.
//
// A reader refuses a trace of another version.
//
// `core` is the SHA-256 of the core's wasm bytes, in hex: another core may decide otherwise. Segments are numbered
// consecutively. The first one of a trace may have any number, since older ones may have been dropped. After a segment
// that is not `continued`, numbers may be missing. `epoch` is the number of the instance (`options.epoch`). `step` is
// the number of the last step before the segment's first input: `open` is 0, and each input adds one. `continued`: the
// next segment begins with a snapshot of this state. `lost`: the instance is gone. `broken`: the recording stopped,
// because the recorder was killed or had no room; the instance may have continued. `running`: the instance was still
// running when the trace was saved.
//
// NOW is ["WALL","MONOTONIC"]. INPUT and the arguments of `open` are the values of core/wit/engine.wit:
//   record         object, names in camelCase, in the order of the WIT; an absent option is left out
//   variant        {"tag":NAME,"val":…}, NAME as in the WIT; without `val` if the case has none
//   result         {"tag":"ok","val":…} or {"tag":"err","val":…}
//   enum           its NAME, as in the WIT
//   list, tuple    array
//   list<u8>       text: base64 (RFC 4648 §4, padded)
//   u64, s64       text: decimal
//   u8 … u32       number
//   string, bool   text, true or false
//
// OUT is {"records":HASH,"effects":HASH,"replies":HASH}; a kind without outputs in this step is left out. A line
// without "out" is a call that trapped. It is the last one before the end, which is `lost`. A HASH is the first twelve
// bytes, in base64, of the MurmurHash3 (128 bits for 32-bit machines, seed 0) of a list: all records' commands, in
// order; {to, op, command} for every other command, where `to` is the interface's name; {request, command} for every
// reply. A value is hashed as
//   text, enum     s LENGTH : UTF-8 bytes          list, tuple  l COUNT : each item
//   list<u8>       b LENGTH : bytes                record       r, for each field its name (as text) and its value, then ;
//    of over 1024  h LENGTH : all of their hash    variant      as a record of `tag` and `val`
//   any integer    i DECIMAL ;                     bool         t or f
// where LENGTH and COUNT are decimal, spaces are only for readability, fields are in the order of the WIT, and an
// absent option is left out.
//
// Credentials. A trace has none: in inputs, stand-ins of the same length replace their values, so that the core
// decides the same (see credentials.ts). Users and passwords in addresses are credentials everywhere except in what
// the core keeps in records, which snapshots hold as well: there only a shared trace hides them. Of a field
// `credentials` the hash covers only the name. "masked":true in an input's line says that the replies of that step may
// contain what was replaced. For that step's hash of replies, the bodies of `whole` and `bare`, the values of their
// headers `Location` and the bytes of `chunk` count as empty.

import type { OutputHashes } from "../hashes/index.js";
import type { Input, types } from "../shared/index.js";
import type { Opening } from "../driver/index.js";

export const FORMAT = "coracle-trace";
export const VERSION = 5;

/** The inputs of a core, and hashes of its outputs. */
export interface Trace {
  /** Oldest first. */
  segments: Segment[];
}

/** A part of a trace that can be replayed without the parts before it. */
export interface Segment {
  /** SHA-256 of the core's wasm bytes, in hex. */
  core: string;
  /** One more than the previous segment's number. */
  number: number;
  /** Number of the instance, from 1. */
  epoch: number;
  /** Number of the last step before the first of `calls`. */
  step: number;
  /** How it begins. */
  start: Start;
  /** Its steps, without an `open`. */
  calls: Call[];
  /** How it ends. */
  end: End;
}

/** How a segment begins: an instance was opened, or continued from a snapshot. */
export type Start =
  | { tag: "open"; now: types.Instant; opening: Opening; out: OutputHashes | null }
  | { tag: "snapshot"; snapshot: Uint8Array };

/** One step. */
export interface Call {
  /** The time of the step. */
  now: types.Instant;
  /** The input, without credentials. */
  input: Input;
  /** Null if the core trapped. */
  out: OutputHashes | null;
  /** Whether the hash leaves out the bodies of replies. */
  masked: boolean;
}

/** How a segment ends: the next one continues it, the instance was lost, the recording stopped, or it still runs. */
export type End =
  | { why: "continued" }
  | { why: "lost"; error: string }
  | { why: "broken"; error: string }
  | { why: "running" };

/** A position in a trace: a step of an instance. */
export interface Position {
  /** Number of the instance, from 1. */
  epoch: number;
  /** Number of the step in the life of its instance; `open` is 0. */
  step: number;
}
