// Reads decimal numbers in ports and addresses.

/**
 * The number in a text of decimal digits, which may have leading zeros; -1 for any other text, or a number above
 * `most`. `from`, `to`: the part of the text to read.
 */
export function decimalOf(text: string, most: i32, from: i32 = 0, to: i32 = text.length): i32 {
  if (to <= from || to - from > MAX_DIGITS) return -1;
  let value = 0;
  for (let i = from; i < to; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value > most ? -1 : value;
}

/** Ten digits may not fit 32 bits. */
const MAX_DIGITS: i32 = 9;
