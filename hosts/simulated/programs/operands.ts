// Runs a program's action for each of its path operands.

import { FileError } from "../files/file-system.js";
import { absolute } from "../processes/executable.js";
import type { ContainerProcess } from "../processes/process.js";
import { complain, whyNot } from "./command.js";
import { UsageError } from "./options.js";

const FILE_NS = 10_000;

/** Runs an action for every path. Resolves to 1 if it failed for one. */
export async function eachPath(
  process: ContainerProcess,
  paths: readonly string[],
  act: (absolutePath: string, path: string) => void | Promise<void>,
  text: (path: string, why: string) => string,
): Promise<number> {
  let code = 0;
  for (const path of paths) {
    try {
      if (path === "") throw new FileError("ENOENT", path);
      await act(absolute(path, process.cwd), path);
      await process.work(FILE_NS);
    } catch (error) {
      const why = whyNot(error);
      if (why === false) throw error;
      code = await complain(process, text(path, why));
    }
  }
  return code;
}

/** Throws `UsageError` if there are no operands. */
export function required(words: readonly string[]): readonly string[] {
  if (words.length === 0) throw new UsageError("missing operand");
  return words;
}
