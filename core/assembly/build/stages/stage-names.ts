// What names and numbers of stages mean.

import { decimalOf } from "../../text/decimal";

/** Where files come from: a stage, an image, or the context. */
export class Origin {
  constructor(
    /** -1: not a stage. */
    readonly stage: i32,
    /** Empty: not an image. */
    readonly image: string,
    /** Docker's sentence for a number without a stage; empty if there is none. */
    readonly problem: string,
  ) {}
}

export class StageNames {
  private count: i32 = 0;
  private readonly places: Map<string, i32> = new Map<string, i32>();

  /** Adds the next stage; false if its name is taken. An empty name is none. */
  add(name: string): bool {
    const place = this.count++;
    if (name.length == 0) return true;
    if (this.places.has(name)) return false;
    this.places.set(name, place);
    return true;
  }

  /** `name` in lower case; -1 if no stage has it. */
  place(name: string): i32 {
    return this.places.has(name) ? this.places.get(name) : -1;
  }

  /** What `from` means in a stage: only earlier stages count, and a stage's own name is that of an image. */
  origin(from: string, stage: i32): Origin {
    if (from.length == 0) return new Origin(-1, "", "");
    const number = decimalOf(from, i32.MAX_VALUE);
    if (number >= stage) return new Origin(-1, "", `invalid from flag value ${from}: index out of bounds`);
    if (number >= 0) return new Origin(number, "", "");
    const place = this.place(from.toLowerCase());
    return place >= 0 && place < stage ? new Origin(place, "", "") : new Origin(-1, from, "");
  }
}
