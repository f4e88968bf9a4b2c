// A shell's variables, and which of them the commands that it runs can see.

export class Variables {
  readonly #values = new Map<string, string>();
  readonly #exported = new Set<string>();

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  set(name: string, value: string): void {
    this.#values.set(name, value);
  }

  unset(name: string): void {
    this.#values.delete(name);
    this.#exported.delete(name);
  }

  export(name: string): void {
    this.#exported.add(name);
  }

  /** Of a command, `own` being set for that alone. */
  environment(own: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
    const exported = [...this.#values].filter(([name]) => this.#exported.has(name));
    return new Map([...exported, ...own]);
  }
}
