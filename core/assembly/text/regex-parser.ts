// Parses a pattern into a tree, with those parts of RE2's grammar that filters need.

import { hexValue } from "./hex";
import { CharClass } from "./regex-class";

export enum NodeKind {
  Chars,
  Sequence,
  Alternation,
  Repeat,
  TextStart,
  TextEnd,
  LineStart,
  LineEnd,
  WordBoundary,
  NoWordBoundary,
}

export class Node {
  chars: CharClass | null = null;
  children: Node[] = [];
  /** Minimum of a Repeat. */
  least: i32 = 0;
  /** Maximum of a Repeat; -1 for no limit. */
  most: i32 = 0;

  constructor(public kind: NodeKind) {}
}

/** The tree of a pattern; null if it is invalid. */
export function parseRegex(pattern: string): Node | null {
  if (pattern.length > MAX_PATTERN) return null;
  return new Parser(pattern).parse();
}

const MAX_PATTERN: i32 = 10_000;
const MAX_NESTING: i32 = 200;
// RE2's own limit.
const MAX_REPEAT: i32 = 1000;

class Parser {
  private at: i32 = 0;
  private nesting: i32 = 0;
  private failed: bool = false;
  // Flags i, s and m of the current group.
  private folds: bool = false;
  private dotTakesAll: bool = false;
  private multiline: bool = false;

  constructor(private pattern: string) {}

  parse(): Node | null {
    const tree = this.alternation();
    return this.failed || this.at < this.pattern.length ? null : tree;
  }

  private alternation(): Node {
    const node = new Node(NodeKind.Alternation);
    node.children.push(this.sequence());
    while (!this.failed && this.take(0x7c)) node.children.push(this.sequence());
    return node.children.length == 1 ? node.children[0] : node;
  }

  private sequence(): Node {
    const node = new Node(NodeKind.Sequence);
    while (!this.failed && this.at < this.pattern.length && this.peek() != 0x7c && this.peek() != 0x29) {
      if (this.pattern.startsWith("\\Q", this.at)) this.quoted(node);
      else node.children.push(this.repeated());
    }
    return node;
  }

  // `\Q…\E`: everything inside is literal.
  private quoted(node: Node): void {
    const from = this.at + 2;
    const end = this.pattern.indexOf("\\E", from);
    const to = end < 0 ? this.pattern.length : end;
    this.at = from;
    while (this.at < to) node.children.push(this.single(this.next()));
    this.at = end < 0 ? to : to + 2;
  }

  private repeated(): Node {
    const item = this.atom();
    if (this.failed || !this.repetition(item)) return item;
    const node = this.repeat!;
    this.take(0x3f); // lazy: it does not affect whether there is a match
    // RE2 refuses `a**`.
    const unit = this.peek();
    if (unit == 0x2a || unit == 0x2b || unit == 0x3f) this.failed = true;
    else if (unit == 0x7b && this.bounds()) this.failed = true;
    return node;
  }

  private repeat: Node | null = null;
  private least: i32 = 0;
  private most: i32 = 0;

  private repetition(item: Node): bool {
    const unit = this.peek();
    if (unit == 0x2a || unit == 0x2b || unit == 0x3f) {
      this.at++;
      this.least = unit == 0x2b ? 1 : 0;
      this.most = unit == 0x3f ? 1 : -1;
    } else if (unit != 0x7b || !this.bounds()) {
      return false;
    }
    const node = new Node(NodeKind.Repeat);
    node.children.push(item);
    node.least = this.least;
    node.most = this.most;
    this.repeat = node;
    return true;
  }

  // `{2}`, `{2,}`, `{2,3}`; anything else in braces is literal, as in RE2.
  private bounds(): bool {
    const from = this.at++;
    this.least = this.decimal();
    this.most = this.least;
    if (this.take(0x2c)) this.most = this.peek() == 0x7d ? -1 : this.decimal();
    if (this.least == NO_NUMBER || this.most == NO_NUMBER || !this.take(0x7d)) {
      this.at = from;
      return false;
    }
    if (this.least > MAX_REPEAT || this.most > MAX_REPEAT) this.failed = true;
    if (this.most >= 0 && this.most < this.least) this.failed = true;
    return true;
  }

  private decimal(): i32 {
    let value = NO_NUMBER;
    while (this.peek() >= 0x30 && this.peek() <= 0x39) {
      value = min((value == NO_NUMBER ? 0 : value * 10) + this.next() - 0x30, MAX_REPEAT + 1);
    }
    return value;
  }

  private atom(): Node {
    const point = this.next();
    switch (point) {
      case 0x28:
        return this.group();
      case 0x5b:
        return this.charClass();
      case 0x5c:
        return this.escape();
      case 0x2e:
        return this.dot();
      case 0x5e:
        return new Node(this.multiline ? NodeKind.LineStart : NodeKind.TextStart);
      case 0x24:
        return new Node(this.multiline ? NodeKind.LineEnd : NodeKind.TextEnd);
      case 0x2a:
      case 0x2b:
      case 0x3f:
        return this.fail();
      default:
        return this.single(point);
    }
  }

  private group(): Node {
    if (++this.nesting > MAX_NESTING) return this.fail();
    const folds = this.folds;
    const dotTakesAll = this.dotTakesAll;
    const multiline = this.multiline;
    if (this.take(0x3f) && !this.groupName() && this.flags()) {
      // `(?i)`: the flags apply up to the end of the enclosing group.
      this.nesting--;
      return new Node(NodeKind.Sequence);
    }
    if (this.failed) return this.fail();
    const node = this.alternation();
    if (!this.take(0x29)) return this.fail();
    this.folds = folds;
    this.dotTakesAll = dotTakesAll;
    this.multiline = multiline;
    this.nesting--;
    return node;
  }

  private groupName(): bool {
    const from = this.at;
    if (this.peek() == 0x50) this.at++;
    if (!this.take(0x3c)) {
      this.at = from;
      return false;
    }
    const start = this.at;
    while (isNameUnit(this.peek())) this.at++;
    if (this.at == start || !this.take(0x3e)) this.failed = true;
    return true;
  }

  // True if the parenthesis closes directly after the flags.
  private flags(): bool {
    let on = true;
    let any = false;
    while (true) {
      const unit = this.next();
      if (unit == 0x69) this.folds = on;
      else if (unit == 0x73) this.dotTakesAll = on;
      else if (unit == 0x6d) this.multiline = on;
      else if (unit == 0x2d && on) on = false;
      else if (unit == 0x3a && (on || any)) return false;
      else if (unit == 0x29 && any) return true;
      else if (unit != 0x55) break;
      any = unit != 0x2d;
    }
    this.failed = true;
    return false;
  }

  private dot(): Node {
    const chars = new CharClass().negate();
    if (!this.dotTakesAll) chars.add(0x0a, 0x0a);
    return charsNode(chars);
  }

  private single(point: i32): Node {
    const chars = CharClass.of(point);
    return charsNode(this.folds ? chars.fold() : chars);
  }

  private escape(): Node {
    const letter = this.peek();
    const chars = CharClass.escaped(letter);
    if (chars !== null && isLetter(letter)) {
      this.at++;
      return charsNode(chars);
    }
    const kind = assertion(letter);
    if (kind >= 0) {
      this.at++;
      return new Node(<NodeKind>kind);
    }
    const point = this.escapedPoint();
    return point < 0 ? this.fail() : this.single(point);
  }

  // Called after the backslash; the code point that the escape stands for, or -1.
  private escapedPoint(): i32 {
    const letter = this.next();
    if (letter < 0) return -1;
    if (letter == 0x78) return this.hexPoint();
    if (letter >= 0x30 && letter <= 0x37) return this.octalPoint(letter - 0x30);
    const control = controlPoint(letter);
    if (control >= 0) return control;
    return letter < 0x80 && !isNameUnit(letter) ? letter : -1;
  }

  private hexPoint(): i32 {
    const braced = this.take(0x7b);
    let point = 0;
    let digits = 0;
    while (hexValue(this.peek()) >= 0 && (braced || digits < 2)) {
      point = (point << 4) | hexValue(this.next());
      digits++;
      if (point > 0x10ffff) return -1;
    }
    if (braced ? digits == 0 || !this.take(0x7d) : digits != 2) return -1;
    return point;
  }

  // `\012`; a single digit other than 0 would be a backreference, which RE2 does not have.
  private octalPoint(first: i32): i32 {
    let point = first;
    let digits = 1;
    for (; digits < 3 && this.peek() >= 0x30 && this.peek() <= 0x37; digits++) point = point * 8 + this.next() - 0x30;
    return first != 0 && digits == 1 ? -1 : point;
  }

  private charClass(): Node {
    const chars = new CharClass();
    const negated = this.take(0x5e);
    for (let first = true; first || this.peek() != 0x5d; first = false) {
      if (this.peek() < 0) return this.fail();
      if (this.namedPart(chars)) continue;
      const low = this.endpoint();
      let high = low;
      const rest = this.at + 1 < this.pattern.length ? this.pattern.charCodeAt(this.at + 1) : -1;
      if (this.peek() == 0x2d && rest >= 0 && rest != 0x5d) {
        this.at++;
        high = this.endpoint();
      }
      if (this.failed || low < 0 || high < low) return this.fail();
      chars.add(low, high);
    }
    this.at++;
    if (this.folds) chars.fold();
    return charsNode(negated ? chars.negate() : chars);
  }

  // `[:alpha:]`, `[:^alpha:]`, `\d` and `\D` inside a class.
  private namedPart(chars: CharClass): bool {
    if (this.peek() == 0x5c) {
      const letter = this.at + 1 < this.pattern.length ? this.pattern.charCodeAt(this.at + 1) : -1;
      const known =
        isLetter(letter) && (chars.addEscaped(letter) || (isUpper(letter) && chars.addComplement(letter | 0x20)));
      if (known) this.at += 2;
      return known;
    }
    if (!this.pattern.startsWith("[:", this.at)) return false;
    const end = this.pattern.indexOf(":]", this.at + 2);
    if (end < 0) return false;
    // Negated classes are not supported, so they are refused.
    if (!chars.addNamed(this.pattern.substring(this.at + 2, end))) this.failed = true;
    this.at = end + 2;
    return !this.failed;
  }

  private endpoint(): i32 {
    const point = this.next();
    return point == 0x5c ? this.escapedPoint() : point;
  }

  private peek(): i32 {
    return this.at < this.pattern.length ? this.pattern.charCodeAt(this.at) : -1;
  }

  private next(): i32 {
    if (this.at >= this.pattern.length) return -1;
    const point = this.pattern.codePointAt(this.at);
    this.at += point > 0xffff ? 2 : 1;
    return point;
  }

  private take(unit: i32): bool {
    if (this.peek() != unit) return false;
    this.at++;
    return true;
  }

  private fail(): Node {
    this.failed = true;
    return new Node(NodeKind.Sequence);
  }
}

const NO_NUMBER: i32 = -2;

function charsNode(chars: CharClass): Node {
  const node = new Node(NodeKind.Chars);
  node.chars = chars;
  return node;
}

function assertion(letter: i32): i32 {
  if (letter == 0x62) return NodeKind.WordBoundary;
  if (letter == 0x42) return NodeKind.NoWordBoundary;
  if (letter == 0x41) return NodeKind.TextStart;
  return letter == 0x7a ? NodeKind.TextEnd : -1;
}

function controlPoint(letter: i32): i32 {
  if (letter == 0x61) return 0x07;
  if (letter == 0x66) return 0x0c;
  if (letter == 0x6e) return 0x0a;
  if (letter == 0x72) return 0x0d;
  if (letter == 0x74) return 0x09;
  return letter == 0x76 ? 0x0b : -1;
}

function isLetter(unit: i32): bool {
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function isUpper(unit: i32): bool {
  return unit >= 0x41 && unit <= 0x5a;
}

function isNameUnit(unit: i32): bool {
  return isLetter(unit) || (unit >= 0x30 && unit <= 0x39) || unit == 0x5f;
}
