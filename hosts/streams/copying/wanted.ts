// Which files a path or a pattern of a selection stands for: the topmost ones that match, with everything in them. Paths
// are from the root, without a slash at either end.

import { IgnorePatterns } from "../../shared/index.js";
import { patternOf } from "./pattern.js";

export interface Wanted {
  /** The file or directory that is chosen and that the path is in, or is itself; null if there is none. */
  partOf(path: string): string | null;
  /** Whether something may be chosen in a directory that is in nothing that is chosen. */
  leadsTo(directory: string): boolean;
}

/** One path: everything in it is chosen. */
export function wantedPath(top: string): Wanted {
  return { partOf: () => top, leadsTo: () => true };
}

/** `anyDepth`: `**` is any number of directories. Null for a pattern that Go refuses (`ErrBadPattern`). */
export function wantedPattern(pattern: string, anyDepth: boolean): Wanted | null {
  const expression = patternOf(pattern);
  if (expression === null) return null;
  if (anyDepth && pattern.includes("**")) {
    const patterns = new IgnorePatterns([pattern.startsWith("!") ? `\\${pattern}` : pattern]);
    return new ByPrefix((path) => patterns.ignores(path));
  }
  // As in Go, a class may match a slash: then the number of parts is not that of the pattern.
  if (/[[\\]/.test(pattern)) return new ByPrefix((path) => expression.test(path));
  return new ByParts(pattern.split("/").map((part) => patternOf(part)!));
}

class ByParts implements Wanted {
  readonly #parts: readonly RegExp[];

  constructor(parts: readonly RegExp[]) {
    this.#parts = parts;
  }

  partOf(path: string): string | null {
    const names = path === "" ? [] : path.split("/");
    if (names.length < this.#parts.length || !this.#begins(names)) return null;
    return names.slice(0, this.#parts.length).join("/");
  }

  leadsTo(directory: string): boolean {
    return directory === "" || this.#begins(directory.split("/"));
  }

  #begins(names: readonly string[]): boolean {
    return this.#parts.every((part, at) => at >= names.length || part.test(names[at]!));
  }
}

class ByPrefix implements Wanted {
  readonly #matches: (path: string) => boolean;

  constructor(matches: (path: string) => boolean) {
    this.#matches = matches;
  }

  partOf(path: string): string | null {
    for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) {
      if (this.#matches(path.slice(0, end))) return path.slice(0, end);
    }
    return path !== "" && this.#matches(path) ? path : null;
  }

  leadsTo(): boolean {
    return true;
  }
}
