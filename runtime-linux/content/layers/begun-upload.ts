// Where a registry has the first part of a layer whose upload broke off: a note in the layer's directory. Only one try
// goes on there, so each takes the note away. Losing it costs time, so a failure is none of the push's.

import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import type { content } from "../../../hosts/shared/index.js";

export class BegunUpload {
  readonly #path: string;
  readonly #to: string;

  constructor(directory: string, { endpoint, repository }: content.Repository) {
    this.#path = `${directory}/begun.json`;
    this.#to = `${endpoint.authority}/${repository}`;
  }

  /** The place, which may hold what lets others write there: SECRET. Undefined if none is known. */
  async take(): Promise<string | undefined> {
    const own = `${this.#path}.${randomUUID()}`;
    try {
      await rename(this.#path, own);
      const { to, place } = JSON.parse(await readFile(own, "utf8")) as { to: unknown; place: unknown };
      return to === this.#to && typeof place === "string" ? place : undefined;
    } catch {
      return undefined;
    } finally {
      await rm(own, { force: true }).catch(() => {});
    }
  }

  async note(place: string): Promise<void> {
    const draft = `${this.#path}.${randomUUID()}`;
    try {
      await writeFile(draft, JSON.stringify({ to: this.#to, place }), { mode: 0o600 });
      await rename(draft, this.#path);
    } catch {
      await rm(draft, { force: true }).catch(() => {});
    }
  }
}
