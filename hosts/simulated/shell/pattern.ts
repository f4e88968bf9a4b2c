// Shell patterns (POSIX 2.13), matched against texts and file names.

import type { FileSystem } from "../files/file-system.js";
import { absolute } from "../processes/executable.js";

/** Escapes a text so that it matches itself. */
export function escapePattern(text: string): string {
  return text.replace(/[*?[\]\\]/g, "\\$&");
}

export function hasPattern(pattern: string): boolean {
  return /(^|[^\\])(\\\\)*[*?[]/.test(pattern);
}

/** The text that a pattern without wildcards matches. */
export function unescapePattern(pattern: string): string {
  return pattern.replace(/\\(.)/gs, "$1");
}

/** `anchors`: where it must match, `^` and `$` or one of them. */
export function patternExpression(pattern: string, anchors: "^$" | "^" | "$" | "" = "^$", lazy = false): RegExp {
  let source = "";
  for (let at = 0; at < pattern.length;) {
    const [piece, length] = translate(pattern, at, lazy);
    source += piece;
    at += length;
  }
  return new RegExp(`${anchors.includes("^") ? "^" : ""}(?:${source})${anchors.includes("$") ? "$" : ""}`, "su");
}

function translate(pattern: string, at: number, lazy: boolean): [string, number] {
  const character = String.fromCodePoint(pattern.codePointAt(at)!);
  if (character === "*") return [lazy ? ".*?" : ".*", 1];
  if (character === "?") return [".", 1];
  if (character === "\\" && at + 1 < pattern.length) {
    const next = String.fromCodePoint(pattern.codePointAt(at + 1)!);
    return [quote(next), 1 + next.length];
  }
  const bracket = character === "[" ? BRACKET.exec(pattern.slice(at)) : null;
  if (bracket) return [possible(bracketExpression(bracket[0])), bracket[0].length];
  return [quote(character), character.length];
}

/** A range that ends before it starts matches no character. */
function possible(bracket: string): string {
  try {
    new RegExp(bracket, "su");
    return bracket;
  } catch {
    return "(?!)";
  }
}

const BRACKET = /^\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]\\])*\]/su;

const CLASSES: Readonly<Record<string, string>> = {
  alpha: "A-Za-z",
  digit: "0-9",
  alnum: "A-Za-z0-9",
  upper: "A-Z",
  lower: "a-z",
  space: "\\s",
  blank: " \\t",
  punct: "!-\\/:-@\\[-`\\{-~",
  xdigit: "0-9A-Fa-f",
  cntrl: "\\x00-\\x1f\\x7f",
  print: "\\x20-\\x7e",
  graph: "\\x21-\\x7e",
};

/** Also used for regular expressions, which have the same kind of brackets. */
export function bracketExpression(bracket: string): string {
  const negated = /^\[[!^]/.test(bracket);
  const inner = bracket.slice(negated ? 2 : 1, -1);
  const escaped = inner.replace(
    /\[:(\w+):\]|\\(.)|[\]\\[^&~|{}()/$.*+?]/gsu,
    (found, name?: string, quoted?: string) => {
      if (name !== undefined) return CLASSES[name] ?? "";
      return quoted === undefined ? `\\${found}` : quote(quoted, true);
    },
  );
  return `[${negated ? "^" : ""}${escaped}]`;
}

function quote(character: string, inBracket = false): string {
  const special = inBracket ? /[\]\\[^\-&~|{}()/$.*+?]/ : /[\\^$.*+?()[\]{}|/]/;
  return special.test(character) ? `\\${character}` : character;
}

/** Names of files that match a pattern, sorted; empty if there are none. */
export function matchFiles(pattern: string, cwd: string, files: FileSystem): string[] {
  const parts = pattern.split("/");
  const isAbsolute = parts[0] === "" && parts.length > 1;
  let found = [isAbsolute ? "/" : ""];
  for (const part of isAbsolute ? parts.slice(1) : parts) {
    if (part === "") found = found.map((path) => (path.endsWith("/") ? path : `${path}/`));
    else found = found.flatMap((path) => step(path, part, cwd, files));
  }
  return found.sort();
}

function step(path: string, part: string, cwd: string, files: FileSystem): string[] {
  const prefix = path === "" || path.endsWith("/") ? path : `${path}/`;
  if (!hasPattern(part)) {
    const name = prefix + unescapePattern(part);
    return exists(absolute(name, cwd), files) ? [name] : [];
  }
  const expression = patternExpression(part);
  const names = list(absolute(prefix || ".", cwd), files).filter(
    (name) => expression.test(name) && (!name.startsWith(".") || part.startsWith(".")),
  );
  return names.map((name) => prefix + name);
}

function exists(path: string, files: FileSystem): boolean {
  try {
    files.linkStatus(path);
    return true;
  } catch {
    return false;
  }
}

function list(path: string, files: FileSystem): string[] {
  try {
    return files.list(path);
  } catch {
    return [];
  }
}
