// Texts with addresses, as everybody may see them.

const MARK = "://";
/** In the place of a user and a password. */
const HIDDEN = "xxxxx";
/** What ends the part of an address with user and host (RFC 3986 §3.2), or the address. */
const ENDS = "/?# \t\n\"'\\";

/** The text without the users and passwords of the addresses in it. */
export function withoutUsers(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let mark = text.indexOf(MARK); mark >= 0; mark = text.indexOf(MARK, from)) {
    const start = mark + MARK.length;
    const user = text.slice(start, endOf(text, start)).lastIndexOf("@");
    parts.push(text.slice(from, start));
    if (user >= 0) parts.push(HIDDEN);
    from = user < 0 ? start : start + user;
  }
  parts.push(text.slice(from));
  return parts.join("");
}

function endOf(text: string, from: i32): i32 {
  let end = from;
  while (end < text.length && !ENDS.includes(text.charAt(end))) end++;
  return end;
}
