// Other programs of the machine that know its firewall.

import { endOf, missingProgram, saidBy, startChild, type Child } from "../../launch/child.js";
import { libc } from "../../kernel/libc.js";

/** They take a few milliseconds, and wait for one another. */
const LIMIT_MS = 60_000;

/** Runs a program to its end. Throws `no-such` if it is not installed, `call` if it cannot be started. */
export async function runProgram(program: string, args: string[], input = ""): Promise<Ended> {
  const child = start(program, args);
  const stdin = child.pipes[0]!;
  stdin.on("error", () => {}); // it ended without reading; the exit code says why
  stdin.end(input);
  const [{ code }, ...said] = await Promise.all([endOf(child, libc, LIMIT_MS), saidBy(child, 1), saidBy(child, 2)]);
  return { code, stdout: said[0], stderr: said[1] };
}

function start(program: string, args: string[]): Child {
  try {
    return startChild(libc, { program, args, files: ["pipe", "pipe", "pipe"] });
  } catch (error) {
    throw missingProgram(error, program);
  }
}

/** How a program ended. It has no code if a signal killed it. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}
