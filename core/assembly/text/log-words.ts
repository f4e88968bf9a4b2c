// Words of programs that write logs: without what a log puts around them, and in Go's writing.

const MESSAGE = 'msg="';

/** Without the decoration of a log, lines joined: `time="…" level=error msg="…"`, `2026-…Z: …`. */
export function plainWords(text: string): string {
  const lines = text.trim().split("\n");
  for (let i = 0; i < lines.length; i++) lines[i] = messageOf(lines[i]);
  const words = lines.join("; ");
  const end = words.indexOf("Z: ");
  return end > 0 && isTime(words, end) ? words.substring(end + "Z: ".length) : words;
}

/** A quoted message of logfmt, or all of the line. */
function messageOf(line: string): string {
  const begin = line.indexOf(MESSAGE);
  if (begin < 0 || (begin > 0 && line.charCodeAt(begin - 1) != 0x20)) return line;
  let message = "";
  for (let at = begin + MESSAGE.length; at < line.length; at++) {
    const c = line.charAt(at);
    if (c == '"') return message;
    if (c == "\\") at += 1;
    message += line.charAt(at);
  }
  return line;
}

/** Of `2026-01-02T03:04:05.678901`: what comes before `end`. */
function isTime(text: string, end: i32): bool {
  for (let at = 0; at < end; at++) {
    const c = text.charCodeAt(at);
    const isDigit = c >= 0x30 && c <= 0x39;
    if (!isDigit && !"-T:.".includes(text.charAt(at))) return false;
  }
  return end >= "2026-01-02T03:04:05".length;
}

/** strerror(3)'s words at the end begin with a capital. Clients look for those of Go, which do not. */
export function likeGo(said: string): string {
  const reason = lastWords(said, ": ");
  if (!isReason(reason)) return said;
  return said.substring(0, said.length - reason.length) + reason.toLowerCase();
}

/** Several words, of which the first alone is written with a capital. */
function isReason(words: string): bool {
  for (let at = 0; at < words.length; at++) {
    const c = words.charCodeAt(at);
    const fits = at == 0 ? c >= 0x41 && c <= 0x5a : (c >= 0x61 && c <= 0x7a) || c == 0x20;
    if (!fits) return false;
  }
  return words.indexOf(" ") > 1;
}

/** What follows the last such mark; empty without one. */
export function lastWords(text: string, mark: string): string {
  const at = text.lastIndexOf(mark);
  return at < 0 ? "" : text.substring(at + mark.length);
}

/** What stands between two marks, or null. */
export function between(text: string, begin: string, end: string): string | null {
  const from = text.indexOf(begin);
  if (from < 0) return null;
  const to = text.indexOf(end, from + begin.length);
  return to < 0 ? null : text.substring(from + begin.length, to);
}
