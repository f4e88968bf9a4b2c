// Parses the arguments of a docker command like the docker command line (POSIX and GNU conventions).

import { didYouMean } from "./nearest.js";
import { Wrong } from "./wrong.js";

/** The options and operands of a command, by long names. A short name follows a comma: `detach,d`. */
export interface Takes {
  readonly flags?: readonly string[];
  readonly values?: readonly string[];
  /** The smallest and largest number of operands; no upper limit if left out. */
  readonly least?: number;
  readonly most?: number;
  /** Whether everything after the first operand belongs to it (run, create). */
  readonly stops?: boolean;
  /** The API versions that introduced options. */
  readonly since?: Readonly<Record<string, string>>;
}

export class Arguments {
  readonly operands: readonly string[];
  readonly #found: ReadonlyMap<string, readonly string[]>;

  constructor(operands: readonly string[], found: ReadonlyMap<string, readonly string[]>) {
    this.operands = operands;
    this.#found = found;
  }

  /** Whether the option is given in any form. */
  has(name: string): boolean {
    return this.#found.has(name);
  }

  flag(name: string): boolean {
    return this.value(name) === "true";
  }

  /** The last value counts; null if the option is not given. */
  value(name: string): string | null {
    return this.values(name).at(-1) ?? null;
  }

  values(name: string): readonly string[] {
    return this.#found.get(name) ?? [];
  }

  /** `-e NAME` without a value passes on the variable of the command's own environment. */
  told(environment: ReadonlyMap<string, string>): Arguments {
    const variables = this.values("env").map((one) => {
      const value = one.includes("=") ? undefined : environment.get(one);
      return value === undefined ? one : `${one}=${value}`;
    });
    return variables.length === 0 ? this : new Arguments(this.operands, new Map([...this.#found, ["env", variables]]));
  }
}

export interface Option {
  readonly long: string;
  readonly short: string | undefined;
  readonly isFlag: boolean;
}

export function optionsOf({ flags = [], values = [] }: Takes): Option[] {
  const read = (isFlag: boolean) => (name: string) => {
    const [long = "", short] = name.split(",");
    return { long, short, isFlag };
  };
  return [...flags.map(read(true)), ...values.map(read(false))];
}

/** Parses arguments. Throws a message about what is wrong with them. */
export function readArguments(command: string, words: readonly string[], takes: Takes, version: string): Arguments {
  const reading = new Reading(command, optionsOf(takes), takes.stops ?? false);
  reading.read(words);
  for (const [name, since] of Object.entries(takes.since ?? {})) {
    if (!reading.found.has(name) || isAtLeast(version, since)) continue;
    throw new Wrong(
      `docker ${command}: --${name} needs API version ${since}, but this request uses ${version}`,
      `--${name}`,
    );
  }
  const { operands } = reading;
  const { least = 0, most = Number.POSITIVE_INFINITY } = takes;
  if (operands.length < least) throw new Wrong(`docker ${command} needs ${wanted(least)}`, null);
  if (operands.length > most)
    throw new Wrong(`docker ${command}: ${operands[most]} is one argument too many`, operands[most]!);
  return new Arguments(operands, reading.found);
}

class Reading {
  readonly found = new Map<string, string[]>();
  readonly operands: string[] = [];
  readonly #command: string;
  readonly #options: readonly Option[];
  readonly #stops: boolean;

  constructor(command: string, options: readonly Option[], stops: boolean) {
    this.#command = command;
    this.#options = options;
    this.#stops = stops;
  }

  read(words: readonly string[]): void {
    const left = [...words];
    for (let word = left.shift(); word !== undefined; word = left.shift()) {
      if (word === "--") return void this.operands.push(...left);
      if (word.startsWith("--")) this.#long(word, left);
      else if (/^-./.test(word)) this.#short(word, left);
      else if (this.operands.push(word) > 0 && this.#stops) return void this.operands.push(...left);
    }
  }

  #long(word: string, left: string[]): void {
    const [, name = "", value] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    const option = this.#options.find(({ long }) => long === name);
    if (option === undefined) throw this.#unknown(`--${name}`);
    if (option.isFlag) this.#add(option, truth(value ?? "true", word));
    else this.#add(option, value ?? this.#next(`--${name}`, left));
  }

  /** `-it`, `-p80:80`, `-p=80:80`, `-p 80:80`. */
  #short(word: string, left: string[]): void {
    for (let at = 1; at < word.length; at++) {
      const option = this.#options.find(({ short }) => short === word[at]);
      if (option === undefined) throw this.#unknown(`-${word[at]}`);
      const rest = word.slice(at + 1);
      if (option.isFlag && !rest.startsWith("=")) {
        this.#add(option, "true");
        continue;
      }
      const value = rest.replace(/^=/, "");
      if (option.isFlag) this.#add(option, truth(value, word));
      else this.#add(option, rest === "" ? this.#next(`-${word[at]}`, left) : value);
      return;
    }
  }

  #next(option: string, left: string[]): string {
    const value = left.shift();
    if (value === undefined) throw new Wrong(`docker ${this.#command}: ${option} needs a value`, option);
    return value;
  }

  #add({ long }: Option, value: string): void {
    this.found.set(long, [...(this.found.get(long) ?? []), value]);
  }

  #unknown(word: string): Wrong {
    const known = this.#options.flatMap(({ long, short }) => [
      `--${long}`,
      ...(short === undefined ? [] : [`-${short}`]),
    ]);
    // A single letter is too short to suggest another option.
    const meant = word.length > 2 ? didYouMean(word, known) : "";
    const help = meant === "" ? `; docker ${this.#command} --help lists its options` : "";
    return new Wrong(`docker ${this.#command} does not know ${word}${meant}${help}`, word);
  }
}

function truth(value: string, word: string): string {
  if (/^(1|t|true)$/i.test(value)) return "true";
  if (/^(0|f|false)$/i.test(value)) return "false";
  throw new Wrong(`${word} is neither true nor false`, word);
}

export function isAtLeast(version: string, since: string): boolean {
  return Number(version.split(".")[1]) >= Number(since.split(".")[1]);
}

function wanted(count: number): string {
  return count === 1 ? "at least one name" : `at least ${count} arguments`;
}
