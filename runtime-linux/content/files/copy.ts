// Copies single files within this machine, with all their attributes.

import * as fs from "node:fs";
import type { Device, Kernel } from "../../kernel.js";

/** Copies anything but a directory to a free path. */
export function copyFile(from: Buffer, to: Buffer, kernel: Kernel): void {
  const stat = fs.lstatSync(from, { bigint: true });
  if (stat.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(from, "buffer"), to);
  else if (hasHoles(stat)) for (const _ of piecesCopied(from, to, kernel));
  else if (stat.isFile()) fs.copyFileSync(from, to, fs.constants.COPYFILE_EXCL | fs.constants.COPYFILE_FICLONE);
  else kernel.mknod(to, Number(stat.mode), splitDevice(stat.rdev));
  copyAttributes(from, to, kernel);
}

/** Node would write a hole's zeros, and a small file may have holes larger than any disk. */
export function hasHoles(stat: Pick<fs.BigIntStats, "size" | "blocks"> & { isFile(): boolean }): boolean {
  return stat.isFile() && stat.blocks * 512n < stat.size;
}

/** Copies a file's bytes to a free path, one piece at a time. Holes stay holes. */
export function* piecesCopied(from: Buffer, to: Buffer, kernel: Kernel): Generator<void> {
  const source = fs.openSync(from, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
  let target = -1;
  try {
    target = fs.openSync(to, "wx", 0o600);
    const piece = Buffer.allocUnsafe(PIECE);
    for (let data = kernel.dataFrom(source, 0); data; data = kernel.dataFrom(source, data.end)) {
      for (let { at } = data; at < data.end;) {
        const count = fs.readSync(source, piece, 0, Math.min(PIECE, data.end - at), at);
        if (count === 0) break;
        for (let done = 0; done < count;) done += fs.writeSync(target, piece, done, count - done, at + done);
        at += count;
        yield;
      }
    }
    fs.ftruncateSync(target, fs.fstatSync(source).size);
  } finally {
    fs.closeSync(source);
    if (target >= 0) fs.closeSync(target);
  }
}

/** Owner, mode, extended attributes (except overlayfs's own) and times. */
export function copyAttributes(from: Buffer, to: Buffer, kernel: Kernel): void {
  const stat = fs.lstatSync(from, { bigint: true });
  fs.lchownSync(to, Number(stat.uid), Number(stat.gid));
  if (!stat.isSymbolicLink()) fs.chmodSync(to, Number(stat.mode) & 0o7777);
  for (const name of attributeNames(from, kernel)) {
    const value = kernel.lgetxattr(from, name);
    if (value) kernel.lsetxattr(to, name, value);
  }
  kernel.lutimens(to, stat.atimeNs, stat.mtimeNs);
}

/** Linux's dev_t as stat(2) gives it: the inverse of makedev(3). */
export function splitDevice(device: bigint): Device {
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & 0xffff_f000n);
  const minor = (device & 0xffn) | ((device >> 12n) & 0xffff_ff00n);
  return { major: Number(major), minor: Number(minor) };
}

function attributeNames(path: Buffer, kernel: Kernel): string[] {
  try {
    return kernel.llistxattr(path).filter((name) => !name.startsWith("trusted.overlay."));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTSUP") return [];
    throw error;
  }
}

const PIECE = 1 << 20;
