// Joins a line of a Dockerfile with its continuations.

import { TextBuilder } from "../../text/builder";
import { afterSpace } from "../../text/space";
import { Directives } from "./directives";
import { LineReader } from "./line-reader";

const HASH: i32 = 0x23;

/** One line with all its continuations. */
export class LogicalLine {
  /** The first line, counted from 1. */
  line: i32 = 0;
  /** What is wrong with a parser directive in it. */
  problem: string = "";
  /** Whether an empty line stands between continuations. */
  hasEmpty: bool = false;

  constructor(readonly text: string) {}

  get isBlank(): bool {
    return this.text.length == 0;
  }
}

/** The next line, which is blank for comments and empty lines; null at the end. */
export function nextLogicalLine(reader: LineReader, directives: Directives): LogicalLine | null {
  const first = reader.next();
  if (first === null) return null;
  const start = reader.line;
  const line = first.slice(afterSpace(first, 0));
  const problem = directives.read(line);
  if (problem.length > 0 || line.length == 0 || isComment(line)) return only("", start, problem);
  if (!continues(line, directives.escape)) return only(line, start, "");
  return joined(line, start, reader, directives.escape);
}

function only(text: string, line: i32, problem: string): LogicalLine {
  const only = new LogicalLine(text);
  only.line = line;
  only.problem = problem;
  return only;
}

/** White space in front of a continuation is kept. Comments between continuations are dropped. */
function joined(first: string, start: i32, reader: LineReader, escape: i32): LogicalLine {
  const text = new TextBuilder();
  text.text(withoutEscape(first, escape));
  let hasEmpty = false;
  for (let next = reader.next(); next !== null; next = reader.next()) {
    if (isComment(next)) continue;
    if (afterSpace(next, 0) == next.length) {
      hasEmpty = true;
      continue;
    }
    if (!continues(next, escape)) {
      text.text(next);
      break;
    }
    text.text(withoutEscape(next, escape));
  }
  const joined = new LogicalLine(text.toString());
  joined.line = start;
  joined.hasEmpty = hasEmpty;
  return joined;
}

function isComment(line: string): bool {
  const first = afterSpace(line, 0);
  return first < line.length && line.charCodeAt(first) == HASH;
}

/** An escape at the end continues the line, unless it is escaped itself. Blanks and tabs may follow it. */
function continues(line: string, escape: i32): bool {
  const place = escapePlace(line);
  if (place < 0 || line.charCodeAt(place) != escape) return false;
  return place == 0 || line.charCodeAt(place - 1) != escape;
}

function withoutEscape(line: string, escape: i32): string {
  return line.slice(0, escapePlace(line));
}

/** The last position that is neither blank nor tab; -1 if there is none. */
function escapePlace(line: string): i32 {
  let at = line.length - 1;
  while (at >= 0 && (line.charCodeAt(at) == 0x20 || line.charCodeAt(at) == 0x09)) at--;
  return at;
}
