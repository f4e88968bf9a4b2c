// Users and passwords of addresses anywhere in a text: in JSON of any kind, in what should be JSON, in headers.

import { withoutUserInfo } from "./user-info.js";

const WORD = /(?:\\[^]|[^\s"\\])+/g;
const COLON = /:|%3a|\\u003a/i;
const AT = /@|%40|\\u0040/i;
/** A character of a JSON text. */
const UNIT = /\\u[0-9a-f]{4}|\\[^]|[^]/gi;
/** The rest stays: whoever takes a text apart finds as many parts as before, and what is no JSON stays none. */
const INSIDE = /[^:/,;=?#&"\\\p{Cc}]|[\u0080-\u009f]/gu;

/** `text`: a character for each byte. As long as it was. */
export function withoutUsersIn(text: string): string {
  return text.replace(WORD, (word) => (COLON.test(word) && AT.test(word) ? withoutUsersOf(word) : word));
}

function withoutUsersOf(word: string): string {
  if (!word.includes("\\")) return withoutUserInfo(word, hidden, /[^]+/g);
  const units = word.match(UNIT) ?? [];
  const plain = units.map(decoded).join("");
  const shown = withoutUserInfo(plain, hidden, /[^]+/g);
  return units.map((unit, at) => (shown[at] === plain[at] ? unit : "x".repeat(unit.length))).join("");
}

function hidden(secret: string): string {
  return secret.replace(INSIDE, "x");
}

/** One unit each. A backslash for what JSON does not know: it stays. */
function decoded(unit: string): string {
  if (unit.length === 1) return unit;
  try {
    return JSON.parse(`"${unit}"`) as string;
  } catch {
    return "\\";
  }
}
