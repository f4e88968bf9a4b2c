// The files that a selection stands for, and a digest of what is in them.

import { HostFailure, noSuch } from "../../shared/index.js";
import type { content, engine } from "../../shared/index.js";
import { textOf, UNLIMITED } from "../tar/index.js";
import type { TarEntry, TarSink } from "../tar/index.js";
import { Below, joinedPath, relative } from "./below.js";
import { Missing } from "./missing.js";
import { fixedPart, isPattern } from "./pattern.js";
import type { CopySource, Hashing } from "./source.js";
import { wantedPath, wantedPattern, type Wanted } from "./wanted.js";

/** `stopped` throws if the operation was given up. */
export async function chosenFiles(
  { patterns, missing, anyDepth, owners }: content.Selection,
  source: CopySource,
  hashing: Hashing,
  stopped: () => void,
): Promise<engine.Chosen> {
  const files: engine.ChosenFile[] = [];
  const how = { missing: new Missing(missing), source, hashing, stopped, anyDepth, owners };
  for (const [at, pattern] of patterns.entries()) {
    const found = await (isPattern(pattern) ? matching(pattern, how) : plain(pattern, how));
    files.push(...found.map((file) => ({ ...file, pattern: at })));
  }
  return { files, digest: hashing.digest() };
}

interface How {
  missing: Missing;
  source: CopySource;
  hashing: Hashing;
  stopped: () => void;
  anyDepth: boolean;
  owners: boolean;
}

type Found = Omit<engine.ChosenFile, "pattern">;

async function plain(path: string, how: How): Promise<Found[]> {
  const top = relative(path);
  const files = await new Choosing(top, how, wantedPath(top)).run();
  if (files.length === 0) throw noSuch("member", path);
  return files;
}

async function matching(pattern: string, how: How): Promise<Found[]> {
  const [wanted, fixed] = [wantedPattern(relative(pattern), how.anyDepth), relative(fixedPart(pattern))];
  if (wanted === null) return [];
  // Links are not followed on the way to a match, as Go's `filepath.Walk` follows none.
  if (how.source.locate(`/${fixed}`) !== `/${fixed}`) return [];
  return new Choosing(fixed, how, wanted).run();
}

/** Reads one tree and takes the topmost files that are wanted, with everything below them. */
class Choosing implements TarSink {
  readonly limits = UNLIMITED;
  readonly #files: Found[] = [];
  readonly #top: string;
  /** Where the tree is after links are followed. */
  readonly #at: string;
  readonly #how: How;
  readonly #wanted: Wanted;
  readonly #below = new Below();
  /** The body of the current entry counts. */
  #takes = false;
  /** A chosen directory that is missing, unless something in it is not. */
  #unsure: TarEntry | null = null;

  /** `top`: the path of the tree from the root, without a slash at either end. */
  constructor(top: string, how: How, wanted: Wanted) {
    this.#top = top;
    this.#at = relative(how.source.locate(`/${top}`));
    this.#how = how;
    this.#wanted = wanted;
  }

  async run(): Promise<Found[]> {
    const { source, stopped } = this.#how;
    try {
      await source.send(`/${this.#at}`, this, stopped, (name, isDirectory) => this.#reads(name, isDirectory));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    return this.#files;
  }

  /** Whether a file of the tree is read, or a directory entered. */
  #reads(name: string, isDirectory: boolean): boolean {
    const [path, behind] = [joinedPath(this.#top, name), joinedPath(this.#at, name)];
    const chosen = this.#wanted.partOf(path);
    if (chosen === null) return isDirectory && this.#wanted.leadsTo(path);
    const { missing } = this.#how;
    return !(isDirectory ? missing.hasAllOf(path, chosen, behind) : missing.has(path, chosen, behind));
  }

  entry(entry: TarEntry): Promise<void> | void {
    const name = this.#below.nameOf(entry);
    const path = joinedPath(this.#top, name);
    const chosen = this.#wanted.partOf(path);
    const { missing } = this.#how;
    this.#takes = chosen !== null && !missing.has(path, chosen, joinedPath(this.#at, name));
    if (chosen === path && entry.type === "directory") {
      this.#unsure = !this.#takes && missing.mayHave(path, chosen) ? entry : null;
    }
    if (chosen === null || !this.#takes) return;
    if (chosen !== path) {
      this.#takeUnsure(chosen);
      this.#takes = this.#files.at(-1)?.path === chosen;
      return this.#takes ? this.#tell(path, entry) : undefined;
    }
    if (entry.type === "link" || entry.type === "symlink") return this.#follow(path);
    this.#files.push({ path, directory: entry.type === "directory" });
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

  #takeUnsure(path: string): void {
    if (this.#unsure === null || this.#files.at(-1)?.path === path) return;
    this.#files.push({ path, directory: true });
    this.#tell(path, this.#unsure);
  }

  /** What a chosen link stands for is copied, so that counts. */
  async #follow(path: string): Promise<void> {
    this.#takes = false;
    this.#files.push(...(await plain(path, this.#how)));
  }

  /** Names are those below the chosen file, since its own name does not change what a directory's copy is. */
  #tell(path: string, entry: TarEntry): void {
    const { type, mode, size, target, major, minor, xattrs, uid, gid } = entry;
    const { path: chosen, directory } = this.#files.at(-1)!;
    const name = directory ? path.slice(chosen.length) : path;
    const linked = type === "link" ? this.#below.within(target) : textOf(target);
    const owner = this.#how.owners ? [uid, gid] : [];
    const about = [name, type, mode, size, linked, major, minor, ...owner, ...[...xattrs].flat()];
    this.#how.hashing.update(new TextEncoder().encode(`${JSON.stringify(about)}\n`));
  }
}

function isMissing(error: unknown): boolean {
  if (!(error instanceof HostFailure) || error.failure.tag !== "call") return false;
  return ["ENOENT", "ENOTDIR"].includes(error.failure.val.error);
}

const ZEROS = new Uint8Array(64 << 10);
