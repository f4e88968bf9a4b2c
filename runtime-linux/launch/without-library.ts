// Executables that do not load one of their shared libraries (elf(5)). crun and conmon are linked to libsystemd for work
// that the engine never asks them for: control groups by way of systemd, logs in the journal. It brings five more
// libraries along. Loading these makes a fifth of the page faults in which crun starts, and a third of conmon's; and each
// supervisor keeps 140 to 180 KiB for them as long as its container runs.

/**
 * A copy that does without `library`. Whatever it calls of it is missing there, and a call ends the program. Undefined:
 * it does not load the library, or is not a file of the one form that is known here (64 bits, little-endian, symbols with
 * versions).
 */
export function withoutLibrary(file: Uint8Array, library: string): Uint8Array | undefined {
  if (!isKnown(file)) return undefined;
  try {
    const program = new DynamicProgram(Buffer.from(file));
    return program.drop(library) ? program.bytes : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined; // it points outside itself
    throw error;
  }
}

function isKnown(file: Uint8Array): boolean {
  return HEAD.every((byte, at) => file[at] === byte);
}

/** Magic, ELFCLASS64, ELFDATA2LSB. */
const HEAD = [0x7f, 0x45, 0x4c, 0x46, 2, 1];
const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const SHT_DYNSYM = 11;
const DT_NEEDED = 1;
const DT_STRTAB = 5;
const DT_SYMTAB = 6;
const DT_VERSYM = 0x6ffffff0;
const DT_VERNEED = 0x6ffffffe;
const DT_VERNEEDNUM = 0x6fffffff;
const VER_NDX_GLOBAL = 1;
/** The bit of a symbol's version that hides it. */
const HIDDEN = 0x8000;
const STB_WEAK = 2;
const STT_FUNC = 2;
const SHN_UNDEF = 0;
const DYNAMIC_BYTES = 16;
const SYMBOL_BYTES = 24;

interface Segment {
  type: number;
  offset: number;
  address: number;
  size: number;
}

interface Entry {
  /** Where it is in the file. */
  at: number;
  tag: number;
  value: number;
}

class DynamicProgram {
  readonly #segments: Segment[];
  readonly #entries: Entry[];

  constructor(readonly bytes: Buffer) {
    this.#segments = this.#table(32, 54).map((at) => ({
      type: bytes.readUInt32LE(at),
      offset: this.#long(at + 8),
      address: this.#long(at + 16),
      size: this.#long(at + 32),
    }));
    this.#entries = this.#readEntries();
  }

  /** False, and nothing is changed: it does not need the library, needs more than functions of it, or does not say what. */
  drop(library: string): boolean {
    const needed = this.#entries.find(({ tag, value }) => tag === DT_NEEDED && this.#text(value) === library);
    const versions = this.#versionsOf(library);
    if (needed === undefined || versions.size === 0) return false;
    const symbols = this.#symbols().filter(({ version }) => versions.has(this.#version(version)));
    if (symbols.length === 0 || !symbols.every(({ at }) => this.#isFunctionElsewhere(at))) return false;
    if (!this.#dropVersions(library)) return false;
    for (const symbol of symbols) this.#weaken(symbol);
    const last = this.#entries.at(-1)!.at + 2 * DYNAMIC_BYTES; // with the one that ends the table
    this.bytes.copyWithin(needed.at, needed.at + DYNAMIC_BYTES, last);
    return true;
  }

  #isFunctionElsewhere(symbol: number): boolean {
    return (this.bytes[symbol + 4]! & 0xf) === STT_FUNC && this.bytes.readUInt16LE(symbol + 6) === SHN_UNDEF;
  }

  /** A weak symbol that no library has is null, and without a version none is searched for. */
  #weaken({ at, version }: { at: number; version: number }): void {
    this.bytes[at + 4] = (STB_WEAK << 4) | (this.bytes[at + 4]! & 0xf);
    this.bytes.writeUInt16LE(VER_NDX_GLOBAL, version);
  }

  /** Takes the library out of the list of needed versions. False if it is the only one there. */
  #dropVersions(library: string): boolean {
    const files = this.#versionFiles();
    const index = files.findIndex(({ name }) => name === library);
    const [before, at, after] = [files[index - 1]?.at, files[index]!.at, files[index + 1]?.at];
    if (before !== undefined) this.bytes.writeUInt32LE(after === undefined ? 0 : after - before, before + 12);
    else if (after === undefined) return false;
    else this.#write(DT_VERNEED, this.#entry(DT_VERNEED) + after - at);
    this.#write(DT_VERNEEDNUM, files.length - 1);
    return true;
  }

  /** The libraries of which versions are needed. */
  #versionFiles(): { at: number; name: string }[] {
    const places = this.#chain(this.#offset(this.#entry(DT_VERNEED)));
    return places.map((at) => ({ at, name: this.#text(this.bytes.readUInt32LE(at + 4)) }));
  }

  /** Numbers of the versions that are needed of a library. */
  #versionsOf(library: string): Set<number> {
    const file = this.#versionFiles().find(({ name }) => name === library);
    if (file === undefined) return new Set();
    const places = this.#chain(file.at + this.bytes.readUInt32LE(file.at + 8));
    return new Set(places.map((at) => this.#version(at + 6)));
  }

  /** Places of a list in which each part says how far the next one is; the last says 0. */
  #chain(first: number): number[] {
    const places = [first];
    for (let next = this.bytes.readUInt32LE(first + 12); next > 0;) {
      const place: number = places.at(-1)! + next;
      places.push(place);
      next = this.bytes.readUInt32LE(place + 12);
    }
    return places;
  }

  #version(at: number): number {
    return this.bytes.readUInt16LE(at) & ~HIDDEN;
  }

  /** Where each symbol and its version are. */
  #symbols(): { at: number; version: number }[] {
    const section = this.#table(40, 58).find((at) => this.bytes.readUInt32LE(at + 4) === SHT_DYNSYM);
    const bytes = section === undefined ? 0 : this.#inside(this.#long(section + 32), 0);
    const [symbols, versions] = [this.#offset(this.#entry(DT_SYMTAB)), this.#offset(this.#entry(DT_VERSYM))];
    return Array.from({ length: bytes / SYMBOL_BYTES }, (_, i) => ({
      at: symbols + SYMBOL_BYTES * i,
      version: versions + 2 * i,
    }));
  }

  #readEntries(): Entry[] {
    const { offset, size } = this.#segments.find(({ type }) => type === PT_DYNAMIC) ?? { offset: 0, size: 0 };
    const all = Array.from(
      { length: this.#inside(size, offset) / DYNAMIC_BYTES },
      (_, i) => offset + DYNAMIC_BYTES * i,
    );
    const entries = all.map((at) => ({ at, tag: this.#long(at), value: this.#long(at + 8) }));
    return entries.slice(
      0,
      entries.findIndex(({ tag }) => tag === 0),
    );
  }

  /** Offsets of the parts of a table. `place`: of its own offset in the head; `size`: of its parts' size, then number. */
  #table(place: number, size: number): number[] {
    const [start, bytes, count] = [this.#long(place), this.bytes.readUInt16LE(size), this.bytes.readUInt16LE(size + 2)];
    return Array.from({ length: this.#inside(count * bytes, start) / bytes }, (_, i) => start + i * bytes);
  }

  /** `size`, if so many bytes are there from `start` on. */
  #inside(size: number, start: number): number {
    if (start + size > this.bytes.length) throw new RangeError("it is cut short");
    return size;
  }

  #entry(wanted: number): number {
    const found = this.#entries.find(({ tag }) => tag === wanted);
    if (found === undefined) throw new RangeError(`no entry ${wanted}`);
    return found.value;
  }

  #write(wanted: number, value: number): void {
    this.bytes.writeBigUInt64LE(BigInt(value), this.#entries.find(({ tag }) => tag === wanted)!.at + 8);
  }

  /** Where in the file an address of the running program is. */
  #offset(address: number): number {
    const found = this.#segments.find(
      ({ type, address: start, size }) => type === PT_LOAD && address >= start && address < start + size,
    );
    if (found === undefined) throw new RangeError(`nothing at ${address}`);
    return address - found.address + found.offset;
  }

  #text(place: number): string {
    const start = this.#offset(this.#entry(DT_STRTAB)) + place;
    return this.bytes.toString("latin1", start, this.bytes.indexOf(0, start));
  }

  #long(at: number): number {
    return Number(this.bytes.readBigUInt64LE(at));
  }
}
