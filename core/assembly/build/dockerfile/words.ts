// Splits the arguments of an instruction into words. Quotes and escapes stay: they are resolved with the variables.

import { TextBuilder } from "../../text/builder";
import { isSpace } from "../../text/space";

const SINGLE: i32 = 0x27;
const DOUBLE: i32 = 0x22;

/** Splits at white space outside of quotes. An escape at the very end is dropped. */
export function quotedWords(text: string, escape: i32): string[] {
  const words: string[] = [];
  const word = new TextBuilder();
  let inWord = false;
  let quote = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (quote == 0 && isSpace(unit)) {
      if (inWord && word.length > 0) words.push(word.toString());
      word.reset();
      inWord = false;
      continue;
    }
    inWord = true;
    if (unit == escape && quote != SINGLE) {
      if (i + 1 == text.length) break;
      word.unit(unit).unit(text.charCodeAt(++i));
      continue;
    }
    if (quote == 0 && (unit == DOUBLE || unit == SINGLE)) quote = unit;
    else if (unit == quote) quote = 0;
    word.unit(unit);
  }
  if (word.length > 0) words.push(word.toString());
  return words;
}

/** Splits at blanks, tabs and the like; quotes mean nothing. */
export function plainWords(text: string): string[] {
  const words: string[] = [];
  let from = -1;
  for (let i = 0; i < text.length; i++) {
    if (isBlank(text.charCodeAt(i))) {
      if (from >= 0) words.push(text.slice(from, i));
      from = -1;
    } else if (from < 0) {
      from = i;
    }
  }
  if (from >= 0) words.push(text.slice(from));
  return words;
}

/** The position of the first blank; the text's length if there is none. */
export function blankIn(text: string): i32 {
  let at = 0;
  while (at < text.length && !isBlank(text.charCodeAt(at))) at++;
  return at;
}

/** What separates a keyword from its arguments. */
export function isBlank(unit: i32): bool {
  return unit == 0x20 || unit == 0x09 || unit == 0x0b || unit == 0x0c || unit == 0x0d;
}
