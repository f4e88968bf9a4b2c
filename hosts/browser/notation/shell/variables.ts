// A shell's variables, and which of them its commands see.

export class Variables {
  readonly #values = new Map<string, string>();
  readonly #exported = new Set<string>();
  /** `$?`: the exit code of the last command. */
  #status = 0;
  #commands = 0;

  get(name: string): string | undefined {
    return name === "?" ? String(this.#status) : this.#values.get(name);
  }

  set(name: string, value: string): void {
    this.#values.set(name, value);
  }

  /**
   * Records a command's exit code. `later` is the exit code of a command that continues on its own; it counts if no
   * other command follows.
   */
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

  /** The environment of a command. `own` is set for that command only. */
  environment(own: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
    const exported = [...this.#values].filter(([name]) => this.#exported.has(name));
    return new Map([...exported, ...own]);
  }
}
