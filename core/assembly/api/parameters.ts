// Query parameters by Docker's rules (surface §2.2).

import { quoteText } from "../text/go-quote";
import { Query } from "../text/url";

/** An integer parameter. */
export class ParsedInteger {
  /** The parameter is present and not empty. */
  given: bool = false;
  value: i64 = 0;
  /** Go's error if it is not a number, else empty. */
  error: string = "";
}

/** A strict boolean parameter. */
export class ParsedFlag {
  value: bool = false;
  /** Go's error if it is invalid, else empty. */
  error: string = "";
}

/** Docker's lenient boolean. `absent`: the value of a missing parameter; an empty one is false. */
export function flagOf(query: Query, name: string, absent: bool = false): bool {
  return query.has(name) ? isTrue(query.first(name)) : absent;
}

/** Everything is true except `""`, `0`, `no`, `false` and `none`, trimmed and in any case. */
export function isTrue(text: string): bool {
  const word = text.trim().toLowerCase();
  return word != "" && word != "0" && word != "no" && word != "false" && word != "none";
}

/** Go's ParseBool; missing and empty parameters are false. */
export function strictFlagOf(query: Query, name: string): ParsedFlag {
  const text = query.first(name);
  return text.length > 0 ? parseFlag(text) : new ParsedFlag();
}

/** Go's ParseBool. */
export function parseFlag(text: string): ParsedFlag {
  const flag = new ParsedFlag();
  if (TRUE_WORDS.includes(text)) flag.value = true;
  else if (!FALSE_WORDS.includes(text)) {
    flag.error = `strconv.ParseBool: parsing ${quoteText(text)}: invalid syntax`;
  }
  return flag;
}

/** A signed decimal of 64 bits. */
export function integerOf(query: Query, name: string): ParsedInteger {
  const parsed = new ParsedInteger();
  const text = query.first(name);
  if (text.length == 0) return parsed;
  parsed.given = true;
  const negative = text.startsWith("-");
  const digits = negative || text.startsWith("+") ? text.substring(1) : text;
  const fault = parseDigits(parsed, digits, negative ? <u64>i64.MAX_VALUE + 1 : <u64>i64.MAX_VALUE);
  if (negative) parsed.value = -parsed.value;
  if (fault.length > 0) parsed.error = `strconv.Atoi: parsing ${quoteText(text)}: ${fault}`;
  return parsed;
}

/** An unsigned decimal of 32 bits; a missing parameter is an error, too. `what`: `invalid resize height`. */
export function u32Of(query: Query, name: string, what: string): ParsedInteger {
  const parsed = new ParsedInteger();
  const text = query.first(name);
  parsed.given = query.has(name);
  const fault = parseDigits(parsed, text, u32.MAX_VALUE);
  if (fault.length > 0) parsed.error = `${what} ${quoteText(text)}: ${fault}`;
  return parsed;
}

/** An unsigned decimal of 64 bits (Go's ParseUint); a missing parameter is an error, too. */
export function u64Of(query: Query, name: string): ParsedInteger {
  const parsed = new ParsedInteger();
  const text = query.first(name);
  parsed.given = query.has(name);
  const fault = parseDigits(parsed, text, u64.MAX_VALUE);
  if (fault.length > 0) parsed.error = `strconv.ParseUint: parsing ${quoteText(text)}: ${fault}`;
  return parsed;
}

const TRUE_WORDS: string[] = ["1", "t", "T", "TRUE", "true", "True"];
const FALSE_WORDS: string[] = ["0", "f", "F", "FALSE", "false", "False"];

// Go's error, or empty.
function parseDigits(parsed: ParsedInteger, digits: string, limit: u64): string {
  let value: u64 = 0;
  let tooLarge = false;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return "invalid syntax";
    if (value > (limit - digit) / 10) tooLarge = true;
    if (!tooLarge) value = value * 10 + digit;
  }
  if (digits.length == 0) return "invalid syntax";
  if (tooLarge) return "value out of range";
  parsed.value = <i64>value;
  return "";
}
