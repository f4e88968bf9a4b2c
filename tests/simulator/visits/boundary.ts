// Lists everything that may cross the core's boundary according to the WIT: each case of each variant and enum that an
// input, a command, an inventory or a note can contain. And it finds the cases that a value contains.

import { readFileSync, readdirSync } from "node:fs";
import { readWit } from "../../../core/bindgen/wit.js";
import type { Case, Definition, Func, Type, World } from "../../../core/bindgen/world.js";

/** Called for each case that a value contains: `content-command tags`. */
export type Count = (entry: string) => void;
type Walk = (value: unknown, count: Count) => void;

const EXPORTED = "engine";
const NOTHING: Walk = () => {};

export class Boundary {
  /** `failure-kind busy`, `input reloaded`: in the order of the WIT. */
  readonly entries: readonly string[];
  readonly input: Walk;
  readonly inventory: Walk;
  readonly notes: Walk;
  /** Walks for commands, by interface. */
  readonly #commands: ReadonlyMap<string, Walk>;
  readonly #world: World;
  /** Walks of types, by name. Null for a type that contains no case. */
  readonly #known = new Map<string, Walk | null>();
  readonly #crossing = new Set<string>();

  constructor(world: World) {
    this.#world = world;
    this.#commands = new Map(world.imports.map((name) => [name, this.#parameter(name, "perform", "command")]));
    this.input = this.#parameter(EXPORTED, "step", "input");
    this.inventory = this.#parameter(EXPORTED, "open", "inventory");
    this.notes = this.#walkOf(this.#function(EXPORTED, "explain").result!) ?? NOTHING;
    this.entries = [...world.types.values()].flatMap((type) =>
      this.#crossing.has(type.name) && "cases" in type ? type.cases.map((one) => `${type.name} ${one.name}`) : [],
    );
  }

  /** `to`: the interface. */
  command(to: string, command: unknown, count: Count): void {
    this.#commands.get(to)!(command, count);
  }

  #function(of: string, name: string): Func {
    const found = this.#world.interfaces.get(of)?.functions.find((one) => one.name === name);
    if (found === undefined) throw new Error(`the WIT has no function ${of}.${name}`);
    return found;
  }

  #parameter(of: string, name: string, parameter: string): Walk {
    const found = this.#function(of, name).params.find((one) => one.name === parameter);
    if (found === undefined) throw new Error(`${of}.${name} of the WIT has no parameter ${parameter}`);
    return this.#walkOf(found.type) ?? NOTHING;
  }

  /** Null if there is nothing to count. */
  #walkOf(type: Type): Walk | null {
    switch (type.kind) {
      case "primitive":
        return null;
      case "named":
        return this.#named(type.name);
      case "option":
        return optional(this.#walkOf(type.of));
      case "list":
        return each(this.#walkOf(type.of));
      case "tuple":
        return members([
          ["0", this.#walkOf(type.first)],
          ["1", this.#walkOf(type.second)],
        ]);
      case "result":
        return tagged({ ok: this.#walkOf(type.ok), err: this.#walkOf(type.error) }, null);
    }
  }

  #named(name: string): Walk | null {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const walk = this.#defined(this.#world.types.get(name)!);
    this.#known.set(name, walk);
    return walk;
  }

  #defined(type: Definition): Walk | null {
    switch (type.kind) {
      case "alias":
        return this.#walkOf(type.type);
      case "record":
        return members(type.fields.map((field) => [inCamelCase(field.name), this.#walkOf(field.type)]));
      case "enum":
        this.#crossing.add(type.name);
        return (value, count) => count(`${type.name} ${value as string}`);
      case "variant":
        this.#crossing.add(type.name);
        return tagged(Object.fromEntries(type.cases.map((one) => this.#case(one))), type.name);
    }
  }

  #case({ name, type }: Case): [string, Walk | null] {
    return [name, type === undefined ? null : this.#walkOf(type)];
  }
}

/** `folder`: core/wit. */
export function readBoundary(folder: URL): Boundary {
  const names = readdirSync(folder).filter((name) => name.endsWith(".wit") && name !== "world.wit");
  const texts = ["world.wit", ...names.sort()].map((name) => readFileSync(new URL(name, folder), "utf8"));
  return new Boundary(readWit(texts.join("\n")));
}

function members(fields: [string, Walk | null][]): Walk | null {
  const walks = fields.filter((field): field is [string, Walk] => field[1] !== null);
  if (walks.length === 0) return null;
  return (value, count) => {
    for (const [name, walk] of walks) walk((value as Record<string, unknown>)[name], count);
  };
}

/** `name`: the variant whose cases are counted. */
function tagged(cases: Readonly<Record<string, Walk | null>>, name: string | null): Walk {
  return (value, count) => {
    const { tag, val } = value as { tag: string; val?: unknown };
    if (name !== null) count(`${name} ${tag}`);
    cases[tag]?.(val, count);
  };
}

function optional(walk: Walk | null): Walk | null {
  return walk && ((value, count) => (value === undefined || value === null ? undefined : walk(value, count)));
}

function each(walk: Walk | null): Walk | null {
  if (walk === null) return null;
  return (values, count) => {
    for (const value of values as unknown[]) walk(value, count);
  };
}

/** The name that jco gives to a member. */
function inCamelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
