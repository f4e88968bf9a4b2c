// A pattern of a `.dockerignore`: `*` and `?` stay within a path segment, `**` is any number of segments, `[a-z]` is a
// class, `\` makes the next character ordinary.

import { isGlob } from "../../text/glob";

const SLASH: i32 = 0x2f;
const STAR: i32 = 0x2a;
const BACKSLASH: i32 = 0x5c;
const OPEN: i32 = 0x5b;
const CLOSE: i32 = 0x5d;
const CARET: i32 = 0x5e;
const DASH: i32 = 0x2d;

/** `?`: one character of a segment. */
const ANY: i32 = -1;
/** `*`: the rest of a segment, or nothing. */
const SEGMENT: i32 = -2;
/** `**` at the end: anything, or nothing. */
const REST: i32 = -3;
/** A double star and a slash: the next token may be skipped. */
const SKIP: i32 = -4;
/** Directories, up to and with a slash. */
const DIRECTORIES: i32 = -5;
/** One of a class. Other tokens are a character. */
const CLASS: i32 = -6;

export class IgnorePattern {
  readonly isValid: bool;
  private readonly tokens: i32[] = [];
  /** By token: the text of its class without brackets; empty for others. */
  private readonly classes: string[] = [];
  /** Which tokens may be next: now, and after the next character. */
  private now: StaticArray<bool>;
  private later: StaticArray<bool>;

  /** `text`: relative and cleaned. `exception`: whether what it matches is seen after all. */
  constructor(
    readonly text: string,
    readonly exception: bool,
  ) {
    this.now = new StaticArray<bool>(0);
    this.later = new StaticArray<bool>(0);
    this.isValid = isGlob(text);
    if (this.isValid) this.read();
    this.now = new StaticArray<bool>(this.tokens.length + 1);
    this.later = new StaticArray<bool>(this.tokens.length + 1);
  }

  /**
   * Whether it matches the path, or a directory above it. All ways to match are followed at once, so the work is the
   * product of both lengths at most.
   */
  matches(path: string): bool {
    const end = this.tokens.length;
    this.now.fill(false);
    enter(this.now, this.tokens, 0);
    for (let i = 0; i < path.length; i++) {
      const unit = path.charCodeAt(i);
      if (unit == SLASH && this.now[end]) return true;
      this.later.fill(false);
      for (let at = 0; at < end; at++) if (this.now[at]) this.step(at, unit);
      const former = this.now;
      this.now = this.later;
      this.later = former;
    }
    return this.now[end];
  }

  private step(at: i32, unit: i32): void {
    const token = this.tokens[at];
    if (token == REST || (token == SEGMENT && unit != SLASH)) {
      enter(this.later, this.tokens, at);
    } else if (token == DIRECTORIES) {
      this.later[at] = true;
      if (unit == SLASH) enter(this.later, this.tokens, at + 1);
    } else if (this.takes(at, token, unit)) {
      enter(this.later, this.tokens, at + 1);
    }
  }

  private takes(at: i32, token: i32, unit: i32): bool {
    if (token == ANY) return unit != SLASH;
    return token == CLASS ? isIn(this.classes[at], unit) : token == unit;
  }

  private read(): void {
    const text = this.text;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit == STAR) at = this.readStars(at);
      else if (unit == 0x3f) this.add(ANY);
      else if (unit == OPEN) at = this.readClass(at);
      else this.add(unit == BACKSLASH ? text.charCodeAt(++at) : unit);
    }
  }

  private add(token: i32, members: string = ""): void {
    this.tokens.push(token);
    this.classes.push(members);
  }

  /** The slash after a double star belongs to it. Returns the last position that is read. */
  private readStars(at: i32): i32 {
    const text = this.text;
    if (at + 1 == text.length || text.charCodeAt(at + 1) != STAR) {
      this.add(SEGMENT);
      return at;
    }
    const hasSlash = at + 2 < text.length && text.charCodeAt(at + 2) == SLASH;
    const last = hasSlash ? at + 2 : at + 1;
    // In front of an ordinary text without a slash between them, Docker compares only the ends.
    if (last + 1 == text.length || (at == 0 && !hasSlash && isOrdinary(text.slice(last + 1)))) {
      this.add(REST);
    } else {
      this.add(SKIP);
      this.add(DIRECTORIES);
    }
    return last;
  }

  private readClass(at: i32): i32 {
    const text = this.text;
    let end = text.charCodeAt(at + 1) == CARET ? at + 2 : at + 1;
    while (text.charCodeAt(end) != CLOSE) end += text.charCodeAt(end) == BACKSLASH ? 2 : 1;
    this.add(CLASS, text.slice(at + 1, end));
    return end;
  }
}

/** Notes a token as a possible next one, and those behind it if it needs no character. */
function enter(possible: StaticArray<bool>, tokens: i32[], first: i32): void {
  for (let at = first; !possible[at]; at++) {
    possible[at] = true;
    if (at == tokens.length) return;
    const token = tokens[at];
    if (token == SKIP) possible[++at] = true;
    else if (token != SEGMENT && token != REST) return;
  }
}

function isOrdinary(text: string): bool {
  return !text.includes("*") && !text.includes("?") && !text.includes("[") && !text.includes("\\");
}

/** `members`: `a-z0-9` or `^a-z`. A class may match a slash, as in Docker. */
function isIn(members: string, unit: i32): bool {
  const isNegated = members.charCodeAt(0) == CARET;
  let found = false;
  for (let at = isNegated ? 1 : 0; at < members.length; at++) {
    if (members.charCodeAt(at) == BACKSLASH) at++;
    const low = members.charCodeAt(at);
    let high = low;
    if (at + 2 < members.length && members.charCodeAt(at + 1) == DASH) {
      at += members.charCodeAt(at + 2) == BACKSLASH ? 3 : 2;
      high = members.charCodeAt(at);
    }
    if (low <= unit && unit <= high) found = true;
  }
  return found != isNegated;
}
