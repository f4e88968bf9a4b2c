// Where a registry has the first part of a layer that is being sent: a note in the layer's directory, one for each
// repository. It is there while the layer is sent, so it survives the engine's death, and it stays if the connection
// breaks. Losing it costs time, so a failure is none of the push's.

import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Begun, UploadNote, content } from "../../../hosts/shared/index.js";

/** Files of this many repositories are kept beside a layer: the newest. */
const MOST_NOTES = 20;
const PREFIX = "begun-";

export class BegunUpload implements UploadNote {
  readonly #directory: string;
  readonly #path: string;
  readonly #to: string;
  /** Another try goes on there at the same time: this one has no note. */
  readonly #isSecond: boolean;
  #mayGoOn = false;

  /** The caller ends it. */
  constructor(directory: string, { endpoint, repository }: content.Repository, isSecond: boolean) {
    [this.#directory, this.#isSecond] = [directory, isSecond];
    this.#to = `${endpoint.authority}/${repository}`;
    this.#path = join(directory, `${PREFIX}${createHash("sha256").update(this.#to).digest("hex")}.json`);
  }

  /** Whether the connection broke, and another try may go on. */
  get mayGoOn(): boolean {
    return this.#mayGoOn;
  }

  /** Undefined if no earlier try is known. */
  async read(): Promise<Begun | undefined> {
    if (this.#isSecond) return undefined;
    try {
      const { to, ...begun } = JSON.parse(await readFile(this.#path, "utf8")) as Begun & { to: string };
      const isWhole = typeof begun.place === "string" && typeof begun.had === "number";
      return to === this.#to && isWhole ? begun : undefined;
    } catch {
      return undefined;
    }
  }

  /** The upload has got on, or begins. */
  async reached(begun: Begun): Promise<void> {
    if (this.#isSecond) return;
    const draft = `${this.#path}.${randomUUID()}`;
    try {
      await writeFile(draft, JSON.stringify({ to: this.#to, ...begun }), { mode: 0o600 });
      await rename(draft, this.#path);
    } catch {
      await rm(draft, { force: true }).catch(() => {});
    }
  }

  /** The connection broke. */
  async broke(begun: Begun): Promise<void> {
    this.#mayGoOn = !this.#isSecond;
    await this.reached(begun);
  }

  /** The note stays if another try may go on. */
  async end(): Promise<void> {
    if (this.#isSecond) return;
    if (!this.#mayGoOn) await rm(this.#path, { force: true }).catch(() => {});
    else await this.#dropOld().catch(() => {});
  }

  /** Also drafts that a dying engine left. */
  async #dropOld(): Promise<void> {
    const names = (await readdir(this.#directory)).filter((name) => name.startsWith(PREFIX));
    if (names.length <= MOST_NOTES) return;
    const paths = names.map((name) => join(this.#directory, name));
    const dated = await Promise.all(paths.map(async (path) => ({ path, time: (await stat(path)).mtimeMs })));
    dated.sort((a, b) => b.time - a.time);
    for (const { path } of dated.slice(MOST_NOTES)) await rm(path, { force: true });
  }
}
