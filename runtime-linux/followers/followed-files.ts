// The files that a follower follows: one for each thing that it serves, in a directory for each kind. The engine writes
// them, and the process reads them, also when it starts anew while no engine runs. A file is always replaced as a whole.

import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePrivate } from "../directories.js";

/** `Files`: what the files of each kind contain. */
export class FollowedFiles<Files extends object> {
  constructor(
    readonly directory: string,
    private readonly kinds: readonly (keyof Files & string)[],
  ) {}

  /** Makes the directories. */
  make(): void {
    makePrivate(this.directory);
    for (const kind of this.kinds) makePrivate(this.of(kind));
  }

  /** The directory of the files of a kind. */
  of(kind: keyof Files & string): string {
    return join(this.directory, kind);
  }

  names(kind: keyof Files & string): string[] {
    const all = readdirSync(this.of(kind));
    return all.filter((file) => file.endsWith(END)).map((file) => file.slice(0, -END.length));
  }

  /** Undefined if there is no such file. A damaged one is the same: it was never complete. */
  read<K extends keyof Files & string>(kind: K, name: string): Files[K] | undefined {
    try {
      return JSON.parse(readFileSync(this.#path(kind, name), "utf8")) as Files[K];
    } catch (error) {
      const isNone = (error as NodeJS.ErrnoException).code === "ENOENT" || error instanceof SyntaxError;
      if (isNone) return undefined;
      throw error;
    }
  }

  write<K extends keyof Files & string>(kind: K, name: string, value: Files[K]): void {
    const path = this.#path(kind, name);
    writeFileSync(`${path}.part`, JSON.stringify(value));
    renameSync(`${path}.part`, path);
  }

  /** A number that another one follows when a file of this kind is written or removed. Undefined if all were removed. */
  changed(kind: keyof Files & string): number | undefined {
    return statSync(this.of(kind), { throwIfNoEntry: false })?.mtimeMs;
  }

  remove(kind: keyof Files & string, name: string): void {
    rmSync(this.#path(kind, name), { force: true });
  }

  #path(kind: string, name: string): string {
    return join(this.directory, kind, `${name}${END}`);
  }
}

const END = ".json";
