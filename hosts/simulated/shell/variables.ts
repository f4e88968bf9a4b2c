// A shell's variables, and which of them its children see.

import { ShellError } from "./errors.js";

interface Variable {
  /** Undefined if the variable is exported or read-only but not set. */
  value: string | undefined;
  exported: boolean;
  readOnly: boolean;
}

export const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export class Variables {
  readonly #all = new Map<string, Variable>();
  readonly #grown: (bytes: number) => void;

  /** `grown` is called with the change in bytes of the values' size. */
  constructor(env: Iterable<readonly [string, string]>, grown: (bytes: number) => void) {
    this.#grown = grown;
    for (const [name, value] of env) this.#all.set(name, { value, exported: true, readOnly: false });
  }

  value(name: string): string | undefined {
    return this.#all.get(name)?.value;
  }

  set(name: string, value: string): void {
    const variable = this.#variable(name);
    if (variable.readOnly) throw new ShellError(`${name}: is read only`);
    this.#grown(value.length - sizeOf(variable));
    variable.value = value;
  }

  unset(name: string): void {
    const variable = this.#all.get(name);
    if (variable?.readOnly) throw new ShellError(`${name}: is read only`);
    this.restore(name, undefined);
  }

  export(name: string): void {
    this.#variable(name).exported = true;
  }

  unexport(name: string): void {
    this.#variable(name).exported = false;
  }

  makeReadOnly(name: string): void {
    this.#variable(name).readOnly = true;
  }

  /** Sets variables while `during` runs. */
  async within<T>(assignments: readonly (readonly [string, string])[], during: () => Promise<T>): Promise<T> {
    const before = assignments.map(([name]) => [name, this.#all.get(name)] as const);
    for (const [name, value] of assignments) {
      this.#all.set(name, { ...this.#variable(name), exported: true });
      this.set(name, value);
    }
    try {
      return await during();
    } finally {
      for (const [name, variable] of before) this.restore(name, variable);
    }
  }

  /** For `local`: the variable's state, to pass to `restore`. */
  snapshot(name: string): Variable | undefined {
    const variable = this.#all.get(name);
    return variable && { ...variable };
  }

  restore(name: string, variable: Variable | undefined): void {
    this.#grown(sizeOf(variable) - sizeOf(this.#all.get(name)));
    if (variable) this.#all.set(name, variable);
    else this.#all.delete(name);
  }

  exported(): Map<string, string> {
    const env = new Map<string, string>();
    for (const [name, { value, exported }] of this.#all) if (exported && value !== undefined) env.set(name, value);
    return env;
  }

  /** Names and values, sorted by name. */
  list(which: "all" | "exported" | "readOnly" = "all"): [string, string | undefined][] {
    const chosen = [...this.#all].filter(([, variable]) => which === "all" || variable[which]);
    return chosen.map(([name, { value }]): [string, string | undefined] => [name, value]).sort(byName);
  }

  /** For a fork. Variables shared with this one take no extra memory. */
  copy(grown: (bytes: number) => void): Variables {
    const copy = new Variables([], grown);
    for (const [name, variable] of this.#all) copy.#all.set(name, { ...variable });
    return copy;
  }

  #variable(name: string): Variable {
    const found = this.#all.get(name) ?? { value: undefined, exported: false, readOnly: false };
    this.#all.set(name, found);
    return found;
  }
}

function sizeOf(variable: Variable | undefined): number {
  return variable?.value?.length ?? 0;
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
