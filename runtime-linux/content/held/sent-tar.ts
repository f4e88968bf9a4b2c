// Tars that clients have sent for a directory, each kept in a volume until the next one takes its place.
//
// Nothing is flushed, as no build is to wait for the disk. So a tar counts only until the machine is started anew: after a
// loss of power its bytes may be missing. Its name tells in which run of the machine it came, and when that began.

import * as fs from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import type { SentBefore, content } from "../../../hosts/shared/index.js";
import { namesIn } from "../../directories.js";
import type { Paths } from "../../paths.js";

/** What a client sent last time, and where to keep what it sends now. Whoever opens it closes it. */
export class SentTar implements SentBefore {
  readonly settled: bigint;
  readonly #directory: string;
  readonly #name: string;
  readonly #file: FileHandle | null;
  readonly #begun = Date.now();
  #isDoubtful = false;

  private constructor(directory: string, name: string, file: FileHandle | null) {
    [this.#directory, this.#name, this.#file] = [directory, name, file];
    this.settled = BigInt(timeOf(name) - COARSEST) * 1_000_000n;
  }

  static async in(directory: string): Promise<SentTar> {
    const name = newestIn(directory);
    try {
      return new SentTar(directory, name, name === "" ? null : await open(`${directory}/${name}`));
    } catch {
      return new SentTar(directory, "", null);
    }
  }

  async read(into: Uint8Array, at: number): Promise<number> {
    if (this.#file === null) return 0;
    try {
      return (await this.#file.read(into, 0, into.length, at)).bytesRead;
    } catch (error) {
      // Otherwise each later build would fail, too.
      if ((error as NodeJS.ErrnoException).code === "EIO") fs.rmSync(`${this.#directory}/${this.#name}`);
      throw error;
    }
  }

  doubt(): void {
    this.#isDoubtful = true;
  }

  /** Keeps a tar that is complete, in place of the others. Should it fail, there is less to go by the next time. */
  keep(tar: string): void {
    if (this.#isDoubtful) return;
    const name = `${machineRun()}.${this.#begun}`;
    try {
      fs.rmSync(`${this.#directory}/${name}`, { force: true });
      fs.linkSync(tar, `${this.#directory}/${name}`);
      for (const other of namesIn(this.#directory)) if (other !== name) fs.rmSync(`${this.#directory}/${other}`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    }
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}

/** Null if nothing is to be kept. */
export async function sentTarFor(source: content.EntriesSource, paths: Paths): Promise<SentTar | null> {
  if (source.tag !== "session" || source.val.memory === undefined) return null;
  return SentTar.in(paths.volume(source.val.memory));
}

/** Empty if there is none of this run of the machine. */
function newestIn(directory: string): string {
  const names = namesIn(directory).filter((name) => name.startsWith(`${machineRun()}.`));
  return names.sort((a, b) => timeOf(a) - timeOf(b)).at(-1) ?? "";
}

function timeOf(name: string): number {
  return Number(name.slice(name.lastIndexOf(".") + 1));
}

/** Milliseconds between two times of a file, at most (FAT). */
const COARSEST = 2000;

let boot = "";

function machineRun(): string {
  return (boot ||= fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
}
