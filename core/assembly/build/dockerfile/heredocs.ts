// Here-documents: `<<NAME`, `<<-NAME`, `<<"NAME"` in the line of RUN, COPY or ADD, followed by their lines.

import { TextBuilder } from "../../text/builder";
import { isSpace } from "../../text/space";
import { Heredoc, withoutTabs } from "./instruction";
import { LineReader, withoutLineEnd } from "./line-reader";

const LESS: i32 = 0x3c;
const DASH: i32 = 0x2d;
const BACKSLASH: i32 = 0x5c;
const SINGLE: i32 = 0x27;
const DOUBLE: i32 = 0x22;

/** The here-documents that a line announces, without their contents. Nothing is announced within quotes. */
export function heredocsIn(line: string): Heredoc[] {
  const found: Heredoc[] = [];
  const words = rawWords(line);
  for (let i = 0; i < words.length; i++) {
    const heredoc = heredocOf(words[i]);
    if (heredoc !== null) found.push(heredoc);
  }
  return found;
}

/** What a word announces; null if it is an ordinary word. `3<<NAME` names a file descriptor, too. */
export function heredocOf(word: string): Heredoc | null {
  let at = 0;
  while (at < word.length && word.charCodeAt(at) >= 0x30 && word.charCodeAt(at) <= 0x39) at++;
  if (at + 2 >= word.length || word.charCodeAt(at) != LESS || word.charCodeAt(at + 1) != LESS) return null;
  at += 2;
  const chomp = word.charCodeAt(at) == DASH;
  const raw = word.slice(chomp ? at + 1 : at);
  if (raw.includes("<")) return null;
  const name = unquoted(raw);
  return name.length == 0 ? null : new Heredoc(name, name == raw, chomp, "");
}

/** Reads the lines of a here-document; null if the file ends before it. */
export function readHeredoc(announced: Heredoc, reader: LineReader): Heredoc | null {
  const content = new TextBuilder();
  for (let line = reader.nextWhole(); line !== null; line = reader.nextWhole()) {
    const bare = withoutLineEnd(line);
    if ((announced.chomp ? withoutTabs(bare) : bare) == announced.name) {
      return new Heredoc(announced.name, announced.expand, announced.chomp, content.toString());
    }
    content.text(line);
  }
  return null;
}

/** Words with their quotes and backslashes; none if a quote is not closed. */
function rawWords(line: string): string[] {
  const words: string[] = [];
  let from = -1;
  let quote = 0;
  for (let i = 0; i < line.length; i++) {
    const unit = line.charCodeAt(i);
    if (quote == 0 && isSpace(unit)) {
      if (from >= 0) words.push(line.slice(from, i));
      from = -1;
      continue;
    }
    if (from < 0) from = i;
    if (unit == BACKSLASH && quote != SINGLE) i++;
    else if (quote == 0 && (unit == SINGLE || unit == DOUBLE)) quote = unit;
    else if (unit == quote) quote = 0;
  }
  if (quote != 0) return [];
  if (from >= 0) words.push(line.slice(from));
  return words;
}

function unquoted(raw: string): string {
  const name = new TextBuilder();
  for (let i = 0; i < raw.length; i++) {
    const unit = raw.charCodeAt(i);
    if (unit == SINGLE || unit == DOUBLE) continue;
    if (unit == BACKSLASH) i++;
    if (i < raw.length) name.unit(raw.charCodeAt(i));
  }
  return name.toString();
}
