// How much all stages of a build hold that is not told yet. Stages whose turn has not come pause while it is too much.

/** Bytes of lines that wait. */
const MOST_BYTES: i32 = 256 * 1024;
/** Containers that wait for their removal, since they have the logs. */
const MOST_CONTAINERS: i32 = 16;

/** Waits until less is held. */
export interface HeldReader {
  heldLess(): void;
}

export class HeldOutput {
  private bytes: i32 = 0;
  private containers: i32 = 0;
  private waiting: HeldReader[] = [];

  /** Also with negative numbers. */
  add(bytes: i32, containers: i32): void {
    this.bytes += bytes;
    this.containers += containers;
  }

  get isTooMuch(): bool {
    return this.bytes > MOST_BYTES || this.containers > MOST_CONTAINERS;
  }

  /** Tells the reader once, as soon as it is not too much any more. */
  whenRoom(reader: HeldReader): void {
    this.waiting.push(reader);
  }

  tellRoom(): void {
    while (this.waiting.length > 0 && !this.isTooMuch) this.waiting.shift().heldLess();
  }
}
