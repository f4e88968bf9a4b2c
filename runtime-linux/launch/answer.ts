// What a program says about itself.

import { libc } from "../kernel/libc.js";
import { endOf, saidBy, startChild } from "./child.js";

/** It takes a few milliseconds. */
const LIMIT_MS = 10_000;

/** Its output for one argument. Throws if it cannot be started, or does not end well. */
export async function answerOf(program: string, word: string): Promise<string> {
  const child = startChild(libc, { program, args: [word], files: ["ignore", "pipe", "ignore"] });
  const [{ code }, said] = await Promise.all([endOf(child, libc, LIMIT_MS), saidBy(child, 1)]);
  if (code !== 0) throw new Error(`${program} ${word} ended with ${code}`);
  return said;
}
