// Regular expressions of Go's regexp (RE2 syntax) as filters use them: an unanchored search, in time linear in the
// text. A pattern is compiled to a small program, whose threads advance through the text in parallel.

import { CharClass } from "./regex-class";
import { Node, NodeKind, parseRegex } from "./regex-parser";

/** Maximum of instructions; nested repetitions multiply them. */
const MAX_PROGRAM: i32 = 5000;
/** Maximum of nodes visited while compiling: repetitions of empty groups add no instructions. */
const MAX_VISITS: i32 = 4 * MAX_PROGRAM;

/** A compiled pattern. */
export class Regex {
  /**
   * Compiles a pattern. Null if it is invalid, too large, or uses something that is not supported (Unicode classes).
   */
  static compile(pattern: string): Regex | null {
    const tree = parseRegex(pattern);
    if (tree === null) return null;
    const regex = new Regex();
    if (!regex.emit(tree)) return null;
    regex.add(Op.Match);
    return regex;
  }

  private ops: Op[] = [];
  // For Chars an index into `classes`, for Jump and Split the target, for Assert the kind.
  private first: i32[] = [];
  private second: i32[] = [];
  private classes: CharClass[] = [];
  private visits: i32 = 0;
  // Reused by all searches, since no memory is freed within a step and a list is searched once per entry.
  private threads: Threads[] = [];

  private constructor() {}

  /** Number of instructions: the maximum cost of a search per character. */
  get size(): i32 {
    return this.ops.length;
  }

  /** Whether the pattern matches somewhere in the text. */
  search(text: string): bool {
    if (this.threads.length == 0) this.threads = [new Threads(this.ops.length), new Threads(this.ops.length)];
    let current = this.threads[0];
    let next = this.threads[1];
    current.size = 0;
    let before = -1;
    let at = 0;
    while (true) {
      const point = at < text.length ? text.codePointAt(at) : -1;
      if (this.follow(current, 0, before, point)) return true;
      if (point < 0) return false;
      at += point > 0xffff ? 2 : 1;
      const after = at < text.length ? text.codePointAt(at) : -1;
      next.size = 0;
      for (let i = 0; i < current.size; i++) {
        const pc = current.dense[i];
        if (this.ops[pc] != Op.Chars || !this.classes[this.first[pc]].has(point)) continue;
        if (this.follow(next, pc + 1, point, after)) return true;
      }
      const swap = current;
      current = next;
      next = swap;
      before = point;
    }
  }

  // Adds a thread and all threads reachable without consuming a character. Returns true if one of them is a match.
  private follow(threads: Threads, from: i32, before: i32, after: i32): bool {
    const open = threads.open;
    open.push(from);
    while (open.length > 0) {
      const pc = open.pop();
      if (!threads.add(pc)) continue;
      const op = this.ops[pc];
      if (op == Op.Match) {
        while (open.length > 0) open.pop();
        return true;
      }
      if (op == Op.Jump || op == Op.Split) open.push(this.first[pc]);
      if (op == Op.Split) open.push(this.second[pc]);
      if (op == Op.Assert && holds(<NodeKind>this.first[pc], before, after)) open.push(pc + 1);
    }
    return false;
  }

  private emit(node: Node): bool {
    if (++this.visits > MAX_VISITS) return false;
    switch (node.kind) {
      case NodeKind.Chars:
        this.classes.push(node.chars!);
        return this.add(Op.Chars, this.classes.length - 1);
      case NodeKind.Sequence:
        for (let i = 0; i < node.children.length; i++) {
          if (!this.emit(node.children[i])) return false;
        }
        return true;
      case NodeKind.Alternation:
        return this.emitAlternation(node);
      case NodeKind.Repeat:
        return this.emitRepeat(node);
      default:
        return this.add(Op.Assert, node.kind);
    }
  }

  private emitAlternation(node: Node): bool {
    const ends: i32[] = [];
    for (let i = 0; i < node.children.length; i++) {
      const last = i == node.children.length - 1;
      const split = this.ops.length;
      if (!last && !this.add(Op.Split, split + 1)) return false;
      if (!this.emit(node.children[i])) return false;
      if (last) break;
      ends.push(this.ops.length);
      if (!this.add(Op.Jump)) return false;
      this.second[split] = this.ops.length;
    }
    for (let i = 0; i < ends.length; i++) this.first[ends[i]] = this.ops.length;
    return true;
  }

  private emitRepeat(node: Node): bool {
    const child = node.children[0];
    for (let i = 0; i < node.least; i++) {
      if (!this.emit(child)) return false;
    }
    if (node.most < 0) {
      const split = this.ops.length;
      if (!this.add(Op.Split, split + 1) || !this.emit(child) || !this.add(Op.Jump, split)) return false;
      this.second[split] = this.ops.length;
      return true;
    }
    const splits: i32[] = [];
    for (let i = node.least; i < node.most; i++) {
      splits.push(this.ops.length);
      if (!this.add(Op.Split, this.ops.length + 1) || !this.emit(child)) return false;
    }
    for (let i = 0; i < splits.length; i++) this.second[splits[i]] = this.ops.length;
    return true;
  }

  private add(op: Op, first: i32 = 0): bool {
    if (this.ops.length >= MAX_PROGRAM) return false;
    this.ops.push(op);
    this.first.push(first);
    this.second.push(0);
    return true;
  }
}

enum Op {
  Chars,
  Jump,
  Split,
  Assert,
  Match,
}

// A set of instructions that is emptied in constant time: an entry only counts if both arrays agree.
class Threads {
  dense: StaticArray<i32>;
  size: i32 = 0;
  open: i32[] = [];
  private sparse: StaticArray<i32>;

  constructor(capacity: i32) {
    this.dense = new StaticArray<i32>(capacity);
    this.sparse = new StaticArray<i32>(capacity);
  }

  add(pc: i32): bool {
    const at = this.sparse[pc];
    if (at < this.size && this.dense[at] == pc) return false;
    this.dense[this.size] = pc;
    this.sparse[pc] = this.size++;
    return true;
  }
}

function holds(kind: NodeKind, before: i32, after: i32): bool {
  switch (kind) {
    case NodeKind.TextStart:
      return before < 0;
    case NodeKind.TextEnd:
      return after < 0;
    case NodeKind.LineStart:
      return before < 0 || before == 0x0a;
    case NodeKind.LineEnd:
      return after < 0 || after == 0x0a;
    case NodeKind.WordBoundary:
      return isWord(before) != isWord(after);
    default:
      return isWord(before) == isWord(after);
  }
}

function isWord(point: i32): bool {
  const lower = point | 0x20;
  return (point >= 0x30 && point <= 0x39) || (lower >= 0x61 && lower <= 0x7a) || point == 0x5f;
}
