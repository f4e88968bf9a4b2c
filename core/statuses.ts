// Writes the names of a container's statuses for the hosts. Records hold the numbers, and readers of records outside the
// core need the names. They come from one place: the core's own enum.

import { readFile } from "node:fs/promises";
import { join } from "node:path";

const SOURCE = "core/assembly/container/lifecycle.ts";

/** A module. */
export async function writeStatuses(root: string): Promise<string> {
  const source = await readFile(join(root, SOURCE), "utf8");
  const members = /export enum Status \{([^}]*)\}/.exec(source)?.[1] ?? "";
  const words = Array.from(members.matchAll(/\w+/g), ([name]) => name.toLowerCase());
  if (words.length === 0) throw new Error(`${SOURCE} has no statuses`);
  return (
    `/** In the order of their numbers. */\nexport const STATUSES = ${JSON.stringify(words)} as const;\n` +
    "export type StatusWord = (typeof STATUSES)[number];\n"
  );
}
