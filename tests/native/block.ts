// The bytes that a core and its host pass to each other, and the addresses in these bytes.

import type { Flat, Layouts } from "../../core/bindgen/layout.js";
import type { Type } from "../../core/bindgen/world.js";

/** The size in bytes of each value of a call, whatever its type is. */
const SLOT = 8;

/** A piece of memory or the values of a call, and everything that it points to. */
export class Block {
  readonly bytes: Uint8Array;
  /** 1 for each meaningful byte; the others are padding or an address. */
  readonly known: Uint8Array;
  /** In the order in which the sender allocates them. */
  readonly pointers: { at: number; to: Block }[] = [];

  constructor(
    readonly size: number,
    readonly align: number,
  ) {
    this.bytes = new Uint8Array(size);
    this.known = new Uint8Array(size);
  }

  put(at: number, size: number, value: bigint): void {
    for (let i = 0; i < size; i++) this.bytes[at + i] = Number((value >> BigInt(8 * i)) & 0xffn);
    this.known.fill(1, at, at + size);
  }

  point(at: number, to: Block): void {
    this.known.fill(0, at, at + 4);
    this.pointers.push({ at, to });
  }
}

/** The positions of a value's parts, and how they are written. */
export interface Form {
  /** The offset of each field from the start of its record. */
  fields(types: Type[]): number[];
  payload(cases: (Type | undefined)[]): number;
  put(at: number, size: number, value: bigint): void;
  list(at: number, to: Block, count: number): void;
}

export class InMemory implements Form {
  constructor(
    readonly layouts: Layouts,
    readonly block: Block,
  ) {}

  fields(types: Type[]): number[] {
    return this.layouts.offsets(types).at;
  }

  payload(cases: (Type | undefined)[]): number {
    return this.layouts.payload(cases);
  }

  put(at: number, size: number, value: bigint): void {
    this.block.put(at, size, value);
  }

  list(at: number, to: Block, count: number): void {
    this.block.point(at, to);
    this.block.put(at + 4, 4, BigInt(count));
  }
}

/** Writes the flat values of a call. A position is a value's index. Values that a variant's case does not use are 0. */
export class AsValues implements Form {
  readonly block: Block;

  constructor(
    readonly layouts: Layouts,
    readonly flats: Flat[],
  ) {
    this.block = new Block(SLOT * flats.length, SLOT);
    this.block.known.fill(1);
  }

  fields(types: Type[]): number[] {
    let next = 0;
    return types.map((type) => (next += this.layouts.flat(type).length) - this.layouts.flat(type).length);
  }

  payload(): number {
    return 1;
  }

  put(at: number, _size: number, value: bigint): void {
    const width = this.flats[at] === "i64" ? 64 : 32;
    this.block.put(SLOT * at, SLOT, BigInt.asUintN(width, value));
  }

  list(at: number, to: Block, count: number): void {
    this.block.point(SLOT * at, to);
    this.put(at + 1, 4, BigInt(count));
  }
}
