// Records everything that goes in and out of a core, in a file. `host.c` reads the file, makes the same calls to a
// core, and compares what comes out. Numbers are u32 and little-endian. The file is a sequence of
//
//   'N'                                 a new instance replaces the previous one
//   'C' TEXT LABEL, u32 EXPORT, BLOCK   the host calls an export with these values; LABEL is for error messages
//   'I' u32 IMPORT, BLOCK               during this call, the core calls an import with these values; any number of 'I'
//   'R' BLOCK                           the call returns this result, if it has one
//
// and ends with 'E'. EXPORT and IMPORT are indexes in the lists of `Doors`. TEXT is a u32 length and UTF-8 bytes.
// BLOCK is
//
//   u32 align, u32 size                          each value of a call takes eight bytes
//   u32 count, each: u32 at, u32 length, bytes   the bytes at offset `at`; all others are padding or addresses
//   u32 count, each: u32 at, BLOCK               at offset `at` is the address of this other block

import type { engine } from "../../hosts/shared/host.js";
import type { CompiledCore } from "../../hosts/driver/instance.js";
import { camel } from "../../core/bindgen/names.js";
import type { Block } from "./block.js";
import { Blocks } from "./blocks.js";
import type { Door, Doors } from "./doors.js";

/** An output of the core. */
export interface Output {
  /** The call during which it happened. */
  label: string;
  /** The import that was called, or the export that returned. */
  door: Door;
  /** Its beginning and end in the file. */
  begin: number;
  end: number;
  /** Position of the last compared byte; null if there is none. */
  last: number | null;
}

type Functions = Record<string, (...values: unknown[]) => unknown>;

/** Records the inputs and outputs of all instances of the watched cores. Only one call may run at a time. */
export class Exchange {
  readonly #doors: Doors;
  readonly #blocks: Blocks;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  /** The last step: EPOCH:STEP. */
  #epoch = 0;
  #step = 0;
  #label = "";
  #last: number | null = null;
  readonly outputs: Output[] = [];
  calls = 0;
  instances = 0;

  constructor(doors: Doors) {
    this.#doors = doors;
    this.#blocks = new Blocks(doors.layouts);
  }

  /** The whole file. */
  bytes(): Buffer {
    return Buffer.concat([...this.#chunks, Buffer.from("E")]);
  }

  /** Returns the same core, with its calls recorded. */
  watch(core: CompiledCore): CompiledCore {
    return {
      instantiate: (imports) => {
        this.instances++;
        this.#write(Buffer.from("N"));
        const watched = { ...imports };
        this.#doors.imports.forEach((door, index) => this.#watchImport(watched as never, door, index));
        const instance = core.instantiate(watched);
        const exported = this.#watchExports(instance.exports.engine as unknown as Functions);
        // A C program restores by the core's own call.
        const restore = (snapshot: Uint8Array): void => void exported["restore"]!(snapshot);
        return { ...instance, restore, exports: { ...instance.exports, engine: exported as never } };
      },
    };
  }

  #watchImport(imports: Record<string, Functions>, door: Door, index: number): void {
    const name = camel(door.func.name);
    const called = imports[door.from]![name]!;
    const watched = (...values: unknown[]): unknown => {
      this.#output(door, "I", index, this.#blocks.parameters(door.func.params, values));
      return called(...values);
    };
    imports[door.from] = { ...imports[door.from], [name]: watched };
  }

  #watchExports(exported: Functions): Functions {
    const watched: Functions = {};
    this.#doors.exports.forEach((door, index) => {
      const name = camel(door.func.name);
      watched[name] = (...values) => {
        this.#call(door, index, values);
        const result = exported[name]!(...values);
        this.#output(door, "R", null, this.#blocks.result(door.func.result, result));
        return result;
      };
    });
    return watched;
  }

  #call(door: Door, index: number, values: unknown[]): void {
    this.calls++;
    this.#count(door.func.name, values);
    const label = Buffer.from(this.#label);
    this.#write(Buffer.from("C"), u32(label.length), label, u32(index));
    this.#block(this.#blocks.parameters(door.func.params, values));
  }

  /** An instance opened from a snapshot continues with the snapshot's step. */
  #count(name: string, values: unknown[]): void {
    if (name === "open") [this.#epoch, this.#step] = [(values[0] as engine.Options).epoch, 0];
    if (name === "step") this.#step++;
    this.#label = `${this.#epoch}:${this.#step} ${name}`;
  }

  #output(door: Door, kind: string, index: number | null, block: Block): void {
    const begin = this.#length;
    this.#last = null;
    this.#write(Buffer.from(kind), ...(index === null ? [] : [u32(index)]));
    this.#block(block);
    this.outputs.push({ label: this.#label, door, begin, end: this.#length, last: this.#last });
  }

  #block(block: Block): void {
    const parts = partsOf(block);
    this.#write(u32(block.align), u32(block.size), u32(parts.length));
    for (const { at, bytes } of parts) {
      this.#write(u32(at), u32(bytes.length), bytes);
      this.#last = this.#length - 1;
    }
    this.#write(u32(block.pointers.length));
    for (const { at, to } of block.pointers) {
      this.#write(u32(at));
      this.#block(to);
    }
  }

  #write(...chunks: Uint8Array[]): void {
    this.#chunks.push(...chunks);
    for (const chunk of chunks) this.#length += chunk.length;
  }
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** The sequences of adjacent meaningful bytes. */
function partsOf({ bytes, known, size }: Block): { at: number; bytes: Uint8Array }[] {
  const parts: { at: number; bytes: Uint8Array }[] = [];
  for (let at = known.indexOf(1); at >= 0;) {
    const gap = known.indexOf(0, at);
    const end = gap < 0 ? size : gap;
    parts.push({ at, bytes: bytes.subarray(at, end) });
    at = gap < 0 ? -1 : known.indexOf(1, end);
  }
  return parts;
}
