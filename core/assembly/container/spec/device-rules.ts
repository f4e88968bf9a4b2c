// `HostConfig.DeviceCgroupRules`: `c 1:3 rwm`, `b *:* r`, `a *:* rwm`, in the syntax of cgroup v1's devices.allow.

import { JsonWriter } from "../../json/writer";

export class DeviceRule {
  constructor(
    /** `c`, `b`, or `a` for both. */
    readonly type: string,
    /** -1 for any. */
    readonly major: i64,
    /** -1 for any. */
    readonly minor: i64,
    /** A subset of `rwm`. */
    readonly access: string,
  ) {}

  /** Writes the rule as an entry of `linux.resources.devices`. */
  write(json: JsonWriter): void {
    json.beginObject();
    json.boolField("allow", true);
    json.stringField("type", this.type);
    if (this.major >= 0) json.i64Field("major", this.major);
    if (this.minor >= 0) json.i64Field("minor", this.minor);
    json.stringField("access", this.access);
    json.endObject();
  }
}

/** Null if the text is not a rule. */
export function readRule(text: string): DeviceRule | null {
  const words = text.split(" ");
  if (words.length != 3) return null;
  const type = words[0];
  const numbers = words[1].split(":");
  if ((type != "a" && type != "b" && type != "c") || numbers.length != 2 || !isAccess(words[2])) return null;
  const major = numberOf(numbers[0]);
  const minor = numberOf(numbers[1]);
  return major == NONE || minor == NONE ? null : new DeviceRule(type, major, minor, words[2]);
}

/** Whether the text consists of `r`, `w` and `m`. */
export function isAccess(text: string): bool {
  for (let i = 0; i < text.length; i++) if (!"rwm".includes(text.charAt(i))) return false;
  return text.length > 0 && text.length <= 3;
}

const NONE: i64 = -2;
const MAX_DIGITS: i32 = 10;

function numberOf(text: string): i64 {
  if (text == "*") return -1;
  if (text.length == 0 || text.length > MAX_DIGITS) return NONE;
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) < 0x30 || text.charCodeAt(i) > 0x39) return NONE;
  }
  return I64.parseInt(text, 10);
}
