// An object of settings, read by its known keys. Of all that is wrong, the first thing is told.

import { Json, JsonKind } from "../../json/json";
import { byteCount } from "../../text/byte-size";
import { BAD_DURATION, parseDuration, SECOND } from "../../text/duration";

/** What is wrong with the settings. */
export class Problem {
  /** Empty if nothing is. */
  text: string = "";

  tell(path: string, why: string): void {
    if (this.text.length == 0) this.text = `${path}: ${why}`;
  }
}

export class SettingsObject {
  private readonly json: Json;

  constructor(
    given: Json | null,
    /** `builder.gc` */
    private readonly path: string,
    known: string[],
    private readonly problem: Problem,
  ) {
    const isObject = given !== null && given.isObject;
    this.json = isObject ? given! : Json.object();
    if (!isObject && given !== null && !given.isNull) problem.tell(path, "it must be an object");
    const keys = this.json.keys;
    for (let i = 0; i < keys.length; i++) {
      if (!known.includes(keys[i]))
        problem.tell(this.at(keys[i]), `there is no such setting, only ${known.join(", ")}`);
    }
  }

  /** Null for a missing one. */
  find(key: string): Json | null {
    const found = this.json.entry(key);
    return found === null || found.isNull ? null : found;
  }

  /** `builder.gc.enabled` */
  at(key: string): string {
    return `${this.path}.${key}`;
  }

  refuse(key: string, why: string): void {
    if (this.find(key) !== null) this.problem.tell(this.at(key), why);
  }

  flag(key: string, absent: bool): bool {
    const found = this.find(key);
    if (found === null) return absent;
    if (found.kind != JsonKind.Bool) this.problem.tell(this.at(key), "it must be true or false");
    return this.json.boolOf(key);
  }

  items(key: string): Json[] {
    const found = this.find(key);
    if (found === null) return [];
    if (!found.isArray) this.problem.tell(this.at(key), "it must be a list");
    return found.items;
  }

  /** Bytes, `20GB` in powers of 1024 as Docker counts them; 0 for a missing one. */
  size(key: string): i64 {
    const found = this.find(key);
    if (found === null) return 0;
    const bytes = byteCount(found.text, 1024);
    if (bytes < 0) this.problem.tell(this.at(key), "it must be a size such as 20GB");
    return max<i64>(bytes, 0);
  }

  /** Nanoseconds: `48h`, or a number of seconds. */
  duration(key: string, absent: i64): i64 {
    const found = this.find(key);
    if (found === null) return absent;
    const seconds = this.json.i64Of(key);
    const duration = found.isString
      ? parseDuration(found.text)
      : seconds < MOST_SECONDS
        ? seconds * SECOND
        : BAD_DURATION;
    if (duration > 0) return duration;
    this.problem.tell(this.at(key), "it must be a duration such as 48h");
    return absent;
  }

  /** A whole number from 1 to `most`. */
  count(key: string, absent: i32, most: i32): i32 {
    if (this.find(key) === null) return absent;
    const count = this.json.i64Of(key);
    if (count >= 1 && count <= most) return <i32>count;
    this.problem.tell(this.at(key), `it must be a number from 1 to ${most.toString()}`);
    return absent;
  }
}

/** More would not fit 64 bits of nanoseconds. */
const MOST_SECONDS: i64 = 1 << 33;
