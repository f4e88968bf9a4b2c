// Parses scripts into commands, with the error messages of busybox's ash. The grammar is unbash's, which is bash's:
// constructs that ash lacks are refused when they run.

import { forEachChild, parse, type HereDoc, type ParseError, type Statement, type SyntaxNode } from "unbash";

export interface Parsed {
  /** The statements before the error, or all. */
  statements: readonly Statement[];
  /** The error: `syntax error: …`; null if there is none. */
  error: string | null;
  /** Whether more lines could complete it. */
  incomplete: boolean;
}

export function parseScript(source: string): Parsed {
  const script = parse(source);
  const leftOver = leftOverAt(script.commands.at(-1)?.end, source);
  if (leftOver !== undefined && !script.errors?.length) {
    return {
      statements: [],
      error: `syntax error: unexpected ${tokenAt(source, leftOver)} (expecting ")")`,
      incomplete: false,
    };
  }
  const [first, ...more] = [...(script.errors ?? [])].sort((a, b) => a.pos - b.pos);
  const openDocument = hasOpenDocument(script);
  if (!first) return { statements: script.commands, error: null, incomplete: openDocument || /\\\n?$/.test(source) };
  // ash reads and runs line by line: commands that ended on an earlier line have run.
  const line = source.lastIndexOf("\n", first.pos - 1) + 1;
  const statements = script.commands.filter(({ end }) => end < line || (end === line && line > 0));
  const incomplete = openDocument || isCut(first, source);
  return { statements, error: `syntax error: ${describe(first, more, source)}`, incomplete };
}

/**
 * The position of a parenthesis that unbash skipped without an error, as in `echo (`. ash takes it for the start of a
 * function.
 */
function leftOverAt(end: number | undefined, source: string): number | undefined {
  const found = end === undefined ? null : /^[ \t]*\(/.exec(source.slice(end));
  return found && end !== undefined ? end + found[0].length : undefined;
}

function hasOpenDocument(node: SyntaxNode): boolean {
  let open = false;
  const visit = (child: SyntaxNode): void => {
    if (child.type === "HereDoc" && isOpen(child)) open = true;
    if (!open) forEachChild(child, visit);
  };
  visit(node);
  return open;
}

function isOpen({ closing }: HereDoc): boolean {
  return closing === undefined;
}

function isCut({ message, pos }: ParseError, source: string): boolean {
  return message.startsWith("unterminated") || tokenAt(source, pos) === END;
}

const UNTERMINATED: readonly [string, string][] = [
  ["quote", "unterminated quoted string"],
  ["command substitution", `unexpected end of file (expecting ")")`],
  ["parameter expansion", "missing '}'"],
  ["arithmetic", "missing '))'"],
  ["backtick", "EOF in backquote substitution"],
];

function describe({ message, pos }: ParseError, more: readonly ParseError[], source: string): string {
  const unterminated = UNTERMINATED.find(([what]) => message.startsWith("unterminated") && message.includes(what));
  if (unterminated) return unterminated[1];
  const unexpected = `unexpected ${tokenAt(source, pos)}`;
  const expected =
    message === "expected 'do'"
      ? ""
      : [message, ...more.map((error) => error.message)].map(expectation).find((word) => word !== "");
  return expected ? `${unexpected} (expecting "${expected}")` : unexpected;
}

/** `expected 'fi' to close 'if'` → `fi`. */
function expectation(message: string): string {
  const word = /^expected '(.+)' to close/.exec(message)?.[1] ?? "";
  return word === "esac" ? ";;" : word;
}

const END = "end of file";

function tokenAt(source: string, pos: number): string {
  const rest = source.slice(pos).replace(/^([ \t]|\\\n)+/, "");
  if (rest.trim() === "") return END;
  if (rest.startsWith("\n")) return "newline";
  return `"${/^(&&|\|\||;;|[|&;()<>]|[^\s|&;()<>]+)/.exec(rest)?.[0] ?? rest[0]}"`;
}
