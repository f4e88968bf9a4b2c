// Reads a `.dockerignore`: which files of the context a build does not see (Docker's build reference, ".dockerignore").

import { trimSpace } from "../../text/space";
import { utf8Length } from "../../text/utf8";
import { IgnorePattern } from "./ignore-pattern";

/** Bytes of the largest file; Docker has no limit. */
export const MAX_IGNORE_FILE: i32 = 256 * 1024;

export class IgnoreFile {
  /** What is wrong with a pattern, or with the whole file; empty if it is valid. */
  problem: string = "";
  patterns: IgnorePattern[] = [];

  /** The patterns as texts for a host, which matches files in the same way: an exception begins with `!`. */
  texts(): string[] {
    const texts: string[] = [];
    for (let i = 0; i < this.patterns.length; i++) {
      texts.push(this.patterns[i].exception ? "!" + this.patterns[i].text : this.patterns[i].text);
    }
    return texts;
  }

  /**
   * Whether a build does not see the file. `path`: from the context's root, without a slash at either end. The last
   * pattern that matches the path, or a directory above it, decides.
   */
  ignores(path: string): bool {
    let ignored = false;
    for (let i = 0; i < this.patterns.length; i++) {
      const pattern = this.patterns[i];
      if (pattern.exception == ignored && pattern.matches(path)) ignored = !ignored;
    }
    return ignored;
  }
}

/** `name`: the path of the file, for messages. */
export function parseIgnoreFile(text: string, name: string = ".dockerignore"): IgnoreFile {
  const file = new IgnoreFile();
  if (utf8Length(text) > MAX_IGNORE_FILE) {
    file.problem = `${name} is larger than ${MAX_IGNORE_FILE.toString()} bytes`;
    return file;
  }
  const bare = text.length > 0 && text.charCodeAt(0) == 0xfeff ? text.slice(1) : text;
  const lines = bare.split("\n");
  for (let i = 0; i < lines.length && file.problem.length == 0; i++) {
    const line = trimSpace(lines[i]);
    if (line.length > 0 && !lines[i].startsWith("#")) add(file, line, name);
  }
  return file;
}

/** Single patterns, without comments. `name`: what has them, for messages. */
export function parsePatterns(texts: string[], name: string): IgnoreFile {
  const file = new IgnoreFile();
  for (let i = 0; i < texts.length && file.problem.length == 0; i++) add(file, trimSpace(texts[i]), name);
  return file;
}

/** A slash in front of `!` makes no difference, as in Docker. */
function add(file: IgnoreFile, line: string, name: string): void {
  const inverted = line.startsWith("!");
  const path = cleaned(inverted ? trimSpace(line.slice(1)) : line);
  const exception = inverted || path.startsWith("!");
  const text = exception && !inverted ? path.slice(1) : path;
  const pattern = new IgnorePattern(text, exception);
  if (text.length == 0) file.problem = `failed to read ${name}: illegal exclusion pattern: "!"`;
  else if (!pattern.isValid) file.problem = `failed to read ${name}: syntax error in pattern: ${line}`;
  else file.patterns.push(pattern);
}

/** As Go's filepath.Clean, and relative to the context, even if it begins with a slash. */
function cleaned(path: string): string {
  if (path.length == 0) return "";
  const kept: string[] = [];
  const parts = path.split("/");
  const isAbsolute = path.startsWith("/");
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i];
    if (part.length == 0 || part == ".") continue;
    if (part != ".." || (!isAbsolute && (kept.length == 0 || kept[kept.length - 1] == ".."))) kept.push(part);
    else if (kept.length > 0) kept.pop();
  }
  return kept.length == 0 ? (isAbsolute ? "/" : ".") : kept.join("/");
}
