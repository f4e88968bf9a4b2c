// Arguments of a docker command, as its help lists them.

import minimist from "minimist";

/** What a command takes. Long names; a short one after a comma: `detach,d`. */
export interface Takes {
  readonly flags?: readonly string[];
  readonly values?: readonly string[];
  /** At least so many operands, and at most (as many as one likes if left out). */
  readonly least?: number;
  readonly most?: number;
  /** All behind the first operand belongs to it (run, create). */
  readonly stops?: boolean;
}

export class Arguments {
  readonly operands: readonly string[];
  readonly #found: Readonly<Record<string, unknown>>;

  constructor(operands: readonly string[], found: Readonly<Record<string, unknown>>) {
    this.operands = operands;
    this.#found = found;
  }

  flag(name: string): boolean {
    return this.#found[name] === true;
  }

  /** The last one counts; null where it is not said. */
  value(name: string): string | null {
    return this.values(name).at(-1) ?? null;
  }

  values(name: string): string[] {
    const found = this.#found[name];
    if (found === undefined) return [];
    return (Array.isArray(found) ? found : [found]).map(String);
  }
}

/** Its arguments, or what is wrong with them. */
export function readArguments(
  command: string,
  words: readonly string[],
  takes: Takes,
): Arguments | { message: string; at: string | null } {
  const unknown: string[] = [];
  const [flags, values] = [namesOf(takes.flags), namesOf(takes.values)];
  const found = minimist([...words], {
    boolean: flags.map(({ long }) => long),
    string: [...values.map(({ long }) => long), "_"],
    alias: Object.fromEntries([...flags, ...values].flatMap(({ long, short }) => (short ? [[long, short]] : []))),
    stopEarly: takes.stops ?? false,
    unknown: (word) => {
      if (!/^-./.test(word)) return true;
      unknown.push(word);
      return false;
    },
  });
  if (unknown.length > 0)
    return { message: `docker ${command}: ${unknown[0]} is not understood here`, at: unknown[0]! };
  const empty = values.find(({ long }) => ([found[long]].flat() as unknown[]).includes(""));
  if (empty !== undefined)
    return { message: `docker ${command}: --${empty.long} wants a value`, at: `--${empty.long}` };
  const operands = found._;
  const { least = 0, most = Number.POSITIVE_INFINITY } = takes;
  if (operands.length < least) return { message: `docker ${command} wants ${wanted(least)}`, at: null };
  if (operands.length > most) {
    return { message: `docker ${command}: ${operands[most]} is one word too many`, at: operands[most]! };
  }
  return new Arguments(operands, found);
}

function namesOf(names: readonly string[] = []): { long: string; short: string | undefined }[] {
  return names.map((name) => {
    const [long, short] = name.split(",");
    return { long: long!, short };
  });
}

function wanted(count: number): string {
  return count === 1 ? "at least one name after it" : `at least ${count} words after it`;
}
