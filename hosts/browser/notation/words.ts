// A line of a shell in words.

import { parse } from "shell-quote";

export interface ShellWords {
  readonly words: readonly string[];
  /** What stands behind the first `|`, `;`, `&&`, `>`…: it is not run. */
  readonly rest: string | null;
}

/** The first command of a line. Variables stay as they are written. */
export function shellWords(text: string): ShellWords {
  const line = text.replace(/\\\r?\n/g, " ").trim();
  const words: string[] = [];
  for (const token of parse(line, (name) => `$${name}`)) {
    if (typeof token === "string") words.push(token);
    else if ("op" in token && token.op === "glob") words.push(token.pattern);
    else if ("comment" in token) break;
    else return { words, rest: "op" in token ? token.op : "" };
  }
  return { words, rest: null };
}

/** A word as a POSIX shell reads it back. */
export function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
