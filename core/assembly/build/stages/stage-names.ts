// What names and numbers of stages mean.

import { parseReference } from "../../image/reference";
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
  /** How many of them, the first ones, are named contexts. Numbers do not count those. */
  contexts: i32 = 0;
  private readonly places: Map<string, i32> = new Map<string, i32>();

  /** Adds the next stage; false if its name is taken. An empty name is none. */
  add(name: string): bool {
    const place = this.count++;
    if (name.length == 0) return true;
    if (this.places.has(name)) return false;
    this.places.set(name, place);
    return true;
  }

  /** The same for a named context; they come before the stages. */
  addContext(name: string): bool {
    if (!this.add(name)) return false;
    this.contexts += 1;
    return true;
  }

  /** Whether `name`, in lower case, is that of a named context. */
  isContext(name: string): bool {
    return this.places.has(name) && this.places.get(name) < this.contexts;
  }

  /** `name` in lower case; -1 if no stage has it. */
  place(name: string): i32 {
    if (this.places.has(name)) return this.places.get(name);
    if (this.contexts == 0 || name.length == 0) return -1;
    const context = familiarContext(name);
    return this.isContext(context) ? this.places.get(context) : -1;
  }

  /** The earlier stage that a lower-case `from` means in a stage; -1 if it means none. Without named contexts it allocates nothing. */
  stageOf(from: string, stage: i32): i32 {
    if (from.length == 0) return -1;
    if (!isNumber(from)) {
      const place = this.place(from);
      return place < stage ? place : -1;
    }
    const number = decimalOf(from, i32.MAX_VALUE);
    return number >= 0 && number < stage - this.contexts ? number + this.contexts : -1;
  }

  /** What `from` means in a stage: only earlier stages count, and a stage's own name is that of an image. */
  origin(from: string, stage: i32): Origin {
    if (from.length == 0) return new Origin(-1, "", "");
    if (isNumber(from)) {
      const number = decimalOf(from, i32.MAX_VALUE);
      const own = stage - this.contexts;
      if (number >= 0 && number < own) return new Origin(number + this.contexts, "", "");
      const why = number == own ? "refers to current build stage" : "index out of bounds";
      return new Origin(-1, "", `invalid from flag value ${from}: ${why}`);
    }
    const place = this.place(from.toLowerCase());
    return place >= 0 && place < stage ? new Origin(place, "", "") : new Origin(-1, from, "");
  }
}

/** The name of a context as that of an image: `docker.io/library/busybox:latest` is `busybox`. */
export function familiarContext(name: string): string {
  const reference = parseReference(name);
  if (reference === null) return name;
  if (reference.tag == "latest" && reference.digest.length == 0) reference.tag = "";
  return reference.familiar;
}

/** Digits, with or without a sign, however many. */
function isNumber(text: string): bool {
  const first = text.charCodeAt(0);
  let at = first == 0x2b || first == 0x2d ? 1 : 0;
  if (at == text.length) return false;
  for (; at < text.length; at++) if (text.charCodeAt(at) < 0x30 || text.charCodeAt(at) > 0x39) return false;
  return true;
}
