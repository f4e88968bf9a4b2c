// All files of a directory tree that someone else may be changing: each directory is opened below its parent's open
// file, so that a link put in the place of a directory leads nowhere.

import * as fs from "node:fs";
import { setImmediate as turn } from "node:timers/promises";

export interface Found {
  /** Below the root, bytes, one per character (see `tar/latin1.ts`). */
  name: string;
  /** Reaches it without following any link, until the next is asked for. */
  path: Buffer;
  stat: fs.BigIntStats;
}

/**
 * In the order of their names' bytes, a directory before what is in it; the root itself is left out. `enters`: whether
 * what is in a directory is wanted.
 */
export async function* walk(root: string, enters: (found: Found) => boolean = () => true): AsyncGenerator<Found> {
  const open: Opened[] = [];
  let told = 0;
  try {
    const top = enter(root, "");
    if (top) open.push(top);
    for (let at = open.at(-1); at; at = open.at(-1)) {
      const child = at.children.pop();
      if (child === undefined) {
        fs.closeSync(open.pop()!.fd);
        continue;
      }
      const path = Buffer.from(`/proc/self/fd/${at.fd}/${child}`, "latin1");
      const stat = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
      if (!stat) continue;
      const name = at.name === "" ? child : `${at.name}/${child}`;
      const found = { name, path, stat };
      yield found;
      // Not a wait for each directory, which takes longer than reading it; yet nobody else is held up.
      if (++told % AT_ONCE === 0) await turn();
      const below = stat.isDirectory() && enters(found) ? enter(path, name) : undefined;
      if (below) open.push(below);
    }
  } finally {
    for (const { fd } of open) fs.closeSync(fd);
  }
}

interface Opened {
  fd: number;
  name: string;
  /** What is still to be told, the next one last. */
  children: string[];
}

/** Undefined when it is no directory any more. */
function enter(path: string | Buffer, name: string): Opened | undefined {
  let fd: number;
  try {
    fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW);
  } catch (error) {
    if (GONE.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
  try {
    const children = fs.readdirSync(`/proc/self/fd/${fd}`, "latin1");
    return { fd, name, children: children.sort().reverse() };
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

/** Files that are told of before others have a turn: some 10 ms. */
const AT_ONCE = 256;
const GONE = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);
