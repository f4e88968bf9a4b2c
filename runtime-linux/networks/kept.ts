// What is known of networks and of the containers on them, kept in files so that everything can be taken down by an
// engine that did not set it up. A file is written before what it speaks of is made, and marked once all of it is.

import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { makePrivate } from "../directories.js";

/** A value as kept. */
export interface Kept<T> {
  value: T;
  /** All that it speaks of was made. */
  whole: boolean;
}

/** Values by name, a file each: `NAME.part` until it is whole, then `NAME.json`. The disk is read once. */
export class KeptFiles<T> {
  readonly #all = new Map<string, Kept<T>>();
  readonly #unread: string[] = [];

  /** `isValue`: whether something read is one. What is not is passed over until `sweep`. */
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
   * Removes what could not be read: it was cut off while it was written, and nothing had been made. Only an engine that
   * may open the records may do so: it might be in the form of a later one.
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

  /** From now on it is not whole. */
  undo(name: string): void {
    const kept = this.#all.get(name);
    if (!kept?.whole) return;
    renameSync(this.#file(name, true), this.#file(name, false));
    kept.whole = false;
  }

  /** No longer among the entries; the file stays until `erase`. */
  forget(name: string): void {
    this.#all.delete(name);
  }

  /** The disk may take its time: nobody else waits for it. */
  async erase(name: string): Promise<void> {
    this.forget(name);
    for (const whole of [false, true]) await rm(this.#file(name, whole), { force: true });
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
