// Parses input for xargs: words separated by blanks, with quotes and backslashes (POSIX, xargs).

import { Wrong } from "../docker/wrong.js";

/** A quoted text up to its own quote, a backslash with the character it escapes, blanks, a newline, or other text. */
const PIECE = /(["'])((?:(?!\1)[^\n])*)(\1?)|\\([^])|(\n)|([ \t\f\v\r]+)|([^"'\\\s]+|\\$)/gy;

/**
 * The words of each line that is not blank. `splits`: blanks separate words; otherwise a line is one word, without
 * leading blanks.
 */
export function wordsByLine(input: string, splits: boolean): string[][] {
  const lines: string[][] = [];
  let words: string[] = [];
  // Null if no word is open.
  let word: string | null = null;
  const endWord = (): void => {
    if (word !== null) words.push(word);
    word = null;
  };
  const endLine = (): void => {
    endWord();
    if (words.length > 0) lines.push(words);
    words = [];
  };
  for (const [, quote, quoted, close, kept, newline, blanks, text] of input.matchAll(PIECE)) {
    if (quote !== undefined && close === "") throw unmatched(quote);
    if (newline !== undefined) endLine();
    else if (blanks === undefined) word = (word ?? "") + (quoted ?? kept ?? text ?? "");
    else if (splits) endWord();
    else if (word !== null) word += blanks;
  }
  endLine();
  return lines;
}

function unmatched(quote: string): Wrong {
  const name = quote === "'" ? "single" : "double";
  return new Wrong(`xargs: a ${name} quote is not closed on its line; with -0 quotes are ordinary characters`, quote);
}
