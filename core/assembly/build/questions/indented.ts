// JSON for people, as Go's json.MarshalIndent writes it with two spaces.

import { TextBuilder } from "../../text/builder";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/** `json`: without white space between its parts. */
export function indented(json: string): string {
  const text = new TextBuilder(json.length * 2);
  let depth = 0;
  let isQuoted = false;
  for (let i = 0; i < json.length; i++) {
    const unit = json.charCodeAt(i);
    if (isQuoted) {
      text.unit(unit);
      if (unit == BACKSLASH) text.unit(json.charCodeAt(++i));
      else if (unit == QUOTE) isQuoted = false;
      continue;
    }
    isQuoted = unit == QUOTE;
    const isEmpty = opens(unit) && i + 1 < json.length && closes(json.charCodeAt(i + 1));
    if (isEmpty) text.unit(unit).unit(json.charCodeAt(++i));
    else if (opens(unit)) breakLine(text.unit(unit), ++depth);
    else if (closes(unit)) breakLine(text, --depth).unit(unit);
    else if (unit == COMMA) breakLine(text.unit(unit), depth);
    else if (unit == COLON) text.text(": ");
    else text.unit(unit);
  }
  return text.toString();
}

function breakLine(text: TextBuilder, depth: i32): TextBuilder {
  text.text("\n");
  for (let i = 0; i < depth; i++) text.text("  ");
  return text;
}

function opens(unit: i32): bool {
  return unit == 0x7b || unit == 0x5b;
}

function closes(unit: i32): bool {
  return unit == 0x7d || unit == 0x5d;
}
