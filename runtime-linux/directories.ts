// Directories that the engine makes and removes, and functions that make names survive a power loss.

import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
  statfsSync,
  unlinkSync,
  type Dirent,
} from "node:fs";
import { mkdtemp, open, opendir, readdir, rename, rmdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Kernel } from "./kernel.js";

/** Makes a directory that other users cannot enter, if it is missing. They can pass through its parents. */
export function makePrivate(directory: string): void {
  const parent = dirname(directory);
  if (!existsSync(parent)) mkdirSync(parent, { recursive: true, mode: 0o711 });
  if (!existsSync(directory)) mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
}

/**
 * Makes a directory, and asks the file system to keep the trees in it apart. Otherwise ext4 puts a new tree where another
 * was just removed, and each new file passes over the numbers of all files removed there in the last minutes.
 */
export function makeSpread(directory: string, mode: number, kernel: Kernel): void {
  mkdirSync(directory, { recursive: true, mode });
  const fd = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    kernel.spreadBelow(fd);
  } catch {
    // Other file systems do not know the flag.
  } finally {
    closeSync(fd);
  }
}

/** Flushes a file's bytes, or a directory's names, to disk (fsync(2)). Before that a power loss may undo them. */
export async function syncPath(path: string): Promise<void> {
  const file = await open(path);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The same for a directory and all its parents, which may be new too. */
export async function syncUpwards(directory: string): Promise<void> {
  await syncPath(directory);
  if (dirname(directory) !== directory) await syncUpwards(dirname(directory));
}

/** Makes a directory and its missing parents so that they survive a power loss. */
export async function makeLasting(directory: string, mode: number): Promise<void> {
  if (mkdirSync(directory, { recursive: true, mode }) !== undefined) await syncUpwards(dirname(directory));
}

/** Removes a directory, unless something is in it or mounted on it. */
export async function removeEmpty(directory: string): Promise<void> {
  try {
    await (isInMemory(dirname(directory)) ? rmdirSync(directory) : rmdir(directory));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTEMPTY" && code !== "EBUSY") throw error;
  }
}

/** Removes a file. A missing one is no error. */
export async function removeFile(file: string): Promise<void> {
  try {
    await (isInMemory(dirname(file)) ? unlinkSync(file) : unlink(file));
  } catch (error) {
    unlessGone(error as NodeJS.ErrnoException);
  }
}

/** The names in a directory; none if it is missing. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/**
 * Removes a small directory and everything in it. On a disk it removes files concurrently and off the main thread, since
 * each may have to wait. A missing directory is no error.
 */
export async function removeAll(directory: string): Promise<void> {
  const entries = entriesIn(directory);
  if (entries === undefined) return;
  const isQuick = entries.length <= NAMES_AT_ONCE && isInMemory(directory);
  const act = isQuick ? { unlink: unlinkSync, rmdir: rmdirSync } : { unlink, rmdir };
  const remove = async (entry: Dirent): Promise<void> => {
    const path = join(directory, entry.name);
    await (entry.isDirectory() ? act.rmdir(path) : act.unlink(path));
  };
  await Promise.all(entries.map((entry) => remove(entry).catch(() => removeTree(join(directory, entry.name)))));
  const removeItself = async (): Promise<void> => act.rmdir(directory);
  await removeItself().catch(() => removeTree(directory));
}

function entriesIn(directory: string): Dirent[] | undefined {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    unlessGone(error as NodeJS.ErrnoException);
    return undefined;
  }
}

/**
 * Whether a directory's names are in memory, as below /run. Nothing there waits for a disk, and to remove a name takes a
 * tenth of what handing the call to another thread does.
 */
function isInMemory(directory: string): boolean {
  try {
    return MEMORY.includes(statfsSync(directory).type);
  } catch {
    return false; // it is missing; the call itself tells
  }
}

/** tmpfs and ramfs (statfs(2), `f_type`). */
const MEMORY: readonly number[] = [0x01021994, 0x858458f6];

/** Removes a directory of any depth and everything in it. An empty one takes a single call. */
export async function removeTree(directory: string): Promise<void> {
  await rmdir(directory).catch(() => removeBelow(directory));
}

/**
 * Nested directories can make a path that is too long for the kernel (path_resolution(7)). And a process that is
 * ending, such as a supervisor being killed, may still write something.
 */
async function removeBelow(directory: string, triesLeft = MOST_TRIES): Promise<void> {
  try {
    await removePieces(Buffer.from(directory));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (triesLeft === 0 || (code !== "ENAMETOOLONG" && code !== "ENOTEMPTY")) throw error;
    if (code === "ENAMETOOLONG") await flatten(directory);
    else await sleep(AGAIN_MS);
    await removeBelow(directory, triesLeft - 1);
  }
}

/** Works on a few names at a time: a directory of 100,000 would block the event loop for more than a second. */
async function removePieces(top: Buffer): Promise<void> {
  const levels: Buffer[][] = [];
  for (let level = [top]; level.length > 0;) {
    levels.push(level);
    const below: Buffer[] = [];
    await inTurn(level, DIRECTORIES_AT_ONCE, (directory) => removeFiles(directory, below));
    level = below;
  }
  // The deepest level first: a directory must be empty before it can go.
  for (const level of levels.reverse()) {
    await inTurn(level, NAMES_AT_ONCE, (directory) => rmdir(directory).catch(unlessGone));
  }
}

/** Removes everything except directories, which are added to `below`. Links are not followed: they count as files. */
async function removeFiles(directory: Buffer, below: Buffer[]): Promise<void> {
  const opened = await open(directory, DIRECTORY).catch(unlessNone);
  if (opened === undefined) return unlink(directory).catch(unlessGone);
  try {
    const held = Buffer.from(`/proc/self/fd/${opened.fd}/`);
    let files: Buffer[] = [];
    for await (const entry of await opendir(held.toString(), { encoding: "latin1", bufferSize: NAMES_READ })) {
      const name = Buffer.from(entry.name, "latin1");
      if (entry.isDirectory()) below.push(Buffer.concat([directory, SLASH, name]));
      else if (files.push(Buffer.concat([held, name])) === NAMES_AT_ONCE) {
        await all(files, unlinkFile);
        files = [];
      }
    }
    await all(files, unlinkFile);
  } finally {
    await opened.close();
  }
}

function unlinkFile(file: Buffer): Promise<void> {
  return unlink(file).catch(unlessGone);
}

async function inTurn<T>(these: T[], atOnce: number, act: (one: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < these.length; at += atOnce) await all(these.slice(at, at + atOnce), act);
}

/** Runs all of them concurrently. If one fails, waits for the others before throwing. */
async function all<T>(these: T[], act: (one: T) => Promise<void>): Promise<void> {
  const ends = await Promise.allSettled(these.map(act));
  const failed = ends.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

/**
 * Moves deep directories, with their contents, into one directory at the top. Nobody else writes there, but an earlier
 * removal may still be running.
 */
async function flatten(top: string): Promise<void> {
  const place = Buffer.from(await mkdtemp(join(top, ".deep-")));
  const ahead = [Buffer.from(top)];
  let moved = 0;
  for (let at = ahead.pop(); at; at = ahead.pop()) {
    const entries = await readdir(at, { withFileTypes: true, encoding: "buffer" }).catch(unlessGone);
    for (const entry of entries ?? []) {
      const path = Buffer.concat([at, SLASH, entry.name]);
      if (!entry.isDirectory() || path.equals(place)) continue;
      const isDeep = path.length > LONG_PATH;
      const up = isDeep ? Buffer.concat([place, SLASH, Buffer.from(String(moved++))]) : path;
      if (isDeep) await rename(path, up).catch(unlessGone);
      ahead.push(up);
    }
  }
}

function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

/** The path is missing, or it is not a directory. */
function unlessNone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR" && error.code !== "ELOOP") throw error;
}

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const DIRECTORIES_AT_ONCE = 8;
const NAMES_AT_ONCE = 32;
const NAMES_READ = 256;
const MOST_TRIES = 10;
const AGAIN_MS = 50;
const SLASH = Buffer.from("/");
/** In bytes. A path with one more name is still far from too long. */
const LONG_PATH = 2048;
