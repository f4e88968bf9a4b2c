// Makes the archive of a layer from what a container has changed.

import type { content, engine } from "../../hosts/shared/index.js";
import type { Paths } from "../paths.js";
import type { Archives } from "./archives.js";
import type { Copies } from "./copies.js";
import { checked, type Filesystems } from "./filesystems.js";
import type { Contexts } from "./held/contexts.js";
import { takesCopy } from "./held/needed.js";
import type { Layers } from "./layers/layers.js";
import type { Workers } from "./threads/workers.js";

export interface CommitsDeps {
  paths: Paths;
  workers: Workers;
  archives: Archives;
  copies: Copies;
  contexts: Contexts;
  filesystems: Filesystems;
  layers: Layers;
}

export class Commits {
  readonly #deps: CommitsDeps;
  /** Where the files are that may move into the layer of an archive: upper directories by the archive's id. */
  readonly #spent = new Map<string, string>();

  constructor(deps: CommitsDeps) {
    this.#deps = deps;
  }

  /** See `Unpacked`. */
  spent({ archive }: content.Member): string | null {
    return this.#spent.get(archive) ?? null;
  }

  /** The archive is dropped. */
  forget(archive: string): void {
    this.#spent.delete(archive);
  }

  async commit(command: content.Commit, signal: AbortSignal): Promise<engine.Committed> {
    const { archives, contexts, copies, filesystems, layers, paths, workers } = this.#deps;
    const { archive, container, chain, mountPoints, spent } = command;
    if (takesCopy(command, copies)) {
      return archives.make(archive, (directory) => copies.take(container, `${directory}/layer.tar`));
    }
    const upper = paths.upper(checked(container));
    const changes = {
      upper,
      mountPoints,
      lower: mountPoints.length === 0 ? [] : layers.lower(chain),
      alone: filesystems.isAlone(container),
    };
    const committed = await archives.make(archive, (directory) =>
      workers.run("commit", { ...changes, file: `${directory}/layer.tar` }, { signal }),
    );
    if (!spent || contexts.has(container)) return committed;
    // Files must not leave an upper directory that is mounted.
    await filesystems.unmount(container);
    this.#spent.set(archive, upper);
    return committed;
  }
}
