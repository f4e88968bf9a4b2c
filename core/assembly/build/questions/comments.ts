// What a Dockerfile says of a stage or an argument, in the comment in front of it: `# NAME description`.

import { trimSpace } from "../../text/space";

/** A longer comment is read from here on. */
const MOST_LINES: i32 = 100;

/** `line`: of the instruction, counted from 1. Empty if nothing is said. */
export function descriptionOf(name: string, line: i32, lines: string[]): string {
  if (name.length == 0) return "";
  for (let i = line - 2; i >= max(0, line - 1 - MOST_LINES); i--) {
    const comment = trimSpace(lines[i]);
    if (!comment.startsWith("#")) return "";
    const words = trimSpace(comment.slice(1));
    if (words.startsWith(`${name} `)) return trimSpace(words.slice(name.length));
  }
  return "";
}
