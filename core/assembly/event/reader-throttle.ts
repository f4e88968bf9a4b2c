// How much is sent to readers of events in one time slot, so that other requests are not held up. New connections wait
// in the kernel's queue, and a host accepts one in each turn of its loop. So while requests arrive, readers get little,
// and most of each slot is left to the queue. Otherwise they get much, one slot after the other.

import { engine } from "../state";

/** Bytes that readers get in one slot, over all its steps. */
const MUCH: i32 = 1 << 20;
/** The same, but while requests arrive. */
const LITTLE: i32 = 128 * 1024;
const SLOT_NS: u64 = 5_000_000;

export class ReaderThrottle {
  private began: u64 = 0;
  private bytes: i32 = 0;
  private most: i32 = MUCH;
  /** A request has arrived since the readers' last turn. */
  private requested: bool = false;

  request(): void {
    this.requested = true;
    this.most = LITTLE;
  }

  /** Accounts for bytes sent to readers, or work that takes as long. */
  spend(bytes: i32): void {
    if (this.left == 0) this.begin();
    this.bytes += bytes;
  }

  /** Nothing more is sent in this slot. */
  get spent(): bool {
    return this.bytes >= this.most && this.left > 0;
  }

  /** The readers that had to wait get their turn. */
  turn(): void {
    this.most = this.requested ? LITTLE : MUCH;
    this.requested = false;
    this.begin();
  }

  /** Nanoseconds until their next turn. */
  get untilTurn(): u64 {
    return this.most == LITTLE ? this.left : 0;
  }

  private begin(): void {
    this.began = engine.now.monotonic;
    this.bytes = 0;
  }

  /** Nanoseconds left in the slot. */
  private get left(): u64 {
    const gone = engine.now.monotonic - this.began;
    return gone < SLOT_NS ? SLOT_NS - gone : 0;
  }
}
