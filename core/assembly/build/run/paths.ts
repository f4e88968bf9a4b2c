// Paths of copies.

/** The last part; empty for the root. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A relative path without its first `count` parts, but with at least its last one. */
export function lastParts(path: string, count: i32): string {
  let at = 0;
  for (let left = count; left > 0; left--) {
    const slash = path.indexOf("/", at);
    if (slash < 0) break;
    at = slash + 1;
  }
  return path.slice(at);
}

/** A pattern that matches this path alone. */
export function escaped(path: string): string {
  return path.replaceAll("\\", "\\\\").replaceAll("*", "\\*").replaceAll("?", "\\?").replaceAll("[", "\\[");
}
