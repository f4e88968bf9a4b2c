// The frame of a tar: all of its bytes that are not in the files unpacked from it. Frame and files together are the very
// same tar again, as its digest demands (OCI image spec, layer.md and config.md).

import { ByteBuilder } from "../bytes.js";
import type { TarEntry } from "./entry.js";
import { TarReader } from "./reader.js";
import type { TarSink } from "./sink.js";

/** Bytes of a frame, and the file whose content follows them. */
export interface FramePart<Place> {
  bytes: Uint8Array;
  /** Null: more of the frame follows. */
  place: Place | null;
  /** Bytes of the file. */
  size: number;
}

/** A sink that says where it puts what it is told. */
export interface PlacingSink<Place> extends TarSink {
  /** Where the newest entry's file goes, all of it; null: nowhere. */
  readonly place: Place | null;
}

/** Reads a tar for a sink, and gives its frame. */
export class FramedReader<Place> {
  readonly #reader: TarReader;
  readonly #sink: PlacingSink<Place>;
  readonly #bytes = new ByteBuilder();
  #parts: FramePart<Place>[] = [];
  /** The body at hand is not kept by the sink. */
  #homeless = false;

  constructor(sink: PlacingSink<Place>) {
    this.#sink = sink;
    const told: TarSink = {
      mostHoles: sink.mostHoles,
      entry: (entry) => this.#entry(entry),
      data: (piece) => this.#data(piece),
      hole: (size) => sink.hole(size),
      end: () => sink.end(),
    };
    this.#reader = new TarReader(told, (piece) => this.#add(piece));
  }

  /** As `TarReader` does. */
  push(chunk: Uint8Array): Promise<void> {
    return this.#reader.push(chunk);
  }

  end(): void {
    this.#reader.end();
  }

  /** What of the frame has come since the last time. */
  take(): FramePart<Place>[] {
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
    // A file with holes has not its body, one after the other, as the tar has it.
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
