// How much readers of events are told in one moment: who asks for something meanwhile comes first. Clients that have just
// connected stand in a line, of which a host takes one in each turn of its loop. While requests come, readers therefore
// get little, and most of each moment is left to the line; else they get much, one turn after the other.

import { engine } from "../state";

/** Bytes that readers are sent in one moment, however many steps it has. */
const MUCH: i32 = 1 << 20;
/** The same while requests come. */
const LITTLE: i32 = 128 * 1024;
/** Nanoseconds. */
const MOMENT: u64 = 5_000_000;

export class Moment {
  private began: u64 = 0;
  private bytes: i32 = 0;
  private most: i32 = MUCH;
  /** A request has come since readers had their last turn. */
  private requested: bool = false;

  request(): void {
    this.requested = true;
    this.most = LITTLE;
  }

  /** Readers were sent so much, or it was as much work. */
  spend(bytes: i32): void {
    if (this.left == 0) this.begin();
    this.bytes += bytes;
  }

  /** No more is sent in this moment. */
  get spent(): bool {
    return this.bytes >= this.most && this.left > 0;
  }

  /** Readers who had to wait have their turn. */
  turn(): void {
    this.most = this.requested ? LITTLE : MUCH;
    this.requested = false;
    this.begin();
  }

  /** Nanoseconds to their next one. */
  get untilTurn(): u64 {
    return this.most == LITTLE ? this.left : 0;
  }

  private begin(): void {
    this.began = engine.now.monotonic;
    this.bytes = 0;
  }

  /** Nanoseconds of it. */
  private get left(): u64 {
    const gone = engine.now.monotonic - this.began;
    return gone < MOMENT ? MOMENT - gone : 0;
  }
}
