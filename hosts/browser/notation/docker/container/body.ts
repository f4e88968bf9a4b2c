// Builds request bodies field by field.

import type { Arguments, Takes } from "../arguments.js";
import { Wrong } from "../wrong.js";

export type Body = Record<string, unknown>;

/** An option and its effect on the body; null if it has no field of its own. */
export interface Field {
  /** For example `memory,m`. */
  readonly name: string;
  readonly isFlag: boolean;
  /**
   * The path in the API, such as `HostConfig.Memory`. If the option has no field: a text that says what happens to it.
   */
  readonly place: string;
  readonly put: ((body: Body, values: readonly string[]) => void) | null;
  readonly since?: string;
}

/** Puts a value at a path such as `HostConfig.Memory`. */
export function put(body: Body, path: string, value: unknown): void {
  const names = path.split(".");
  const last = names.pop()!;
  const inner = names.reduce((one, name) => (one[name] ??= {}) as Body, body);
  inner[last] = value;
}

/** Appends to the list at a path. */
export function add(body: Body, path: string, values: readonly unknown[]): void {
  const found = path.split(".").reduce<unknown>((inner, name) => (inner as Body | undefined)?.[name], body);
  put(body, path, [...((found as unknown[] | undefined) ?? []), ...values]);
}

/** Puts all given options into a body. */
export function fill(body: Body, fields: readonly Field[], args: Arguments): void {
  for (const field of fields) {
    const [long = ""] = field.name.split(",");
    if (field.put === null || !args.has(long)) continue;
    try {
      field.put(body, args.values(long));
    } catch (error) {
      if (error instanceof Wrong) throw new Wrong(`--${long}: ${error.message}`, error.at);
      throw error;
    }
  }
}

export function takesOf(fields: readonly Field[], others: Takes): Takes {
  const named = (isFlag: boolean): string[] => fields.filter((one) => one.isFlag === isFlag).map(({ name }) => name);
  const since = fields.flatMap((field) => (field.since === undefined ? [] : [[longOf(field), field.since] as const]));
  return { flags: named(true), values: named(false), since: Object.fromEntries(since), ...others };
}

export function placesOf(fields: readonly Field[]): ReadonlyMap<string, string> {
  return new Map(fields.map((field) => [longOf(field), field.place]));
}

function longOf({ name }: Field): string {
  return name.split(",")[0]!;
}
