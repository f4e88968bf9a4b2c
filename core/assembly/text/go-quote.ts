// Quotes text as Go's strconv does.

import { TextBuilder } from "./builder";

/** A code point in single quotes, as Go's JSON errors show a byte. */
export function quoteRune(point: i32): string {
  if (point == 0x27) return "'\\''";
  if (point == 0x22) return "'\"'";
  return "'" + escapePoint(point) + "'";
}

/** A text in double quotes, as `%q` prints it. */
export function quoteText(text: string): string {
  const result = new TextBuilder(text.length + 2);
  result.unit(0x22);
  for (let i = 0; i < text.length; i++) {
    const point = text.codePointAt(i);
    if (point > 0xffff) i++;
    result.text(point == 0x22 ? '\\"' : escapePoint(point));
  }
  return result.unit(0x22).toString();
}

function escapePoint(point: i32): string {
  switch (point) {
    case 0x07:
      return "\\a";
    case 0x08:
      return "\\b";
    case 0x09:
      return "\\t";
    case 0x0a:
      return "\\n";
    case 0x0b:
      return "\\v";
    case 0x0c:
      return "\\f";
    case 0x0d:
      return "\\r";
    case 0x5c:
      return "\\\\";
  }
  if (point < 0x20 || point == 0x7f) return "\\x" + hexDigits(point, 2);
  if (point < 0xa1 ? point > 0x7f : point == 0xad) return "\\u" + hexDigits(point, 4);
  const isSurrogate = point >= 0xd800 && point <= 0xdfff;
  if (isSurrogate || point < 0 || point > 0x10ffff) return "\ufffd";
  return String.fromCodePoint(point);
}

function hexDigits(value: i32, digits: i32): string {
  return value.toString(16).padStart(digits, "0");
}
