// Patterns of paths (Go, path/filepath.Match): `*` and `?` do not match a slash, `[a-z]` and `[^a-z]` are classes, and a
// backslash takes away a character's meaning.

/** Whether a path is a pattern. */
export function isPattern(path: string): boolean {
  return /[*?[\\]/.test(path);
}

/** The part of a pattern that is a plain directory, without a slash at its end; "" for the root. */
export function fixedPart(pattern: string): string {
  const parts = pattern.split("/");
  const first = parts.findIndex(isPattern);
  return parts.slice(0, first < 0 ? parts.length - 1 : first).join("/");
}

/** Null for a pattern that Go refuses (`ErrBadPattern`). */
export function patternOf(pattern: string): RegExp | null {
  const chunks: string[] = [];
  let text = "";
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]!;
    if (character === "*") {
      chunks.push(text);
      text = "";
    } else if (character === "?") text += "[^/]";
    else if (character === "\\") {
      if (++at === pattern.length) return null;
      text += literal(pattern[at]!);
    } else if (character === "[") {
      const [found, end] = classAt(pattern, at + 1);
      if (found === null) return null;
      text += found;
      at = end;
    } else text += literal(character);
  }
  return new RegExp(`^${between([...chunks, text])}$`, "s");
}

/**
 * What stands between stars. As in Go, a piece in the middle is taken where it first occurs, and no other place is tried
 * (a lookahead is never entered again): a name cannot make a pattern take long.
 */
function between([first = "", ...rest]: readonly string[]): string {
  const last = rest.pop();
  if (last === undefined) return first;
  const middle = rest.filter((chunk) => chunk !== "").map((chunk, at) => `(?=(?<c${at}>[^/]*?${chunk}))\\k<c${at}>`);
  return `${first}${middle.join("")}[^/]*${last}`;
}

/** A class, and where its bracket is; null if it is malformed. */
function classAt(pattern: string, from: number): [string | null, number] {
  let at = from;
  const negated = pattern[at] === "^";
  if (negated) at++;
  let ranges = "";
  for (let count = 0; at < pattern.length && (pattern[at] !== "]" || count === 0); count++) {
    const [low, next] = memberAt(pattern, at);
    let [high, end] = [low, next];
    if (pattern[next] === "-") [high, end] = memberAt(pattern, next + 1);
    if (low === null || high === null) return [null, at];
    // In Go, a range that runs backwards matches nothing.
    if (low <= high) ranges += `${unit(low)}-${unit(high)}`;
    at = end;
  }
  if (pattern[at] !== "]") return [null, at];
  return [`[${negated ? "^" : ""}${ranges}]`, at];
}

/** A member of a class, and where the next begins; null if it is malformed. */
function memberAt(pattern: string, from: number): [string | null, number] {
  const at = pattern[from] === "\\" ? from + 1 : from;
  const character = pattern[at];
  if (character === undefined || (at === from && (character === "-" || character === "]"))) return [null, at];
  return [character, at + 1];
}

function literal(character: string): string {
  return /[\w/]/.test(character) ? character : unit(character);
}

function unit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
