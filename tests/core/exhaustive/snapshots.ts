// Stores many snapshots of one core compactly: for each, the pages that differ from the first.

const PAGE = 256;

export interface Packed {
  length: number;
  pages: Uint16Array;
  bytes: Uint8Array;
}

export class Snapshots {
  #base: Uint8Array | undefined;
  #room = new Uint8Array(0);

  pack(whole: Uint8Array): Packed {
    const base = (this.#base ??= whole.slice());
    const pages: number[] = [];
    const count = Math.ceil(whole.length / PAGE);
    const a = Buffer.from(whole.buffer, whole.byteOffset, whole.length);
    const b = Buffer.from(base.buffer, base.byteOffset, base.length);
    for (let page = 0; page < count; page++) {
      const from = page * PAGE,
        to = Math.min(from + PAGE, whole.length);
      if (to > b.length || a.compare(b, from, to, from, to) !== 0) pages.push(page);
    }
    const bytes = new Uint8Array(pages.length * PAGE);
    pages.forEach((page, at) => bytes.set(whole.subarray(page * PAGE, (page + 1) * PAGE), at * PAGE));
    return { length: whole.length, pages: Uint16Array.from(pages), bytes };
  }

  /** Valid until the next call. */
  unpack({ length, pages, bytes }: Packed): Uint8Array {
    if (this.#room.length < length + PAGE) this.#room = new Uint8Array(2 * length);
    this.#room.set((this.#base as Uint8Array).subarray(0, Math.min(length, this.#base!.length)));
    pages.forEach((page, at) => this.#room.set(bytes.subarray(at * PAGE, (at + 1) * PAGE), page * PAGE));
    return this.#room.subarray(0, length);
  }
}
