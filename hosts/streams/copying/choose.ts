// The files that a selection stands for, and a digest of what is in them.

import { HostFailure, noSuch } from "../../shared/index.js";
import type { content, engine } from "../../shared/index.js";
import { TarReader, textOf } from "../tar/index.js";
import type { TarEntry, TarSink } from "../tar/index.js";
import { Below } from "./below.js";
import { fixedPart, isPattern, patternOf } from "./pattern.js";
import type { CopySource, Hashing } from "./source.js";

/** `stopped` throws if the operation was given up. */
export async function chosenFiles(
  { patterns, without }: content.Selection,
  source: CopySource,
  hashing: Hashing,
  stopped: () => void,
): Promise<engine.Chosen> {
  const files: engine.ChosenFile[] = [];
  for (const pattern of patterns) {
    const choosing = isPattern(pattern) ? matching(pattern, source) : new Choosing(relative(pattern), () => true);
    if (choosing === null) continue;
    await choosing.run(without, source, hashing, stopped);
    if (choosing.files.length === 0 && !isPattern(pattern)) throw noSuch("member", pattern);
    files.push(...choosing.files);
  }
  return { files, digest: hashing.digest() };
}

/** Null if nothing can match. */
function matching(pattern: string, source: CopySource): Choosing | null {
  const [expression, fixed] = [patternOf(relative(pattern)), relative(fixedPart(pattern))];
  if (expression === null) return null;
  // Links are not followed on the way to a match, as Go's `filepath.Walk` follows none.
  if (source.locate(`/${fixed}`) !== `/${fixed}`) return null;
  return new Choosing(fixed, (path) => expression.test(path));
}

/** Reads one tree and takes the topmost files that are wanted, with everything below them. */
class Choosing implements TarSink {
  readonly mostHoles = Infinity;
  readonly files: engine.ChosenFile[] = [];
  readonly #top: string;
  readonly #wanted: (path: string) => boolean;
  #hashing!: Hashing;
  #below = new Below([]);
  /** The body of the current entry counts. */
  #takes = false;

  /** `top`: the path of the tree from the root, without a slash at either end. */
  constructor(top: string, wanted: (path: string) => boolean) {
    this.#top = top;
    this.#wanted = wanted;
  }

  async run(without: string[], source: CopySource, hashing: Hashing, stopped: () => void): Promise<void> {
    this.#hashing = hashing;
    this.#below = new Below(without.map(relative));
    if (this.#below.isOut(this.#top)) return;
    const reader = new TarReader(this);
    try {
      for await (const bytes of source.archive(source.locate(`/${this.#top}`))) {
        stopped();
        await reader.push(bytes);
      }
      reader.end();
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  entry(entry: TarEntry): void {
    const name = this.#below.nameOf(entry);
    const path = name === "" ? this.#top : this.#top === "" ? name : `${this.#top}/${name}`;
    this.#takes = !this.#below.isOut(path) && this.#isTaken(path, entry);
    if (this.#takes) this.#tell(path, entry);
  }

  data(piece: Uint8Array): void {
    if (this.#takes) this.#hashing.update(piece);
  }

  hole(size: number): void {
    for (let left = size; this.#takes && left > 0; left -= ZEROS.length) {
      this.#hashing.update(ZEROS.subarray(0, Math.min(left, ZEROS.length)));
    }
  }

  end(): void {}

  /** Whether it is wanted, or below something that is. */
  #isTaken(path: string, { type }: TarEntry): boolean {
    const last = this.files.at(-1);
    if (last !== undefined && last.directory && isBelow(path, last.path)) return true;
    if (!this.#wanted(path)) return false;
    this.files.push({ path, directory: type === "directory" });
    return true;
  }

  /** Names are those below the chosen file, since its own name does not change what a directory's copy is. */
  #tell(path: string, entry: TarEntry): void {
    const { type, mode, size, target, major, minor, xattrs } = entry;
    const { path: chosen, directory } = this.files.at(-1)!;
    const name = directory ? path.slice(chosen.length) : path;
    const linked = type === "link" ? this.#below.within(target) : textOf(target);
    const about = [name, type, mode, size, linked, major, minor, ...[...xattrs].flat()];
    this.#hashing.update(new TextEncoder().encode(`${JSON.stringify(about)}\n`));
  }
}

function isBelow(path: string, directory: string): boolean {
  return directory === "" || path.startsWith(`${directory}/`);
}

/** A path from the root, without `.` and slashes at its ends. */
function relative(path: string): string {
  return path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
}

function isMissing(error: unknown): boolean {
  if (!(error instanceof HostFailure) || error.failure.tag !== "call") return false;
  return ["ENOENT", "ENOTDIR"].includes(error.failure.val.error);
}

const ZEROS = new Uint8Array(64 << 10);
