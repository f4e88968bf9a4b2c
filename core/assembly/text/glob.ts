// Go's path.Match: `*` and `?` within one path segment, `[a-z]`, `[^a-z]`, and `\` to escape a character.

/** Whether the pattern matches the whole name. An invalid pattern matches nothing. */
export function globMatch(pattern: string, name: string): bool {
  return isGlob(pattern) && matches(pattern, name);
}

/** Whether a pattern is valid. */
export function isGlob(pattern: string): bool {
  for (let at = 0; at < pattern.length;) {
    const size = tokenSize(pattern, at);
    if (size == 0) return false;
    at += size;
  }
  return true;
}

const STAR: i32 = 0x2a;
const SLASH: i32 = 0x2f;
const BACKSLASH: i32 = 0x5c;
const OPEN: i32 = 0x5b;
const CLOSE: i32 = 0x5d;

// On a mismatch it is enough to extend the newest star: it can take whatever an older one could.
function matches(pattern: string, name: string): bool {
  let at = 0;
  let position = 0;
  let star = -1;
  let stretched = 0;
  while (position < name.length || at < pattern.length) {
    if (at < pattern.length) {
      if (pattern.charCodeAt(at) == STAR) {
        star = ++at;
        stretched = position;
        continue;
      }
      if (position < name.length && tokenMatches(pattern, at, name.charCodeAt(position))) {
        at += tokenSize(pattern, at);
        position++;
        continue;
      }
    }
    if (star < 0 || stretched >= name.length || name.charCodeAt(stretched) == SLASH) return false;
    at = star;
    position = ++stretched;
  }
  return true;
}

function tokenMatches(pattern: string, at: i32, unit: i32): bool {
  const first = pattern.charCodeAt(at);
  if (first == 0x3f) return unit != SLASH;
  if (first == BACKSLASH) return pattern.charCodeAt(at + 1) == unit;
  return first == OPEN ? classMatches(pattern, at + 1, unit) : first == unit;
}

function classMatches(pattern: string, from: i32, unit: i32): bool {
  let at = from;
  const negated = pattern.charCodeAt(at) == 0x5e;
  if (negated) at++;
  let found = false;
  for (let first = true; first || pattern.charCodeAt(at) != CLOSE; first = false) {
    if (pattern.charCodeAt(at) == BACKSLASH) at++;
    const low = pattern.charCodeAt(at++);
    let high = low;
    if (pattern.charCodeAt(at) == 0x2d) {
      at++;
      if (pattern.charCodeAt(at) == BACKSLASH) at++;
      high = pattern.charCodeAt(at++);
    }
    if (low <= unit && unit <= high) found = true;
  }
  return found != negated;
}

// Length of the token that matches one character, or of a star; 0 if the pattern is invalid here.
function tokenSize(pattern: string, at: i32): i32 {
  const first = pattern.charCodeAt(at);
  if (first == BACKSLASH) return at + 1 < pattern.length ? 2 : 0;
  return first == OPEN ? classSize(pattern, at) : 1;
}

function classSize(pattern: string, from: i32): i32 {
  let at = from + 1;
  if (at < pattern.length && pattern.charCodeAt(at) == 0x5e) at++;
  for (let first = true; first || at >= pattern.length || pattern.charCodeAt(at) != CLOSE; first = false) {
    at = endpointEnd(pattern, at);
    if (at > 0 && at < pattern.length && pattern.charCodeAt(at) == 0x2d) at = endpointEnd(pattern, at + 1);
    if (at <= 0 || at >= pattern.length) return 0;
  }
  return at + 1 - from;
}

// Where one end of a character range ends; 0 if there is none here.
function endpointEnd(pattern: string, at: i32): i32 {
  if (at >= pattern.length) return 0;
  const unit = pattern.charCodeAt(at);
  if (unit == 0x2d || unit == CLOSE) return 0;
  if (unit != BACKSLASH) return at + 1;
  return at + 1 < pattern.length ? at + 2 : 0;
}
