// The files that a selection stands for, and a digest of what is in them.

import { HostFailure, noSuch } from "../../shared/index.js";
import type { content, engine } from "../../shared/index.js";
import { TarReader, textOf } from "../tar/index.js";
import type { TarEntry, TarSink } from "../tar/index.js";
import { Below, joinedPath, relative } from "./below.js";
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
    const how = { without, source, hashing, stopped };
    files.push(...(await (isPattern(pattern) ? matching(pattern, how) : plain(pattern, how))));
  }
  return { files, digest: hashing.digest() };
}

interface How {
  without: readonly string[];
  source: CopySource;
  hashing: Hashing;
  stopped: () => void;
}

async function plain(path: string, how: How): Promise<engine.ChosenFile[]> {
  const files = await new Choosing(relative(path), how, () => true).run();
  if (files.length === 0) throw noSuch("member", path);
  return files;
}

async function matching(pattern: string, how: How): Promise<engine.ChosenFile[]> {
  const [expression, fixed] = [patternOf(relative(pattern)), relative(fixedPart(pattern))];
  if (expression === null) return [];
  // Links are not followed on the way to a match, as Go's `filepath.Walk` follows none.
  if (how.source.locate(`/${fixed}`) !== `/${fixed}`) return [];
  // The root itself matches nothing.
  return new Choosing(fixed, how, (path) => path !== "" && expression.test(path)).run();
}

/** Reads one tree and takes the topmost files that are wanted, with everything below them. */
class Choosing implements TarSink {
  readonly mostHoles = Infinity;
  readonly #files: engine.ChosenFile[] = [];
  readonly #top: string;
  /** Where the tree is after links are followed. */
  readonly #at: string;
  readonly #how: How;
  readonly #wanted: (path: string) => boolean;
  readonly #below: Below;
  /** The body of the current entry counts. */
  #takes = false;

  /** `top`: the path of the tree from the root, without a slash at either end. */
  constructor(top: string, how: How, wanted: (path: string) => boolean) {
    this.#top = top;
    this.#at = relative(how.source.locate(`/${top}`));
    this.#how = how;
    this.#wanted = wanted;
    this.#below = new Below(how.without);
  }

  async run(): Promise<engine.ChosenFile[]> {
    if (this.#isOut("")) return [];
    try {
      await this.#read(this.#at, this);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    return this.#files;
  }

  async #read(path: string, sink: TarSink): Promise<void> {
    const reader = new TarReader(sink);
    for await (const bytes of this.#how.source.archive(`/${path}`)) {
      this.#how.stopped();
      await reader.push(bytes);
    }
    reader.end();
  }

  entry(entry: TarEntry): Promise<void> | void {
    const name = this.#below.nameOf(entry);
    const path = joinedPath(this.#top, name);
    const isInChosen = this.#isInChosen(path);
    this.#takes = !this.#isOut(name) && (isInChosen || this.#wanted(path));
    if (!this.#takes) return;
    if (entry.type === "link" && isInChosen && !this.#hasTaken(this.#below.within(entry.target))) {
      return this.#hash(path, name);
    }
    if (!isInChosen && (entry.type === "link" || entry.type === "symlink")) return this.#follow(path);
    if (!isInChosen) this.#files.push({ path, directory: entry.type === "directory" });
    this.#tell(path, entry);
  }

  data(piece: Uint8Array): void {
    if (this.#takes) this.#how.hashing.update(piece);
  }

  hole(size: number): void {
    for (let left = size; this.#takes && left > 0; left -= ZEROS.length) {
      this.#how.hashing.update(ZEROS.subarray(0, Math.min(left, ZEROS.length)));
    }
  }

  end(): void {}

  /** Neither the given path nor the one behind its links may count as missing. */
  #isOut(name: string): boolean {
    return [this.#top, this.#at].some((directory) => this.#below.isOut(joinedPath(directory, name)));
  }

  #isInChosen(path: string): boolean {
    const last = this.#files.at(-1);
    return last !== undefined && last.directory && isBelow(path, last.path);
  }

  /** Whether the first name of a hard link in the chosen directory is taken: then its bytes are in the digest. */
  #hasTaken(name: string): boolean {
    return !this.#isOut(name) && this.#isInChosen(joinedPath(this.#top, name));
  }

  /** What a chosen link stands for is copied, so that counts. */
  async #follow(path: string): Promise<void> {
    this.#files.push(...(await plain(path, this.#how)));
  }

  /** A hard link whose first name is not taken is copied as a file. */
  #hash(path: string, name: string): Promise<void> {
    return this.#read(joinedPath(this.#at, name), {
      mostHoles: Infinity,
      entry: (entry) => this.#tell(path, entry),
      data: (piece) => this.data(piece),
      hole: (size) => this.hole(size),
      end: () => {},
    });
  }

  /** Names are those below the chosen file, since its own name does not change what a directory's copy is. */
  #tell(path: string, entry: TarEntry): void {
    const { type, mode, size, target, major, minor, xattrs } = entry;
    const { path: chosen, directory } = this.#files.at(-1)!;
    const name = directory ? path.slice(chosen.length) : path;
    const linked = type === "link" ? this.#below.within(target) : textOf(target);
    const about = [name, type, mode, size, linked, major, minor, ...[...xattrs].flat()];
    this.#how.hashing.update(new TextEncoder().encode(`${JSON.stringify(about)}\n`));
  }
}

function isBelow(path: string, directory: string): boolean {
  return directory === "" || path.startsWith(`${directory}/`);
}

function isMissing(error: unknown): boolean {
  if (!(error instanceof HostFailure) || error.failure.tag !== "call") return false;
  return ["ENOENT", "ENOTDIR"].includes(error.failure.val.error);
}

const ZEROS = new Uint8Array(64 << 10);
