// Substitutes variables in a word of a Dockerfile, and resolves its quotes and escapes (Dockerfile reference,
// "Environment replacement").

import { TextBuilder } from "../../text/builder";
import { quoteText } from "../../text/go-quote";
import { isSpace } from "../../text/space";
import { Budget } from "./budget";
import { ShellPattern } from "./shell-pattern";

const DOLLAR: i32 = 0x24;
const SINGLE: i32 = 0x27;
const DOUBLE: i32 = 0x22;
const OPEN: i32 = 0x7b;
const CLOSE: i32 = 0x7d;
const COLON: i32 = 0x3a;
const SLASH: i32 = 0x2f;
const END: i32 = -1;
/** Limit of `${a:-${b:-…}}`. */
const MAX_NESTED: i32 = 64;
/** Variables of shells with these names exist; they are never set here. */
const SPECIAL: string = "@*#?-$!";
const TOO_MUCH_WORK: string = "the pattern in a substitution is too long";
const MISSING_BRACE: string = "syntax error: missing '}'";

/** Where variables are found. */
export interface Values {
  /** Null for a variable that is not set. */
  find(name: string): string | null;
}

export class Substituted {
  constructor(
    readonly text: string,
    /** The text, split at white space outside of quotes; that of a variable's value counts. */
    readonly words: string[],
    /** Docker's sentence; empty if all is well. */
    readonly problem: string,
  ) {}
}

/** `escape`: the escape character of the Dockerfile. `quotes`: whether quotes protect what is in them. */
export function substitute(
  word: string,
  values: Values,
  escape: i32,
  budget: Budget,
  quotes: bool = true,
): Substituted {
  const reader = new Reader(word, values, escape, budget, quotes);
  const result = reader.read(END, false);
  if (reader.problem.length == 0) return new Substituted(result.text, result.words(), "");
  const problem = budget.isSpent ? budget.problem : `failed to process ${quoteText(word)}: ${reader.problem}`;
  return new Substituted("", [], problem);
}

/** A text that knows which of its white space separates words. */
class Pieces {
  private readonly whole: TextBuilder = new TextBuilder();
  private readonly word: TextBuilder = new TextBuilder();
  private readonly split: string[] = [];

  get text(): string {
    return this.whole.toString();
  }

  /** White space in it separates words. */
  loose(text: string): void {
    for (let i = 0; i < text.length; i++) this.looseUnit(text.charCodeAt(i));
  }

  looseUnit(unit: i32): void {
    this.whole.unit(unit);
    if (isSpace(unit)) this.endWord();
    else this.word.unit(unit);
  }

  /** It is part of one word. */
  fast(text: string): void {
    this.whole.text(text);
    this.word.text(text);
  }

  fastUnit(unit: i32): void {
    this.whole.unit(unit);
    this.word.unit(unit);
  }

  words(): string[] {
    this.endWord();
    return this.split;
  }

  private endWord(): void {
    if (this.word.length > 0) this.split.push(this.word.toString());
    this.word.reset();
  }
}

class Reader {
  problem: string = "";
  private at: i32 = 0;
  private nested: i32 = 0;

  constructor(
    private readonly source: string,
    private readonly values: Values,
    private readonly escape: i32,
    private readonly budget: Budget,
    private readonly quotes: bool,
  ) {}

  /** Reads up to `stop`, which it consumes. `raw`: escapes stay. */
  read(stop: i32, raw: bool): Pieces {
    const result = new Pieces();
    while (this.problem.length == 0 && this.peek() != END) {
      const unit = this.next();
      if (unit == stop) return result;
      if (this.quotes && unit == SINGLE) result.fast(this.singleQuoted());
      else if (this.quotes && unit == DOUBLE) result.fast(this.doubleQuoted(raw));
      else if (unit == DOLLAR) result.loose(this.variable());
      else if (unit != this.escape) result.looseUnit(unit);
      else this.escaped(result, raw);
    }
    if (stop != END) this.fail(stop == SLASH ? "syntax error: missing '/' in ${}" : MISSING_BRACE);
    return result;
  }

  /** An escape at the very end is nothing. */
  private escaped(result: Pieces, raw: bool): void {
    if (raw) result.fastUnit(this.escape);
    if (this.peek() != END) result.fastUnit(this.next());
  }

  private singleQuoted(): string {
    const end = this.source.indexOf("'", this.at);
    if (end < 0) return this.fail("unexpected end of statement while looking for matching single-quote");
    const text = this.source.slice(this.at, end);
    this.at = end + 1;
    return text;
  }

  /** An escape is literal unless it precedes a character that needs escaping. */
  private doubleQuoted(raw: bool): string {
    const result = new TextBuilder();
    while (this.problem.length == 0) {
      const unit = this.next();
      if (unit == END) return this.fail("unexpected end of statement while looking for matching double-quote");
      if (unit == DOUBLE) return result.toString();
      if (unit == DOLLAR) {
        result.text(this.variable());
        continue;
      }
      if (unit != this.escape) {
        result.unit(unit);
        continue;
      }
      const following = this.peek();
      if (following == END) continue;
      const escapes = following == DOUBLE || following == DOLLAR || following == this.escape;
      if (raw || !escapes) result.unit(unit);
      if (escapes) result.unit(this.next());
    }
    return "";
  }

  /** What follows `$`. */
  private variable(): string {
    if (this.peek() != OPEN) {
      const name = this.name();
      return name.length == 0 ? "$" : this.spent(this.values.find(name));
    }
    this.at++;
    const first = this.peek();
    if (first == END) return this.fail(MISSING_BRACE);
    if (first == OPEN || first == CLOSE || first == COLON) return this.fail("syntax error: bad substitution");
    if (this.nested == MAX_NESTED) return this.fail(`substitutions are nested more than ${MAX_NESTED.toString()} deep`);
    this.nested++;
    const text = this.braced(this.name());
    this.nested--;
    return text;
  }

  /** `}`, or an operator and what belongs to it. */
  private braced(name: string): string {
    const value = this.values.find(name);
    let operator = this.next();
    if (operator == CLOSE) return this.spent(value);
    if (operator == END) return this.fail(MISSING_BRACE);
    if (operator == SLASH) return this.replaced(value);
    const start = this.at - 1;
    const orEmpty = operator == COLON;
    if (orEmpty) operator = this.next();
    if (operator == END) return this.fail(MISSING_BRACE);
    const isPattern = operator == 0x23 || operator == 0x25;
    if (operator != 0x2b && operator != 0x2d && operator != 0x3f && !isPattern) {
      const modifier = this.source.slice(start, this.at);
      return this.fail(`unsupported modifier (${modifier}) in substitution`);
    }
    const word = this.read(CLOSE, isPattern).text;
    if (this.problem.length > 0) return "";
    if (isPattern) return this.trimmed(value, word, operator);
    return this.chosen(name, value, word, operator, orEmpty);
  }

  /** `-` a default, `+` instead of a value, `?` a message; with `:` an empty value counts as none. */
  private chosen(name: string, value: string | null, word: string, operator: i32, orEmpty: bool): string {
    const isSet = value !== null && !(orEmpty && value.length == 0);
    if (operator == 0x2b) return isSet ? this.spent(word) : "";
    if (isSet) return this.spent(value);
    if (operator == 0x2d) return this.spent(word);
    if (word.length > 0) return this.fail(`${name}: ${word}`);
    return this.fail(`${name}: is not allowed to be ${value === null ? "unset" : "empty"}`);
  }

  /** `#` cuts off a beginning, `%` an end; twice the longest one. */
  private trimmed(value: string | null, word: string, operator: i32): string {
    const longest = word.length > 0 && word.charCodeAt(0) == operator;
    const text = longest ? word.slice(1) : word;
    const pattern = new ShellPattern(text);
    if (!this.isUsable(pattern, text, value) || value === null) return "";
    return this.spent(operator == 0x23 ? pattern.withoutPrefix(value, longest) : pattern.withoutSuffix(value, longest));
  }

  /** `/pattern/replacement`, `//pattern/replacement`. */
  private replaced(value: string | null): string {
    const all = this.peek() == SLASH;
    if (all) this.at++;
    const text = this.read(SLASH, true).text;
    const replacement = this.problem.length > 0 ? "" : this.read(CLOSE, true).text;
    const pattern = new ShellPattern(text);
    if (this.problem.length > 0 || !this.isUsable(pattern, text, value) || value === null) return "";
    const result = pattern.replaced(value, replacement, all, this.budget.most);
    if (result !== null) return this.spent(result);
    this.budget.spend(this.budget.most);
    return this.spent(value);
  }

  private isUsable(pattern: ShellPattern, text: string, value: string | null): bool {
    const bad = pattern.badEscape;
    if (bad.length > 0) this.fail(`invalid pattern (${text}) in substitution: invalid escape '\\${bad}'`);
    else if (value !== null && !this.budget.work(pattern.workWith(value))) this.fail(TOO_MUCH_WORK);
    return this.problem.length == 0;
  }

  /** Letters, digits and underscores; digits alone; or one special character. */
  private name(): string {
    const from = this.at;
    const first = this.peek();
    if (first == END) return "";
    if (SPECIAL.includes(String.fromCharCode(first))) {
      this.at++;
    } else if (isDigit(first)) {
      while (isDigit(this.peek())) this.at++;
    } else {
      while (isDigit(this.peek()) || isLetter(this.peek())) this.at++;
    }
    return this.source.slice(from, this.at);
  }

  private spent(value: string | null): string {
    if (value === null) return "";
    if (this.budget.spend(value.length)) return value;
    return this.fail(this.budget.problem);
  }

  private peek(): i32 {
    return this.at < this.source.length ? this.source.charCodeAt(this.at) : END;
  }

  private next(): i32 {
    return this.at < this.source.length ? this.source.charCodeAt(this.at++) : END;
  }

  private fail(problem: string): string {
    if (this.problem.length == 0) this.problem = problem;
    return "";
  }
}

function isDigit(unit: i32): bool {
  return unit >= 0x30 && unit <= 0x39;
}

/** Letters of other scripts count, as in Go; of rare ones only some. */
function isLetter(unit: i32): bool {
  if (unit >= 0xc0) return unit != 0xd7 && unit != 0xf7 && (unit < 0x2000 || (unit >= 0x3040 && unit < 0xd800));
  const lower = unit | 0x20;
  return (unit >= 0 && lower >= 0x61 && lower <= 0x7a) || unit == 0x5f;
}
