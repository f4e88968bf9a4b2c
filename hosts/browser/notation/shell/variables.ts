// A shell's variables, and which of them the commands that it runs can see.

export class Variables {
  readonly #values = new Map<string, string>();
  readonly #exported = new Set<string>();
  /** What the last command ended with: `$?`. */
  #status = 0;
  #commands = 0;

  get(name: string): string | undefined {
    return name === "?" ? String(this.#status) : this.#values.get(name);
  }

  set(name: string, value: string): void {
    this.#values.set(name, value);
  }

  /** A command has come to this. `later`: what it ends with, where it goes on by itself; told if none came after it. */
  ended(code: number, later?: Promise<number>): void {
    this.#status = code;
    const number = ++this.#commands;
    void later?.then((last) => {
      if (number === this.#commands) this.#status = last;
    });
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
