// The embedded image, made ahead by the build: each new data root needs it, and to make it takes 20 ms of a processor.
// Only who may change the engine's own code may write to the directory that it is kept in.

import { createHash } from "node:crypto";
import { readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { embeddedBusybox, PROGRAMS } from "./embedded-image.js";

/** Replaces what is kept in a directory. There is nothing to keep if the system has no statically linked busybox. */
export async function keepBusybox(directory: string, programs = PROGRAMS): Promise<void> {
  for (const name of await readdir(directory)) if (KEPT.test(name)) await rm(join(directory, name));
  for (const program of programs) {
    const file = await keptFile(directory, program).catch(() => null);
    const archive = file === null ? undefined : await embeddedBusybox([program]);
    if (file === null || archive === undefined) continue;
    // Flushed, or after a power cut a file by this name might be empty.
    await writeFile(`${file}.part`, archive, { flush: true });
    // The program may have changed meanwhile.
    if ((await keptFile(directory, program)) === file) await rename(`${file}.part`, file);
    return;
  }
}

/** What `embeddedBusybox` would make; undefined if nothing is kept for this machine's program. */
export async function keptBusybox(directory: string, programs = PROGRAMS): Promise<Uint8Array | undefined> {
  for (const program of programs) {
    try {
      return await readFile(await keptFile(directory, program));
    } catch {
      // It costs only time.
    }
  }
  return undefined;
}

/** For this very file of a program: whatever changes a file, changes its time of change (inode(7)). */
async function keptFile(directory: string, program: string): Promise<string> {
  const { dev, ino, size, ctimeNs } = await stat(program, { bigint: true });
  const mark = createHash("sha256").update([program, dev, ino, size, ctimeNs].join(" ")).digest("hex");
  return join(directory, `busybox-${mark.slice(0, 16)}.tar`);
}

const KEPT = /^busybox-[0-9a-f]{16}\.tar(\.part)?$/;
