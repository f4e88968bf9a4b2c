// Walks all files of a directory tree that someone else may be changing. Each directory is opened below its parent's
// descriptor, so a link that replaces a directory leads nowhere.

import * as fs from "node:fs";
import { readdir } from "node:fs/promises";
import { setImmediate as turn } from "node:timers/promises";
import { faultyName } from "../../../hosts/shared/index.js";
import { textOf } from "../../../hosts/streams/tar/index.js";

export interface Found {
  /** Relative to the root; bytes, one for each character (see `tar/latin1.ts`). */
  name: string;
  /** A path to the file without links, valid until the next file is asked for. */
  path: Buffer;
  stat: fs.BigIntStats;
}

/**
 * Sorted by the bytes of the names, a directory before its contents. The root itself is left out. `enters` decides
 * whether to go into a directory.
 */
export async function* walk(root: string, enters: (found: Found) => boolean = () => true): AsyncGenerator<Found> {
  const open: Opened[] = [];
  let told = 0;
  try {
    const top = await enter(root, "");
    if (top) open.push(top);
    for (let at = open.at(-1); at; at = open.at(-1)) {
      const child = at.children.pop();
      if (child === undefined) {
        leave(open);
        continue;
      }
      const path = Buffer.from(`/proc/self/fd/${at.fd}/${child}`, "latin1");
      const stat = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
      if (!stat) continue;
      const name = at.name === "" ? child : `${at.name}/${child}`;
      const found = { name, path, stat };
      yield found;
      // A wait at each directory would take longer than reading it. A wait now and then lets other work have its turn.
      if (++told % AT_ONCE === 0) await turn();
      const below = stat.isDirectory() && enters(found) ? await enter(path, name) : undefined;
      if (!below) continue;
      open.push(below);
      rest(open.at(-1 - MOST_OPEN));
    }
  } finally {
    for (const one of open) rest(one);
  }
}

interface Opened {
  /** -1 while the walk is much deeper below. */
  fd: number;
  dev: bigint;
  ino: bigint;
  name: string;
  /** The names still to come, the next one last. */
  children: string[];
}

/** Closes a directory for a while, because a tree may be deeper than there are descriptors. */
function rest(opened: Opened | undefined): void {
  if (!opened || opened.fd < 0) return;
  fs.closeSync(opened.fd);
  opened.fd = -1;
}

/** Goes back to the parent directory, which is reopened by way of the one being left. */
function leave(open: Opened[]): void {
  const left = open.pop()!;
  try {
    const above = open.at(-1);
    if (above && above.fd < 0) above.fd = openAbove(left, above);
  } finally {
    rest(left);
  }
}

function openAbove(left: Opened, { dev, ino, name }: Opened): number {
  const fd = fs.openSync(`/proc/self/fd/${left.fd}/..`, DIRECTORY);
  const stat = fs.fstatSync(fd, { bigint: true });
  if (stat.dev === dev && stat.ino === ino) return fd;
  fs.closeSync(fd);
  throw faultyName("moved-out", textOf(name));
}

/** Undefined if it is not a directory any more. */
async function enter(path: string | Buffer, name: string): Promise<Opened | undefined> {
  let fd: number;
  try {
    fd = fs.openSync(path, DIRECTORY);
  } catch (error) {
    if (GONE.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
  try {
    const children = fewIn(fd) ?? (await readdir(`/proc/self/fd/${fd}`, "latin1"));
    const { dev, ino } = fs.fstatSync(fd, { bigint: true });
    return { fd, dev, ino, name, children: children.sort().reverse() };
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

/**
 * The names in a directory, read synchronously. Undefined if there are many, since reading them would block other work.
 * Also undefined if the file system does not report types, since each name would need a stat.
 */
function fewIn(fd: number): string[] | undefined {
  const directory = fs.opendirSync(`/proc/self/fd/${fd}`, { encoding: "latin1", bufferSize: FEW });
  try {
    const names: string[] = [];
    for (let entry = directory.readSync(); entry; entry = directory.readSync()) {
      if (names.push(entry.name) > FEW) return undefined;
    }
    return names;
  } catch {
    return undefined;
  } finally {
    directory.closeSync();
  }
}

const DIRECTORY = fs.constants.O_RDONLY | fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW;
/** Most names of a directory to read synchronously: some 5 ms. */
const FEW = 4096;
/** Most directories open at a time, each inside the one before. */
const MOST_OPEN = 64;
/** Files reported before others have a turn: some 10 ms. */
const AT_ONCE = 256;
const GONE = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);
