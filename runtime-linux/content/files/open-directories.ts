// The directories that a tar's names are in, each opened once: most tars come back to the same few again and again.

import { closeSync } from "node:fs";

/** Open at the same time. */
const MOST = 128;

export class OpenDirectories {
  readonly #open: (name: string) => number;
  /** Descriptors by name; the first has been waiting the longest. */
  readonly #files = new Map<string, number>();

  constructor(open: (name: string) => number) {
    this.#open = open;
  }

  /** A descriptor that is good until the next call. It stays this directory, whatever its name leads to later. */
  get(name: string): number {
    const file = this.#files.get(name) ?? this.#open(name);
    this.#files.delete(name);
    this.#files.set(name, file);
    if (this.#files.size > MOST) this.#close(this.#files.keys().next().value!);
    return file;
  }

  /** Something else takes the place of what has that name. */
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
