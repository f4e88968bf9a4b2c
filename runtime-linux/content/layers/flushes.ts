// Brings drafts to their disk. The kernel tells of a write that failed only once through each open file, and never through
// one that was opened after somebody was told (syncfs(2), errseq_t). So each draft has an open file from its beginning.

import { closeSync, constants, openSync } from "node:fs";
import type { Kernel } from "../../kernel.js";

export class Flushes {
  readonly #kernel: Pick<Kernel, "syncfs">;
  /** Descriptors by the draft's directory, the oldest first. */
  readonly #files = new Map<string, number>();
  /** Drafts of which something could not be written, and why. */
  readonly #lost = new Map<string, unknown>();
  /** Drafts to bring to the disk with the next flush. */
  #waiting: string[] = [];
  #next: Promise<void> | undefined;
  /** Resolves after the last flush that was asked for. */
  #last: Promise<void> = Promise.resolve();

  constructor(kernel: Pick<Kernel, "syncfs">) {
    this.#kernel = kernel;
  }

  /** From now on, no failed write to the draft's file system is missed. */
  begin(draft: string): void {
    this.#files.set(draft, openSync(draft, constants.O_RDONLY | constants.O_DIRECTORY));
  }

  /** Nobody wants to flush the draft any more. */
  end(draft: string): void {
    const file = this.#files.get(draft);
    // A flush may be using it.
    if (file !== undefined) void this.#last.then(() => closeSync(file));
    this.#files.delete(draft);
    this.#lost.delete(draft);
  }

  /**
   * Flushes the whole file system. Throws if any write to it has failed since the drafts began. They are lost then: the
   * kernel counts what it could not write as written, so another flush would succeed. One flush follows another, as each
   * must see which drafts the earlier ones lost; those that are asked for meanwhile are one.
   */
  async flush(drafts: readonly string[]): Promise<void> {
    this.#waiting.push(...drafts);
    this.#last = this.#next ??= this.#last.then(() => this.#flushWaiting());
    await this.#next;
    const lost = drafts.find((draft) => this.#lost.has(draft));
    if (lost !== undefined) throw this.#lost.get(lost);
  }

  /** The oldest of the drafts has been open during all writes of the others. */
  async #flushWaiting(): Promise<void> {
    const drafts = new Set(this.#waiting.filter((draft) => !this.#lost.has(draft)));
    this.#waiting = [];
    this.#next = undefined;
    const [, oldest] = [...this.#files].find(([draft]) => drafts.has(draft)) ?? [];
    if (oldest === undefined) return;
    try {
      await this.#kernel.syncfs(oldest);
    } catch (error) {
      for (const draft of drafts) this.#lost.set(draft, error);
    }
  }
}
