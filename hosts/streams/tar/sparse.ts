// Maps of sparse files: which parts of a file are in the tar, in the order of their offsets. The rest is holes. GNU tar
// writes maps in four ways: in blocks after the header ("S"), in pax records (0.0 and 0.1), and before the data (1.0).

import { damaged, tooLarge } from "../../shared/index.js";
import { latin1Of } from "./latin1.js";
import { malformed, number } from "./header.js";

/** A part of a file that is in the tar, or a hole between such parts. */
export interface Run {
  size: number;
  isHole: boolean;
}

/** A map that is being read. */
export interface SparseMap {
  /** Replaces the header's name, unless it is empty. */
  readonly name: string;
  /** Size of the file, including holes. */
  readonly size: number;
  /** Offsets and sizes of the parts in turn. */
  readonly numbers: number[];
  /** Another block of the map follows. */
  readonly more: boolean;
  /** The size in the header includes the map's blocks. */
  readonly isInBody: boolean;
  take(block: Uint8Array): void;
}

/** Null if the file is not sparse. `records`: those of this entry alone. */
export function sparseMapOf(
  block: Uint8Array,
  flag: string,
  size: number,
  records: ReadonlyMap<string, string>,
): SparseMap | null {
  if (flag === "S") return new GnuMap(block);
  const [major, minor] = [records.get("GNU.sparse.major"), records.get("GNU.sparse.minor")];
  if (major === "1" && minor === "0") return new BodyMap(records, size);
  const known = major === undefined && minor === undefined ? records.has(MAP) : major === "0";
  return known && (minor === undefined || minor === "0" || minor === "1") ? recordMap(records, size) : null;
}

/** The whole file as alternating parts and holes. `inTar`: size of its data in the tar. */
export function runsOf({ numbers, size }: SparseMap, inTar: number): Run[] {
  if (size < 0) throw malformed();
  const runs: Run[] = [];
  let [at, parts] = [0, 0];
  const add = (length: number, isHole: boolean): void => {
    const last = runs.at(-1);
    if (last?.isHole === isHole) last.size += length;
    else if (length > 0) runs.push({ size: length, isHole });
    at += length;
  };
  for (let index = 0; index < numbers.length; index += 2) {
    const [offset, length] = [numbers[index]!, numbers[index + 1]!];
    if (offset < at || length < 0 || length > size - offset) throw malformed();
    add(offset - at, true);
    add(length, false);
    parts += length;
  }
  add(size - at, true);
  if (parts > inTar) throw damaged("sparse-missing");
  if (parts < inTar) throw damaged("sparse-untold");
  return runs;
}

/** Handles maps of the format 0.0, with a record for each number. True: the record was one of them. */
export function takeSparsePart(key: string, value: string, parts: string[]): boolean {
  if (key !== "GNU.sparse.offset" && key !== "GNU.sparse.numbytes") return false;
  if ((parts.length % 2 === 1) !== (key === "GNU.sparse.numbytes")) throw malformed();
  parts.push(value);
  return true;
}

/** The record of the format 0.1. */
export const MAP = "GNU.sparse.map";

/** After the header, in separate blocks. Each block says whether another one follows. */
class GnuMap implements SparseMap {
  readonly name = "";
  readonly size: number;
  readonly numbers: number[] = [];
  readonly isInBody = false;
  more: boolean;
  #blocks = 0;

  constructor(header: Uint8Array) {
    if (latin1Of(header, 257, 263) !== "ustar ") throw malformed();
    this.size = number(header, 483, 12);
    this.more = this.#entries(header, 386, 4);
  }

  take(block: Uint8Array): void {
    if (++this.#blocks > MOST_BLOCKS) throw tooLarge("sparse-map", "", LARGEST_MAP);
    this.more = this.#entries(block, 0, 21);
  }

  /** Reads up to an empty entry. A flag after the last entry says whether more blocks follow. */
  #entries(block: Uint8Array, from: number, most: number): boolean {
    const end = from + most * 24;
    for (let at = from; at < end && block[at] !== 0; at += 24) {
      this.numbers.push(number(block, at, 12), number(block, at + 12, 12));
    }
    return block[end] !== 0;
  }
}

/** The format 1.0: the number of parts, then their decimal numbers, one on each line; padded to a block. */
class BodyMap implements SparseMap {
  readonly name: string;
  readonly size: number;
  readonly numbers: number[] = [];
  readonly isInBody = true;
  #left: number | null = null;
  #text = "";
  #blocks = 0;

  constructor(records: ReadonlyMap<string, string>, size: number) {
    this.name = nameIn(records);
    this.size = sizeIn(records, size);
  }

  get more(): boolean {
    return this.#left !== 0;
  }

  take(block: Uint8Array): void {
    if (++this.#blocks > MOST_BLOCKS) throw tooLarge("sparse-map", "", LARGEST_MAP);
    const lines = `${this.#text}${latin1Of(block)}`.split("\n");
    this.#text = lines.pop()!;
    for (const line of lines) {
      if (this.#left === 0) return;
      const value = decimal(line);
      if (this.#left !== null) this.numbers.push(value);
      this.#left = this.#left === null ? value * 2 : this.#left - 1;
    }
    if (this.#text.length > LONGEST_NUMBER && this.#left !== 0) throw malformed();
  }
}

/** The formats 0.0 and 0.1. */
function recordMap(records: ReadonlyMap<string, string>, size: number): SparseMap {
  const numbers = (records.get(MAP) ?? "").split(",").map(decimal);
  if (numbers.length !== 2 * decimal(records.get("GNU.sparse.numblocks") ?? "")) throw malformed();
  const [name, whole] = [nameIn(records), sizeIn(records, size)];
  return { name, size: whole, numbers, more: false, isInBody: false, take: () => {} };
}

function nameIn(records: ReadonlyMap<string, string>): string {
  return records.get("GNU.sparse.name") ?? "";
}

function sizeIn(records: ReadonlyMap<string, string>, otherwise: number): number {
  const said = records.get("GNU.sparse.size") ?? records.get("GNU.sparse.realsize");
  return said === undefined ? otherwise : decimal(said);
}

function decimal(text: string): number {
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(Number(text))) throw malformed();
  return Number(text);
}

/** 1 MiB, the same limit as for other header extensions. It is the host's own (`core/wit/content.wit`). */
const MOST_BLOCKS = 2048;
const LARGEST_MAP = MOST_BLOCKS * 512;
const LONGEST_NUMBER = 16;
