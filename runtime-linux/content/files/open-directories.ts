// A cache of open directories: most tars return to the same few directories again and again, so each is opened once.

import { closeSync } from "node:fs";

/** Most directories open at the same time. */
const MOST = 128;

export class OpenDirectories {
  readonly #open: (name: string) => number;
  /** Descriptors by name, the least recently used first. */
  readonly #files = new Map<string, number>();

  constructor(open: (name: string) => number) {
    this.#open = open;
  }

  /** A descriptor that is valid until the next call. It stays this directory even if its name later leads elsewhere. */
  get(name: string): number {
    const file = this.#files.get(name) ?? this.#open(name);
    this.#files.delete(name);
    this.#files.set(name, file);
    if (this.#files.size > MOST) this.#close(this.#files.keys().next().value!);
    return file;
  }

  /** Call this when something else takes the directory's place. */
  forget(name: string): void {
    for (const known of this.#files.keys()) if (known === name || known.startsWith(`${name}/`)) this.#close(known);
  }

  close(): void {
    for (const name of this.#files.keys()) this.#close(name);
  }

  #close(name: string): void {
    closeSync(this.#files.get(name)!);
    this.#files.delete(name);
  }
}
