// Reads a file's bytes as far as possible. Bytes that the disk cannot read become zeros, which are no page of a
// database.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Null if there is no file. */
export function bytesOf(file: string): Buffer | null {
  const descriptor = openIfThere(file);
  if (descriptor === null) return null;
  try {
    const bytes = Buffer.alloc(fstatSync(descriptor).size);
    for (let at = 0; at < bytes.length; at += PIECE) {
      const piece = bytes.subarray(at, at + PIECE);
      if (!readInto(descriptor, piece, at)) readSectors(descriptor, piece, at);
    }
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

function readSectors(descriptor: number, piece: Buffer, from: number): void {
  for (let at = 0; at < piece.length; at += SECTOR) {
    const sector = piece.subarray(at, at + SECTOR);
    if (!readInto(descriptor, sector, from + at)) sector.fill(0);
  }
}

/** False if the disk fails. */
function readInto(descriptor: number, into: Buffer, from: number): boolean {
  try {
    let done = 0;
    for (let read = 1; read > 0 && done < into.length; done += read) {
      read = readSync(descriptor, into, done, into.length - done, from + done);
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EIO") return false;
    throw error;
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

const PIECE = 1024 * 1024;
const SECTOR = 512;
