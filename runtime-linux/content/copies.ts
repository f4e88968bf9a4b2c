// Copies into containers that have nothing of their own, as those of a build: mostly the next command makes a layer of what
// was copied, and a layer is made of a tar. So the copy is written as that tar at once. The files are put into the container
// only if a command asks for them.

import * as fs from "node:fs";
import { copyFile, rename, unlink } from "node:fs/promises";
import type { content, engine, processes } from "../../hosts/shared/index.js";
import type { Paths } from "../paths.js";
import { unlessGivenUp } from "../under-way.js";
import type { Workers } from "./threads/workers.js";

/** A copy that is only a tar. */
interface Copied {
  command: content.Copy;
  committed: engine.Committed;
  /** Since its files are put into the container. If that fails, they are missing for good. */
  putting: Promise<void> | null;
  over: AbortController;
}

export class Copies {
  readonly #paths: Paths;
  readonly #workers: Workers;
  readonly #copied = new Map<string, Copied>();

  constructor(paths: Paths, workers: Workers) {
    [this.#paths, this.#workers] = [paths, workers];
  }

  async copy(command: content.Copy, signal: AbortSignal): Promise<void> {
    const { container } = command.into;
    const tar = this.#isFree(command) ? this.#paths.copiedTar(container) : null;
    const committed = await this.#workers.run("copy", { command, tar }, { signal });
    if (committed === null) return;
    this.#copied.set(container, { command, committed, putting: null, over: new AbortController() });
  }

  /** Whether a copy is only a tar, and nobody has asked for its files. */
  has(container: string): boolean {
    return this.#copied.get(container)?.putting === null;
  }

  /** Resolves when the copy's files are in the container. */
  async ready(container: string, signal: AbortSignal): Promise<void> {
    const copied = this.#copied.get(container);
    if (copied === undefined) return;
    copied.putting ??= this.#put(container, copied);
    await unlessGivenUp(signal, copied.putting);
  }

  /** Resolves when no copy needs the files of a container any more, which is to go. */
  async spare(source: string): Promise<void> {
    const needs = ({ command: { what } }: Copied): boolean =>
      what.tag === "files" && what.val.from.container === source;
    for (const [container, copied] of [...this.#copied]) {
      // Whoever asks for the files is told if it fails.
      if (needs(copied)) await this.ready(container, NEVER).catch(() => {});
    }
  }

  /** The same for all containers that a launch names. */
  async readyFor({ spec }: processes.Launch, signal: AbortSignal): Promise<void> {
    if (this.#copied.size === 0) return;
    const text = new TextDecoder().decode(spec);
    for (const container of [...this.#copied.keys()]) if (text.includes(container)) await this.ready(container, signal);
  }

  /** Moves the tar of the copy to a new file: the container's files are of no use after that. */
  async take(container: string, to: string): Promise<engine.Committed> {
    const { committed } = this.#copied.get(container)!;
    const tar = this.#paths.copiedTar(container);
    try {
      await rename(tar, to);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
      await copyFile(tar, to, fs.constants.COPYFILE_EXCL);
      await unlink(tar);
    }
    this.#copied.delete(container);
    return committed;
  }

  /** The container is dropped; its directory stays. */
  async forget(container: string): Promise<void> {
    const copied = this.#copied.get(container);
    copied?.over.abort();
    await copied?.putting?.catch(() => {});
    this.#copied.delete(container);
  }

  /** Nothing is in the container yet, and nothing runs in it. */
  #isFree({ into: { container, run, places } }: content.Copy): boolean {
    if (run !== undefined || places.length > 0 || this.#copied.has(container)) return false;
    try {
      return fs.readdirSync(this.#paths.upper(container)).length === 0;
    } catch {
      return false; // a container without files of its own
    }
  }

  async #put(container: string, { command, over: { signal } }: Copied): Promise<void> {
    await this.#workers.run("copy", { command, tar: null }, { signal });
    await unlink(this.#paths.copiedTar(container));
    this.#copied.delete(container);
  }
}

const NEVER = new AbortController().signal;
