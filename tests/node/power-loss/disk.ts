// A file on a disk that may lose power: flushed writes are on it; of unflushed writes each sector may or may not be.

/** The unit that a disk writes completely or not at all. */
const SECTOR = 512;

export class Disk {
  #flushed: Uint8Array = new Uint8Array();
  /** In the order of writing. */
  #written: { at: number; bytes: Buffer }[] = [];

  /** How many writes `flushLater` was told to flush. */
  #due = 0;

  write(at: number, bytes: Buffer): void {
    this.#written.push({ at, bytes });
  }

  /** Everything written so far is on the disk. */
  flush(): void {
    this.#flushed = this.#with(this.#written);
    this.#written = [];
  }

  /** Completes the previous flush now; writes since then will follow at the next one. */
  flushLater(): void {
    const due = this.#due;
    this.#flushed = this.#with(this.#written.slice(0, due));
    this.#written = this.#written.slice(due);
    this.#due = this.#written.length;
  }

  /** The last write is on the disk, but no earlier one. */
  flushLast(): void {
    this.#flushed = this.#with(this.#written.splice(-1));
  }

  /** Number of writes that are not on the disk yet. */
  get unflushed(): number {
    return this.#written.length;
  }

  /** The file after a power loss now. For each sector, `pick(n)` returns how many of its n writes are on the disk. */
  afterLoss(pick: (writes: number) => number): Uint8Array {
    const counts = new Map<number, number>();
    const sectors = this.#written.flatMap(({ at, bytes }) => {
      const pieces: { sector: number; at: number; bytes: Buffer }[] = [];
      for (let from = 0; from < bytes.length;) {
        const sector = Math.floor((at + from) / SECTOR);
        const to = Math.min(bytes.length, (sector + 1) * SECTOR - at);
        pieces.push({ sector, at: at + from, bytes: bytes.subarray(from, to) });
        counts.set(sector, (counts.get(sector) ?? 0) + 1);
        from = to;
      }
      return pieces;
    });
    const left = new Map([...counts].map(([sector, writes]) => [sector, pick(writes)]));
    return this.#with(
      sectors.filter(({ sector }) => {
        const more = left.get(sector) ?? 0;
        left.set(sector, more - 1);
        return more > 0;
      }),
    );
  }

  #with(writes: readonly { at: number; bytes: Uint8Array }[]): Uint8Array {
    const end = Math.max(this.#flushed.length, ...writes.map(({ at, bytes }) => at + bytes.length));
    const file = new Uint8Array(end);
    file.set(this.#flushed);
    for (const { at, bytes } of writes) file.set(bytes, at);
    return file;
  }
}
