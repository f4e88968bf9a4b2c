// White space as Go's unicode.IsSpace has it.

/** Whether a UTF-16 unit is white space. */
export function isSpace(unit: i32): bool {
  if (unit <= 0x20) return unit == 0x20 || (unit >= 0x09 && unit <= 0x0d);
  if (unit < 0x1680) return unit == 0x85 || unit == 0xa0;
  if (unit >= 0x2000 && unit <= 0x200a) return true;
  return unit == 0x1680 || unit == 0x2028 || unit == 0x2029 || unit == 0x202f || unit == 0x205f || unit == 0x3000;
}

/** The first position from `at` on that is not white space; the text's length if there is none. */
export function afterSpace(text: string, at: i32): i32 {
  let position = at;
  while (position < text.length && isSpace(text.charCodeAt(position))) position++;
  return position;
}

/** Without white space at both ends. */
export function trimSpace(text: string): string {
  const from = afterSpace(text, 0);
  let to = text.length;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}
