// Where a registry has the first part of a layer whose upload broke off: a note in the layer's directory. Only one try
// goes on there, so each takes the note away. Losing it costs time, so a failure is none of the push's.

import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import type { content } from "../../../hosts/shared/index.js";
import type { Begun } from "../registry.js";

export class BegunUpload {
  readonly #path: string;
  readonly #to: string;
  #isNoted = false;

  constructor(directory: string, { endpoint, repository }: content.Repository) {
    this.#path = `${directory}/begun.json`;
    this.#to = `${endpoint.authority}/${repository}`;
  }

  /** Whether there is something to go on with at the next try. */
  get isNoted(): boolean {
    return this.#isNoted;
  }

  /** Undefined if none is known. */
  async take(): Promise<Begun | undefined> {
    const own = `${this.#path}.${randomUUID()}`;
    try {
      await rename(this.#path, own);
      const { to, ...begun } = JSON.parse(await readFile(own, "utf8")) as Begun & { to: string };
      const isWhole = typeof begun.place === "string" && typeof begun.had === "number";
      return to === this.#to && isWhole ? begun : undefined;
    } catch {
      return undefined;
    } finally {
      await rm(own, { force: true }).catch(() => {});
    }
  }

  async note(begun: Begun): Promise<void> {
    const draft = `${this.#path}.${randomUUID()}`;
    try {
      await writeFile(draft, JSON.stringify({ to: this.#to, ...begun }), { mode: 0o600 });
      await rename(draft, this.#path);
      this.#isNoted = true;
    } catch {
      await rm(draft, { force: true }).catch(() => {});
    }
  }
}
