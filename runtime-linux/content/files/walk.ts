// All files of a directory tree that someone else may be changing: each directory is opened below its parent's open
// file, so that a link put in the place of a directory leads nowhere.

import * as fs from "node:fs";
import { readdir } from "node:fs/promises";
import { setImmediate as turn } from "node:timers/promises";
import { faultyName } from "../../../hosts/shared/failure.js";
import { textOf } from "../../../hosts/streams/tar/latin1.js";

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
      // Not a wait for each directory, which takes longer than reading it; yet nobody else is held up.
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
  /** -1 while others much deeper are told. */
  fd: number;
  dev: bigint;
  ino: bigint;
  name: string;
  /** What is still to be told, the next one last. */
  children: string[];
}

/** A tree may be deeper than there are descriptors. */
function rest(opened: Opened | undefined): void {
  if (!opened || opened.fd < 0) return;
  fs.closeSync(opened.fd);
  opened.fd = -1;
}

/** Back to the directory above, which is opened again by way of the one that is left. */
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

/** Undefined when it is no directory any more. */
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
 * The names in a directory, at once; undefined if they are many, whose reading would hold others up, or if the file system
 * does not tell their types: they would be asked for by name.
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
/** Names of a directory that are read at once: some 5 ms. */
const FEW = 4096;
/** Directories that are open, each in the one before. */
const MOST_OPEN = 64;
/** Files that are told of before others have a turn: some 10 ms. */
const AT_ONCE = 256;
const GONE = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);
