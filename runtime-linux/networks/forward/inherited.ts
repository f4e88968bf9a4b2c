// How a process that starts learns which sockets it has from the engine: a file lists what they are for, in order.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** After those that every follower has. */
const FIRST = 4;
const FILE = "inherited";

/** Writes the list. Returns the argument that tells the process to read it. */
export function writeInherited(directory: string, wishes: Iterable<string>): string {
  writeFileSync(join(directory, FILE), JSON.stringify([...wishes]));
  return FILE;
}

/** The sockets by wishes. `argument`: undefined for none. */
export function readInherited(directory: string, argument: string | undefined): Map<string, number> {
  if (argument !== FILE) return new Map();
  const wishes = JSON.parse(readFileSync(join(directory, FILE), "utf8")) as string[];
  rmSync(join(directory, FILE));
  return new Map(wishes.map((wish, at) => [wish, FIRST + at]));
}
