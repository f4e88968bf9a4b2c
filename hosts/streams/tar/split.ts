// Splits a tar in two (Docker's "tar-split"): the contents of the unpacked files, and its frame, which is everything
// else. Both together give exactly the same tar again, as its digest requires (OCI image spec, layer.md and config.md).

import { ByteBuilder } from "../../shared/index.js";
import type { TarEntry } from "./entry.js";
import { TarReader } from "./reader.js";
import type { TarSink } from "./sink.js";

/** Bytes of a frame, and the file whose content follows them. */
export interface SplitPart<Place> {
  bytes: Uint8Array;
  /** Null: the frame continues. */
  place: Place | null;
  /** Size of the file. */
  size: number;
}

/** A sink that reports where it puts files. */
export interface PlacingSink<Place> extends TarSink {
  /** Where the newest entry's complete file goes; null: nowhere. */
  readonly place: Place | null;
}

/** Reads a tar for a sink, and returns its frame. */
export class SplittingReader<Place> {
  readonly #reader: TarReader;
  readonly #sink: PlacingSink<Place>;
  readonly #bytes = new ByteBuilder();
  #parts: SplitPart<Place>[] = [];
  /** The sink does not keep the current body. */
  #homeless = false;

  constructor(sink: PlacingSink<Place>) {
    this.#sink = sink;
    const told: TarSink = {
      limits: sink.limits,
      entry: (entry) => this.#entry(entry),
      data: (piece) => this.#data(piece),
      hole: (size) => sink.hole(size),
      end: () => sink.end(),
    };
    this.#reader = new TarReader(told, (piece) => this.#add(piece));
  }

  /** Like `TarReader.push`. */
  push(chunk: Uint8Array): Promise<void> {
    return this.#reader.push(chunk);
  }

  end(): void {
    this.#reader.end();
  }

  /** The parts of the frame since the last call. */
  take(): SplitPart<Place>[] {
    const parts = this.#parts;
    this.#parts = [];
    if (this.#bytes.length > 0) parts.push({ bytes: this.#taken(), place: null, size: 0 });
    return parts;
  }

  #entry(entry: TarEntry): Promise<void> | void {
    const busy = this.#sink.entry(entry);
    if (busy) return busy.then(() => this.#placed(entry));
    this.#placed(entry);
  }

  #placed({ size, holes }: TarEntry): void {
    // A file with holes does not contain the body as it is in the tar.
    const place = holes > 0 ? null : this.#sink.place;
    this.#homeless = place === null;
    if (size > 0 && place !== null) this.#parts.push({ bytes: this.#taken(), place, size });
  }

  #data(piece: Uint8Array): Promise<void> | void {
    if (this.#homeless) this.#add(piece);
    return this.#sink.data(piece);
  }

  #add(piece: Uint8Array): void {
    this.#bytes.reserve(piece.length);
    this.#bytes.add(piece, 0, piece.length);
  }

  #taken(): Uint8Array {
    return new Uint8Array(this.#bytes.taken());
  }
}
