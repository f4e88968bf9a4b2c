// Texts with addresses, as everybody may see them.

import { isDoubtful } from "../../../image/import/web-address";
import { isSpace } from "../../../text/space";

const MARK = "://";
/** In the place of a user and a password. */
const HIDDEN = "xxxxx";
const AT: i32 = 0x40;
const PERCENT: i32 = 0x25;

/**
 * The text without the users and passwords of the addresses in it. It hides more rather than less, as traces do: a
 * password may contain what ends an address. Each character is read a few times at most, however many addresses there are.
 */
export function withoutUsers(text: string): string {
  const parts: string[] = [];
  let from = 0;
  let end = 0;
  let last = -1;
  for (let mark = text.indexOf(MARK); mark >= 0; mark = text.indexOf(MARK, max(from, mark + 1))) {
    const start = mark + MARK.length;
    if (start >= end) {
      end = endOfWord(text, start);
      last = lastAt(text, start, end);
    }
    const user = last < start ? -1 : endOfUser(text, start, last);
    if (user < 0) continue;
    parts.push(text.slice(from, start));
    parts.push(HIDDEN);
    from = user;
  }
  if (from == 0) return text;
  parts.push(text.slice(from));
  return parts.join("");
}

/** The same for a text that is one address, perhaps without a scheme. */
export function withoutUser(address: string): string {
  return address.includes(MARK) ? withoutUsers(address) : withoutUsers(MARK + address).slice(MARK.length);
}

/** Where a user and a password end that begin at `start`; -1 if there are none. `last`: the last `@` of the word. */
function endOfUser(text: string, start: i32, last: i32): i32 {
  let end = start;
  while (end < last && !"/?".includes(text.charAt(end))) end++;
  if (end == last) return last;
  const user = lastAt(text, start, end);
  if (user >= 0) return user;
  return isDoubtful(text, start, last) ? last : -1;
}

function endOfWord(text: string, from: i32): i32 {
  let end = from;
  while (end < text.length && !isSpace(text.charCodeAt(end))) end++;
  return end;
}

/** Where the last `@` is, plain or escaped; -1 if there is none. */
function lastAt(text: string, from: i32, to: i32): i32 {
  for (let at = to - 1; at >= from; at--) {
    const unit = text.charCodeAt(at);
    if (unit == AT || (unit == PERCENT && at + 3 <= to && text.substring(at + 1, at + 3) == "40")) return at;
  }
  return -1;
}
