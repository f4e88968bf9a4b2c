// Values of the boundary as JSON and back, type by type. Reading is strict: what is not exactly such a value is refused.

import { fromBase64, toBase64 } from "./base64.js";

export interface Codec<Value> {
  /** The text of it. */
  encode(value: Value): string;
  /** Throws `Malformed`; `at` is the place for people: `input.val.id`. */
  decode(json: unknown, at: string): Value;
}

/** The field of a record that may be missing. */
export interface Optional<Value> {
  optional: Codec<Value>;
}

export class Malformed extends Error {}

export function malformed(at: string, wanted: string): never {
  throw new Malformed(`${at}: ${wanted} was expected`);
}

export const text: Codec<string> = {
  encode: (value) => JSON.stringify(value),
  decode: (json, at) => (typeof json === "string" ? json : malformed(at, "a text")),
};

export const bool: Codec<boolean> = {
  encode: String,
  decode: (json, at) => (typeof json === "boolean" ? json : malformed(at, "true or false")),
};

export const bytes: Codec<Uint8Array> = {
  encode: (value) => `"${toBase64(value)}"`,
  decode: (json, at) => (typeof json === "string" ? fromBase64(json) : null) ?? malformed(at, "base64"),
};

export const u16 = integer(0xffff);
export const u32 = integer(0xffff_ffff);
export const u64 = decimal(0n, (1n << 64n) - 1n);
export const s64 = decimal(-(1n << 63n), (1n << 63n) - 1n);

export function list<Item>(item: Codec<Item>): Codec<Item[]> {
  return {
    encode: (value) => `[${value.map((one) => item.encode(one)).join()}]`,
    decode: (json, at) =>
      Array.isArray(json) ? json.map((one, i) => item.decode(one, `${at}[${i}]`)) : malformed(at, "a list"),
  };
}

/** A list that the boundary has as an array of numbers. */
export const u32s: Codec<Uint32Array> = {
  encode: (value) => `[${value.join()}]`,
  decode: (json, at) => Uint32Array.from(list(u32).decode(json, at)),
};

export const u64s: Codec<BigUint64Array> = {
  encode: (value) => `[${[...value].map((one) => u64.encode(one)).join()}]`,
  decode: (json, at) => BigUint64Array.from(list(u64).decode(json, at)),
};

export function pair<First, Second>(first: Codec<First>, second: Codec<Second>): Codec<[First, Second]> {
  return {
    encode: ([a, b]) => `[${first.encode(a)},${second.encode(b)}]`,
    decode: (json, at) =>
      Array.isArray(json) && json.length === 2
        ? [first.decode(json[0], `${at}[0]`), second.decode(json[1], `${at}[1]`)]
        : malformed(at, "a list of two"),
  };
}

export function optional<Value>(codec: Codec<Value>): Optional<Value> {
  return { optional: codec };
}

type Fields<Value> = {
  [Name in keyof Value]-?: undefined extends Value[Name]
    ? Optional<Exclude<Value[Name], undefined>>
    : Codec<Value[Name]>;
};

export function record<Value extends object>(fields: Fields<Value>): Codec<Value> {
  const entries = Object.entries(fields) as [string, Codec<unknown> | Optional<unknown>][];
  return {
    encode(value) {
      let json = "";
      for (const [name, field] of entries) {
        const one = (value as Record<string, unknown>)[name];
        if (one !== undefined) json += `${json === "" ? "{" : ","}"${name}":${codecOf(field).encode(one)}`;
      }
      return json === "" ? "{}" : `${json}}`;
    },
    decode(json, at) {
      const object = objectOf(json, at);
      const value: Record<string, unknown> = {};
      for (const [name, field] of entries) {
        const one = object[name];
        if (one !== undefined) value[name] = codecOf(field).decode(one, `${at}.${name}`);
        else if (!("optional" in field)) malformed(`${at}.${name}`, "a value");
      }
      onlyThese(object, Object.keys(fields), at);
      return value as Value;
    },
  };
}

type Cases<Value extends { tag: string }> = {
  [Tag in Value["tag"]]: Extract<Value, { tag: Tag }> extends { val: infer Val } ? Codec<Val> : null;
};

/** `null` for cases that have no value. */
export function variant<Value extends { tag: string }>(cases: Cases<Value>): Codec<Value> {
  const byTag = new Map(Object.entries(cases) as [string, Codec<unknown> | null][]);
  return {
    encode(value) {
      const codec = byTag.get(value.tag);
      const val = codec ? `,"val":${codec.encode((value as { val?: unknown }).val)}` : "";
      return `{"tag":"${value.tag}"${val}}`;
    },
    decode(json, at) {
      const object = objectOf(json, at);
      const { tag } = object;
      const codec = typeof tag === "string" ? byTag.get(tag) : undefined;
      if (codec === undefined) return malformed(`${at}.tag`, `one of ${[...byTag.keys()].join(", ")}`);
      onlyThese(object, codec === null ? ["tag"] : ["tag", "val"], at);
      return (codec === null ? { tag } : { tag, val: codec.decode(object["val"], `${at}.val`) }) as Value;
    },
  };
}

export function enumeration<Name extends string>(names: { [Each in Name]: true }): Codec<Name> {
  return {
    encode: (value) => `"${value}"`,
    decode: (json, at) =>
      typeof json === "string" && Object.hasOwn(names, json)
        ? (json as Name)
        : malformed(at, `one of ${Object.keys(names).join(", ")}`),
  };
}

export function objectOf(json: unknown, at: string): Record<string, unknown> {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return malformed(at, "an object");
  return json as Record<string, unknown>;
}

export function onlyThese(object: Record<string, unknown>, names: string[], at: string): void {
  for (const name of Object.keys(object)) if (!names.includes(name)) malformed(`${at}.${name}`, "nothing");
}

function codecOf(field: Codec<unknown> | Optional<unknown>): Codec<unknown> {
  return "optional" in field ? field.optional : field;
}

function integer(most: number): Codec<number> {
  return {
    encode: String,
    decode: (json, at) =>
      Number.isInteger(json) && (json as number) >= 0 && (json as number) <= most
        ? (json as number)
        : malformed(at, `an integer from 0 to ${most}`),
  };
}

function decimal(least: bigint, most: bigint): Codec<bigint> {
  return {
    encode: (value) => `"${value}"`,
    decode(json, at) {
      if (typeof json !== "string" || !/^(0|-?[1-9][0-9]{0,18}|[1-9][0-9]{19})$/.test(json)) {
        return malformed(at, "a text of decimal digits");
      }
      const value = BigInt(json);
      return value >= least && value <= most ? value : malformed(at, `a number from ${least} to ${most}`);
    },
  };
}
