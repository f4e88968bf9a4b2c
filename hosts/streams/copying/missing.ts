// Files that a copy does not see.

import { IgnorePatterns } from "../../shared/index.js";
import type { content } from "../../shared/index.js";

/** Paths are from the root, without a slash at either end; "" is the root. */
export class Missing {
  readonly #ignored: IgnorePatterns;
  readonly #patterns: IgnorePatterns;
  readonly #hasIgnoredExceptions: boolean;
  readonly #hasExceptions: boolean;
  readonly #byRoot: boolean;

  constructor({ ignored, patterns, byRoot }: content.MissingFiles) {
    this.#ignored = new IgnorePatterns(ignored);
    this.#patterns = new IgnorePatterns(patterns);
    this.#hasIgnoredExceptions = hasException(ignored);
    this.#hasExceptions = hasException(patterns);
    this.#byRoot = byRoot;
  }

  /**
   * Whether a file counts as missing. `chosen`: the file or directory that it is in or is itself. `behind`: where it is
   * after links are followed; that must not be missing either.
   */
  has(path: string, chosen: string, behind: string): boolean {
    return this.#isIgnored(path) || this.#isIgnored(behind) || this.#isExcluded(path, chosen);
  }

  /** Whether everything in a directory counts as missing, too. */
  hasAllOf(path: string, chosen: string, behind: string): boolean {
    if (!this.#hasExceptions && this.#isExcluded(path, chosen)) return true;
    return !this.#hasIgnoredExceptions && (this.#isIgnored(path) || this.#isIgnored(behind));
  }

  /** Whether something in a directory that is ignored may be there, and so the directory. */
  mayHave(path: string, chosen: string): boolean {
    return this.#hasIgnoredExceptions && !this.#isExcluded(path, chosen);
  }

  #isExcluded(path: string, chosen: string): boolean {
    const isChosen = path === chosen;
    const seen = this.#byRoot || isChosen || chosen === "" ? path : path.slice(chosen.length + 1);
    return seen !== "" && this.#patterns.ignores(seen);
  }

  #isIgnored(path: string): boolean {
    return path !== "" && this.#ignored.ignores(path);
  }
}

function hasException(patterns: readonly string[]): boolean {
  return patterns.some((pattern) => pattern.startsWith("!"));
}
