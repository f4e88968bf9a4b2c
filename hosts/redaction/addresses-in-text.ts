// Finds users and passwords of addresses anywhere in a text: in JSON of any kind, in malformed JSON, in headers.

import { withoutUserInfo } from "./user-info.js";

const WORD = /(?:\\[^]|[^\s"\\])+/g;
const COLON = /:|%3a|\\u003a/i;
const AT = /@|%40|\\u0040/i;
const ESCAPE = /\\u[0-9a-f]{4}|\\[^]/gi;
/** A character of a JSON text. */
const UNIT = /\\u[0-9a-f]{4}|\\[^]|[^]/gi;
/** Separators stay, so that a parser finds as many parts as before, and malformed JSON stays malformed. */
const INSIDE = /(?:[^:/,;=?#&"\\\p{Cc}]|[\u0080-\u009f])+/gu;

/** `text`: one character per byte. The result has the same length. */
export function withoutUsersIn(text: string): string {
  if (!AT.test(text)) return text;
  return text.replace(WORD, (word) => (COLON.test(word) && AT.test(word) ? withoutUsersOf(word) : word));
}

function withoutUsersOf(word: string): string {
  if (!word.includes("\\")) return withoutUserInfo(word, hidden, /[^]+/g);
  const plain = word.replace(ESCAPE, decoded);
  const shown = withoutUserInfo(plain, hidden, /[^]+/g);
  if (shown === plain) return word;
  let at = -1;
  return word.replace(UNIT, (unit) => (shown[++at] === plain[at] ? unit : "x".repeat(unit.length)));
}

function hidden(secret: string): string {
  return secret.replace(INSIDE, (run) => "x".repeat(run.length));
}

/** The letters of JSON's escapes, without `u`. */
const ESCAPED: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** One character. An escape that JSON does not have gives a backslash, and so is not replaced. */
function decoded(escape: string): string {
  const kind = escape[1]!;
  if (escape.length > 2) return kind === "u" ? String.fromCharCode(parseInt(escape.slice(2), 16)) : "\\";
  return ESCAPED[kind] ?? "\\";
}
