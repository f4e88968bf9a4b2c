// Extracts the message from a program's log lines, and adapts it to Go's style.

const MESSAGE = 'msg="';

/** Removes the decoration of a log and joins the lines: `time="…" level=error msg="…"`, `2026-…Z: …`. */
export function plainWords(text: string): string {
  const lines = text.trim().split("\n");
  for (let i = 0; i < lines.length; i++) lines[i] = messageOf(lines[i]);
  const words = lines.join("; ");
  const end = words.indexOf("Z: ");
  return end > 0 && isTime(words, end) ? words.substring(end + "Z: ".length) : words;
}

/** The quoted message of logfmt, or the whole line. */
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

/** Whether the text before `end` is a time such as `2026-01-02T03:04:05.678901`. */
function isTime(text: string, end: i32): bool {
  for (let at = 0; at < end; at++) {
    const c = text.charCodeAt(at);
    const isDigit = c >= 0x30 && c <= 0x39;
    if (!isDigit && !"-T:.".includes(text.charAt(at))) return false;
  }
  return end >= "2026-01-02T03:04:05".length;
}

/** Texts of strerror(3) at the end begin with a capital letter. Clients look for Go's texts, which do not. */
export function likeGo(said: string): string {
  const reason = lastWords(said, ": ");
  if (!isReason(reason)) return said;
  return said.substring(0, said.length - reason.length) + reason.toLowerCase();
}

/** Several words, of which only the first has a capital letter. */
function isReason(words: string): bool {
  for (let at = 0; at < words.length; at++) {
    const c = words.charCodeAt(at);
    const fits = at == 0 ? c >= 0x41 && c <= 0x5a : (c >= 0x61 && c <= 0x7a) || c == 0x20;
    if (!fits) return false;
  }
  return words.indexOf(" ") > 1;
}

/** The text after the last occurrence of `mark`; empty if there is none. */
export function lastWords(text: string, mark: string): string {
  const at = text.lastIndexOf(mark);
  return at < 0 ? "" : text.substring(at + mark.length);
}

/** The text between two marks, or null. */
export function between(text: string, begin: string, end: string): string | null {
  const from = text.indexOf(begin);
  if (from < 0) return null;
  const to = text.indexOf(end, from + begin.length);
  return to < 0 ? null : text.substring(from + begin.length, to);
}
