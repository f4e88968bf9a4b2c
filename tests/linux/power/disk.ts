// A disk whose power can fail: a file with ext4 on it. The kernel can be told to lose all that was not flushed
// (EXT4_IOC_SHUTDOWN without a flush of the journal); what is in the file then is what a real disk would hold.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, must, run } from "../../support/commands.js";

const SIZE = "1G";
/** `_IOR('X', 125, __u32)`, and its flag NOLOGFLUSH (linux/fs/ext4/ext4.h). */
const SHUT_DOWN = [
  "import fcntl, os, struct, sys",
  "disk = os.open(sys.argv[1], os.O_RDONLY)",
  "print('armed', flush=True)",
  "sys.stdin.readline()",
  "fcntl.ioctl(disk, 0x8004587D, struct.pack('I', 2))",
].join("\n");

const python = findProgram("python3");

/** Why there is no such disk here. */
export const missingDisk =
  findProgram("mkfs.ext4") === null
    ? "mkfs.ext4 is not installed"
    : python === null
      ? "python3, which cuts the power, is not installed"
      : null;

export class FailingDisk {
  /** Where it is mounted. */
  readonly place: string;
  readonly #root: string;
  #file: string;
  #count = 0;

  private constructor(root: string) {
    [this.#root, this.place, this.#file] = [root, join(root, "mounted"), join(root, "disk-0")];
  }

  static async open(): Promise<FailingDisk> {
    const disk = new FailingDisk(await mkdtemp(join(tmpdir(), "coracle-power-")));
    await mkdir(disk.place);
    await must(["truncate", "-s", SIZE, disk.#file]);
    await must(["mkfs.ext4", "-q", disk.#file]);
    await must(["mount", "-o", "loop", disk.#file, disk.place]);
    return disk;
  }

  /** Prepares for a cut at a moment's notice. After the cut nothing more reaches the disk; what is not flushed is lost. */
  async arm(): Promise<() => Promise<void>> {
    const child = spawn(python ?? "python3", ["-c", SHUT_DOWN, this.place], { stdio: ["pipe", "pipe", "inherit"] });
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    await Promise.race([once(child.stdout, "data"), ended]);
    return async () => {
      child.stdin.end("cut\n");
      if ((await ended) !== 0) throw new Error("the power could not be cut");
    };
  }

  /** The power is back: what was on the disk is mounted, with the journal played back. */
  async back(): Promise<void> {
    const [before, after] = [this.#file, join(this.#root, `disk-${++this.#count}`)];
    // Some program may still hold the lost file system, so the disk's content gets a device of its own.
    await must(["cp", "--sparse=always", before, after]);
    this.#file = after;
    await must(["umount", "-l", this.place]);
    await must(["mount", "-o", "loop", after, this.place]);
    await rm(before);
  }

  async close(): Promise<void> {
    await run(["umount", "-l", this.place]);
    await rm(this.#root, { recursive: true });
  }
}
