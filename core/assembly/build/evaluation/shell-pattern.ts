// Patterns of `${NAME#pattern}` and the like: `*` is any text, `?` any character, `\` makes the next one ordinary.

import { TextBuilder } from "../../text/builder";

const STAR: i32 = -1;
const ANY: i32 = -2;
const BACKSLASH: i32 = 0x5c;
export class ShellPattern {
  /** The character behind a backslash that needs none; empty if the pattern is valid. */
  badEscape: string = "";
  private readonly tokens: i32[] = [];

  constructor(pattern: string) {
    for (let i = 0; i < pattern.length && this.badEscape.length == 0; i++) {
      const unit = pattern.charCodeAt(i);
      if (unit == 0x2a) this.tokens.push(STAR);
      else if (unit == 0x3f) this.tokens.push(ANY);
      else if (unit != BACKSLASH) this.tokens.push(unit);
      else this.badEscape = this.escaped(pattern, ++i);
    }
  }

  /** Steps that comparing with this value takes at most. */
  workWith(value: string): i64 {
    return (1 + <i64>this.tokens.length) * (1 + <i64>value.length);
  }

  /** The value without the shortest, or longest, beginning that matches. */
  withoutPrefix(value: string, longest: bool): string {
    const end = new Match(this.tokens, value, false).end(0, longest);
    return end < 0 ? value : value.slice(end);
  }

  /** The value without the shortest, or longest, end that matches. */
  withoutSuffix(value: string, longest: bool): string {
    const tokens = this.tokens.slice(0).reverse();
    const end = new Match(tokens, value, true).end(0, longest);
    return end < 0 ? value : value.slice(0, value.length - end);
  }

  /** The first, or each, longest match from the left becomes `replacement`. Null if the result is above `limit`. */
  replaced(value: string, replacement: string, all: bool, limit: i32): string | null {
    const match = new Match(this.tokens, value, false);
    const result = new TextBuilder();
    let from = 0;
    let at = 0;
    // An empty match right behind another match is none.
    let last = -1;
    while (at <= value.length) {
      const end = match.end(at, true);
      if (end < 0 && match.hopeless) break;
      if (end < 0 || (end == at && at == last)) {
        at++;
        continue;
      }
      result.text(value.slice(from, at)).text(replacement);
      if (result.length > limit) return null;
      from = end;
      last = end;
      if (!all) break;
      at = end == at ? at + 1 : end;
    }
    return result.text(value.slice(from)).toString();
  }

  private escaped(pattern: string, at: i32): string {
    if (at == pattern.length) return "\ufffd";
    const unit = pattern.charCodeAt(at);
    if (unit != 0x7d && unit != 0x2f && unit != 0x2a && unit != 0x3f && unit != BACKSLASH) return pattern.charAt(at);
    this.tokens.push(unit);
    return "";
  }
}

// Between stars a pattern is found where it first occurs. Only its last part may be searched from the other end.
class Match {
  /** Whether a later start cannot match either. */
  hopeless: bool = false;

  constructor(
    private readonly tokens: i32[],
    private readonly value: string,
    /** The value is read from its end. */
    private readonly backwards: bool,
  ) {}

  /** Where the match that begins at `start` ends; -1 if there is none. */
  end(start: i32, longest: bool): i32 {
    this.hopeless = false;
    let segment = this.segmentEnd(0);
    if (!this.isAt(0, segment, start)) return -1;
    let at = start + segment;
    while (segment < this.tokens.length) {
      const from = segment + 1;
      segment = this.segmentEnd(from);
      const isLast = segment == this.tokens.length;
      const found = isLast && longest ? this.lastPlace(from, segment, at) : this.firstPlace(from, segment, at);
      if (found < 0) {
        this.hopeless = true;
        return -1;
      }
      at = found + segment - from;
    }
    return at;
  }

  private segmentEnd(from: i32): i32 {
    let end = from;
    while (end < this.tokens.length && this.tokens[end] != STAR) end++;
    return end;
  }

  private isAt(from: i32, to: i32, at: i32): bool {
    if (at + to - from > this.value.length) return false;
    for (let i = from; i < to; i++) {
      if (this.tokens[i] != ANY && this.tokens[i] != this.unit(at + i - from)) return false;
    }
    return true;
  }

  private unit(at: i32): i32 {
    return this.value.charCodeAt(this.backwards ? this.value.length - 1 - at : at);
  }

  private firstPlace(from: i32, to: i32, at: i32): i32 {
    for (let place = at; place + to - from <= this.value.length; place++) if (this.isAt(from, to, place)) return place;
    return -1;
  }

  private lastPlace(from: i32, to: i32, at: i32): i32 {
    for (let place = this.value.length - (to - from); place >= at; place--)
      if (this.isAt(from, to, place)) return place;
    return -1;
  }
}
