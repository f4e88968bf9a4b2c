// Files that a copy does not see.

import { IgnorePatterns } from "../../shared/index.js";
import type { content } from "../../shared/index.js";
import { relative } from "./below.js";

/** Paths are from the root, without a slash at either end; "" is the root. */
export class Missing {
  readonly #paths: ReadonlySet<string>;
  readonly #patterns: IgnorePatterns;
  readonly #hasExceptions: boolean;
  readonly #byRoot: boolean;

  constructor({ paths, patterns, byRoot }: content.MissingFiles) {
    this.#paths = new Set(paths.map(relative));
    this.#patterns = new IgnorePatterns(patterns);
    this.#hasExceptions = patterns.some((pattern) => pattern.startsWith("!"));
    this.#byRoot = byRoot;
  }

  /**
   * Whether a file counts as missing. `chosen`: the file or directory that it is in or is itself. `behind`: where it is
   * after links are followed; that must not be missing either.
   */
  has(path: string, chosen: string, behind: string): boolean {
    return this.#isListed(path) || this.#isListed(behind) || this.#isExcluded(path, chosen);
  }

  /** Whether everything in a directory counts as missing, too. */
  hasAllOf(path: string, chosen: string, behind: string): boolean {
    return this.has(path, chosen, behind) && (!this.#hasExceptions || !this.#isExcluded(path, chosen));
  }

  #isExcluded(path: string, chosen: string): boolean {
    const isChosen = path === chosen;
    const seen = this.#byRoot || isChosen || chosen === "" ? path : path.slice(chosen.length + 1);
    return seen !== "" && this.#patterns.ignores(seen);
  }

  /** Whether it, or something above it, is one of the paths. */
  #isListed(path: string): boolean {
    if (this.#paths.size === 0) return false;
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
      if (this.#paths.has(path.slice(0, end))) return true;
    }
    return false;
  }
}
