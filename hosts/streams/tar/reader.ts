// Reads a tar chunk by chunk as it arrives, and passes its entries to a sink. The tar-stream package is not used: it
// decodes pax records as UTF-8, which destroys the bytes of `security.capability`, and it needs two streams for each
// entry.

import { damaged, joined, tooLarge, turn } from "../../shared/index.js";
import { BLOCK, type TarEntry } from "./entry.js";
import { entryOf } from "./entry-of.js";
import { malformed, parseHeader, type Header } from "./header.js";
import { latin1Of } from "./latin1.js";
import { parsePax } from "./pax.js";
import type { TarSink } from "./sink.js";
import { runsOf, sparseMapOf, type Run, type SparseMap } from "./sparse.js";

/** What the current bytes belong to. */
enum Part {
  Header,
  /** Body of a pax or GNU header, buffered in memory. */
  Extension,
  /** A block of a sparse file's map. */
  Map,
  /** Body of a file. */
  Body,
  /** Zeros up to the next block. */
  Padding,
  /** Whatever comes after the end. */
  Rest,
}

export class TarReader {
  readonly #sink: TarSink;
  readonly #frame: (piece: Uint8Array) => void;
  #part = Part.Header;
  /** The rest of the current body. */
  #runs: Run[] = [];
  /** A sparse file whose map is being read, and the size of its data in the tar. */
  #sparse: { entry: TarEntry; map: SparseMap; inTar: number } | null = null;
  /** Bytes so far. */
  #size = 0;
  /** Bytes of all holes so far. */
  #holes = 0;
  /** Bytes left in the current part; for a header, its full size. */
  #left = BLOCK;
  #padding = 0;
  /** Bytes of a header or an extension that arrived in several chunks. */
  #kept: Uint8Array[] = [];
  #extension = "";
  #zeroBlocks = 0;
  readonly #global = new Map<string, string>();
  #local: Map<string, string> | null = null;
  #longName = "";
  #longTarget = "";

  /**
   * `frame` gets all bytes that are not in a file's body; those of an entry come before the entry. They are valid only
   * during the call.
   */
  constructor(sink: TarSink, frame: (piece: Uint8Array) => void = () => {}) {
    this.#sink = sink;
    this.#frame = frame;
  }

  /** Reads one chunk. Resolves when the next may come. */
  async push(chunk: Uint8Array): Promise<void> {
    this.#size += chunk.length;
    const most = this.#sink.limits.unpacked;
    if (this.#size > most) throw tooLarge("unpacked", "", most);
    for (let at = 0, pieces = 1; at < chunk.length; pieces++) {
      const piece = chunk.subarray(at, at + this.#left);
      at += piece.length;
      const busy = this.#take(piece);
      if (busy) await busy;
      // Parts of a sparse file may be as small as a byte, and a sink may write each synchronously.
      if (pieces % MOST_AT_ONCE === 0) await turn();
    }
  }

  /** Call this at the end of the tar. */
  end(): void {
    const between = this.#part === Part.Header && this.#left === BLOCK && !this.#local && this.#longName === "";
    // As in Go, the last file needs no padding if nothing follows: the docker CLI sends such contexts.
    const unpadded = this.#part === Part.Padding && this.#left === this.#padding;
    if (!between && !unpadded && this.#part !== Part.Rest) throw damaged("cut");
  }

  /** Takes the next bytes of the current part, never more than it has left. */
  #take(piece: Uint8Array): Promise<void> | void {
    if (this.#part !== Part.Body) this.#frame(piece);
    if (this.#part === Part.Rest) return;
    this.#left -= piece.length;
    if (this.#part === Part.Body) {
      const busy = this.#sink.data(piece);
      if (this.#left > 0) return busy;
      if (busy) return busy.then(() => this.#nextRun());
      return this.#nextRun();
    }
    if (this.#part === Part.Padding) {
      if (this.#left === 0) this.#expectHeader();
      return;
    }
    if (this.#left > 0) return void this.#kept.push(new Uint8Array(piece));
    const whole = this.#kept.length === 0 ? piece : joined([...this.#kept, piece]);
    this.#kept = [];
    if (this.#part === Part.Header) return this.#header(whole);
    if (this.#part === Part.Map) return this.#map(whole);
    this.#extend(whole);
  }

  #expectHeader(): void {
    this.#part = Part.Header;
    this.#left = BLOCK;
  }

  /** Continues after a body, with padding if there is any. */
  #pad(): void {
    if (this.#padding === 0) return this.#expectHeader();
    this.#part = Part.Padding;
    this.#left = this.#padding;
  }

  #endBody(): Promise<void> | void {
    const busy = this.#sink.end();
    if (busy) return busy.then(() => this.#pad());
    this.#pad();
  }

  #header(block: Uint8Array): Promise<void> | void {
    const header = parseHeader(block);
    this.#left = BLOCK;
    if (!header) {
      this.#zeroBlocks++;
      if (this.#zeroBlocks === 2) {
        this.#part = Part.Rest;
        this.#left = Infinity;
      }
      return;
    }
    if (this.#zeroBlocks > 0) throw malformed();
    if (!EXTENSIONS.has(header.flag)) return this.#entry(header, block);
    this.#beginExtension(header);
  }

  #beginExtension({ size, flag }: Header): void {
    if (size < 0 || size > LARGEST_EXTENSION) throw malformed();
    this.#part = Part.Extension;
    this.#left = size;
    this.#padding = paddingAfter(size);
    this.#extension = flag;
    if (size === 0) this.#pad();
  }

  #extend(body: Uint8Array): void {
    if (this.#extension === "g") parsePax(body, this.#global);
    else if (this.#extension === "x") parsePax(body, (this.#local ??= new Map()));
    else if (this.#extension === "L") this.#longName = upToNul(body);
    else this.#longTarget = upToNul(body);
    this.#pad();
  }

  #entry(header: Header, block: Uint8Array): Promise<void> | void {
    const own = this.#local ?? new Map<string, string>();
    if (this.#longName) header.name = this.#longName;
    if (this.#longTarget) header.target = this.#longTarget;
    this.#local = null;
    this.#longName = this.#longTarget = "";
    const entry = entryOf(header, this.#global.size > 0 ? new Map([...this.#global, ...own]) : own);
    if (entry.size < 0) throw malformed();
    const map = sparseMapOf(block, header.flag, entry.size, own);
    if (map) return this.#beginMap(entry, map);
    // Only files have a body, whatever the size says: some writers store the length of a link's target there.
    return this.#tell(entry, [{ size: entry.size, isHole: false }], entry.size);
  }

  #beginMap(entry: TarEntry, map: SparseMap): Promise<void> | void {
    if (entry.type !== "file" || map.name.includes("\0")) throw malformed();
    if (map.name !== "") entry.name = map.name;
    this.#sparse = { entry, map, inTar: entry.size };
    return this.#goOnWithMap();
  }

  #map(block: Uint8Array): Promise<void> | void {
    const { map } = this.#sparse!;
    map.take(block);
    if (map.isInBody) this.#sparse!.inTar -= BLOCK;
    return this.#goOnWithMap();
  }

  #goOnWithMap(): Promise<void> | void {
    const { entry, map, inTar } = this.#sparse!;
    if (map.more && map.isInBody && inTar < BLOCK) throw damaged("cut");
    if (map.more) {
      this.#part = Part.Map;
      this.#left = BLOCK;
      return;
    }
    this.#sparse = null;
    const runs = runsOf(map, inTar);
    entry.size = map.size;
    entry.holes = map.size - inTar;
    this.#count(entry.holes);
    return this.#tell(entry, runs, inTar);
  }

  #count(holes: number): void {
    this.#holes += holes;
    const most = this.#sink.limits.holes;
    if (this.#holes > most) throw tooLarge("holes", "", most);
  }

  /** `inTar`: size of the body in the tar. */
  #tell(entry: TarEntry, runs: Run[], inTar: number): Promise<void> | void {
    const busy = this.#sink.entry(entry);
    const begin = (): Promise<void> | void => {
      if (entry.type !== "file") return this.#expectHeader();
      this.#padding = paddingAfter(inTar);
      this.#runs = runs.reverse();
      return this.#nextRun();
    };
    return busy ? busy.then(begin) : begin();
  }

  /** Continues within a body, or after it. */
  #nextRun(): Promise<void> | void {
    for (let run = this.#runs.pop(); run; run = this.#runs.pop()) {
      if (run.isHole) {
        this.#sink.hole(run.size);
      } else if (run.size > 0) {
        this.#part = Part.Body;
        this.#left = run.size;
        return;
      }
    }
    return this.#endBody();
  }
}

function paddingAfter(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

function upToNul(body: Uint8Array): string {
  const end = body.indexOf(0);
  return latin1Of(body, 0, end < 0 ? body.length : end);
}

/** pax for one entry, pax for all later ones, GNU long name, GNU long link target. */
const EXTENSIONS = new Set(["x", "g", "L", "K"]);
const LARGEST_EXTENSION = 1 << 20;
/** Pieces of one chunk before others have a turn. An ordinary chunk has fewer headers and bodies. */
const MOST_AT_ONCE = 1024;
