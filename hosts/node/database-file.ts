// The database's file, looked at before LMDB opens it: LMDB takes an empty one for a new one, and dies of a damaged head
// without a word. Without its records the engine would sweep all that they speak of, volumes with their files, too.

import { closeSync, openSync, readSync, readdirSync } from "node:fs";

/**
 * Whether there is a database. Throws when it is damaged at its head, and when there is none though something stands in
 * `owned`, whose owners only the records tell. Nothing is touched.
 */
export function findDatabase(file: string, owned: readonly string[]): boolean {
  const head = headOf(file);
  if (head.length === 0) {
    const left = owned.find(isFilled);
    if (left === undefined) return false;
    throw new Error(
      `${file} is missing or empty, but something is left in ${left}: put the one back or move the other away`,
    );
  }
  if (!isMeta(head, 0) || !isMeta(head, head.readUInt32LE(PAGE_SIZE) || head.length)) {
    throw new Error(`${file} is damaged: put back an older one, or move the whole data root away`);
  }
  return true;
}

/** Both of the pages that make a transaction valid begin with this, as LMDB lays them out. */
function isMeta(head: Buffer, at: number): boolean {
  if (at + HEAD_BYTES > head.length) return false;
  return head.readUInt16LE(at + FLAGS) === META && head.readUInt32LE(at + MAGIC) === MAGIC_NUMBER;
}

const FLAGS = 18;
const META = 0x08;
const MAGIC = 24;
const MAGIC_NUMBER = 0xbeefc0de;
const PAGE_SIZE = 48;
const HEAD_BYTES = PAGE_SIZE + 4;
const LARGEST_PAGE = 65_536;

/** Empty where there is no file. */
function headOf(file: string): Buffer {
  const head = Buffer.alloc(LARGEST_PAGE + HEAD_BYTES);
  const descriptor = openIfThere(file);
  if (descriptor === null) return head.subarray(0, 0);
  try {
    return head.subarray(0, readSync(descriptor, head, 0, head.length, 0));
  } finally {
    closeSync(descriptor);
  }
}

function openIfThere(file: string): number | null {
  try {
    return openSync(file, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function isFilled(directory: string): boolean {
  try {
    // A disk of its own may be mounted here.
    return readdirSync(directory).some((name) => name !== "lost+found");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
