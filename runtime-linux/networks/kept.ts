// Records of networks and of the containers on them, kept in files so that an engine can remove what another one made.
// A file is written before its subject is made, and marked once all of it is made.

import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePrivate, removeFile } from "../directories.js";

/** A value and its state. */
export interface Kept<T> {
  value: T;
  /** Everything in the value was made. */
  whole: boolean;
}

/** Values by name, each in a file: `NAME.part` until it is marked, then `NAME.json`. The disk is read once. */
export class KeptFiles<T> {
  readonly #all = new Map<string, Kept<T>>();
  readonly #unread: string[] = [];

  /** `isValue`: whether parsed JSON is a valid value. Other files are ignored until `sweep`. */
  constructor(
    private readonly directory: string,
    private readonly isValue: (read: Partial<T>) => boolean,
  ) {
    makePrivate(directory);
    for (const file of readdirSync(directory)) this.#read(file);
  }

  entries(): [name: string, kept: Kept<T>][] {
    return [...this.#all];
  }

  /**
   * Removes unreadable files. They were cut off while being written, before anything was made. Call this only after the
   * engine may open the records: the files could have a later version's format.
   */
  sweep(): void {
    for (const file of this.#unread.splice(0)) rmSync(join(this.directory, file), { force: true });
  }

  find(name: string): Kept<T> | undefined {
    return this.#all.get(name);
  }

  begin(name: string, value: T): void {
    this.sweep();
    rmSync(this.#file(name, true), { force: true });
    writeFileSync(this.#file(name, false), JSON.stringify(value));
    this.#all.set(name, { value, whole: false });
  }

  finish(name: string): void {
    const kept = this.#all.get(name);
    if (!kept || kept.whole) return;
    renameSync(this.#file(name, false), this.#file(name, true));
    kept.whole = true;
  }

  /** Another value in place of the earlier one. `whole`: everything in it was made. */
  replace(name: string, value: T, whole = true): void {
    const draft = join(this.directory, `${name}.draft.part`);
    writeFileSync(draft, JSON.stringify(value));
    renameSync(draft, this.#file(name, whole));
    this.#all.set(name, { value, whole });
  }

  /** Removes the mark. */
  undo(name: string): void {
    const kept = this.#all.get(name);
    if (!kept?.whole) return;
    renameSync(this.#file(name, true), this.#file(name, false));
    kept.whole = false;
  }

  /** Removes the entry; the file stays until `erase`. */
  forget(name: string): void {
    this.#all.delete(name);
  }

  /** Asynchronous, because the disk may be slow. */
  async erase(name: string): Promise<void> {
    this.forget(name);
    await Promise.all([false, true].map((whole) => removeFile(this.#file(name, whole))));
  }

  #read(file: string): void {
    const [, name, end] = /^([^.]+)\.(part|json)$/.exec(file) ?? [];
    if (!name) return;
    try {
      const value = JSON.parse(readFileSync(join(this.directory, file), "utf8")) as T | null;
      if (value === null || !this.isValue(value)) throw new SyntaxError(`${file} is damaged`);
      this.#all.set(name, { value, whole: end === "json" });
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#unread.push(file);
    }
  }

  #file(name: string, whole: boolean): string {
    return join(this.directory, `${name}.${whole ? "json" : "part"}`);
  }
}
