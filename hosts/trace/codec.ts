// Writes values of the boundary as JSON and reads them back, type by type. Reading is strict: it refuses anything
// else.

import { ascii, fromBase64, textOf, toBase64 } from "../shared/index.js";
import type { ByteWriter } from "../shared/index.js";

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const BRACE = 0x7d;
/** Longer texts, in bytes, are not cached. */
const MOST_RECURRING = 4096;

export interface Codec<Value> {
  /** Writes the value as JSON. */
  write(value: Value, to: ByteWriter): void;
  /** Throws `Malformed`. `at` is the value's path for the error message: `input.val.id`. */
  decode(json: unknown, at: string): Value;
}

/** A field of a record that may be missing. */
export interface Optional<Value> {
  optional: Codec<Value>;
}

/** A value as JSON text. */
export function encoded<Value>(codec: Codec<Value>, value: Value): string {
  return textOf((to) => codec.write(value, to));
}

export class Malformed extends Error {}

export function malformed(at: string, wanted: string): never {
  throw new Malformed(`${at}: expected ${wanted}`);
}

export const text: Codec<string> = {
  write: (value, to) => to.json(value),
  decode: (json, at) => (typeof json === "string" ? json : malformed(at, "a text")),
};

/** A text that is often long and the same as the last one, as a client's headers are: its last encoding is cached. */
export function recurring(): Codec<string> {
  let last = "";
  let written = new Uint8Array();
  return {
    write(value, to) {
      if (value !== last || written.length === 0) {
        const start = to.length;
        to.json(value);
        if (to.length - start > MOST_RECURRING) return;
        written = to.from(start);
        last = value;
        return;
      }
      to.copy(written);
    },
    decode: text.decode,
  };
}

export const bool: Codec<boolean> = {
  write: (value, to) => to.ascii(String(value)),
  decode: (json, at) => (typeof json === "boolean" ? json : malformed(at, "true or false")),
};

export const bytes: Codec<Uint8Array> = {
  write(value, to) {
    to.byte(QUOTE);
    to.ascii(toBase64(value));
    to.byte(QUOTE);
  },
  decode: (json, at) => (typeof json === "string" ? fromBase64(json) : null) ?? malformed(at, "base64"),
};

export const u16 = integer(0xffff);
export const u32 = integer(0xffff_ffff);
export const u64 = decimal(0n, (1n << 64n) - 1n);
export const s64 = decimal(-(1n << 63n), (1n << 63n) - 1n);

export function list<Item>(item: Codec<Item>): Codec<Item[]> {
  return {
    write: (value, to) => writeList(value, item, to),
    decode: (json, at) =>
      Array.isArray(json) ? json.map((one, i) => item.decode(one, `${at}[${i}]`)) : malformed(at, "a list"),
  };
}

/** A list that the boundary passes as a typed array. */
export const u32s: Codec<Uint32Array> = {
  write: (value, to) => writeList(value, u32, to),
  decode: (json, at) => Uint32Array.from(list(u32).decode(json, at)),
};

export const u64s: Codec<BigUint64Array> = {
  write: (value, to) => writeList(value, u64, to),
  decode: (json, at) => BigUint64Array.from(list(u64).decode(json, at)),
};

export function pair<First, Second>(first: Codec<First>, second: Codec<Second>): Codec<[First, Second]> {
  return {
    write([a, b], to) {
      to.byte(OPEN);
      first.write(a, to);
      to.byte(COMMA);
      second.write(b, to);
      to.byte(CLOSE);
    },
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
  const entries = (Object.entries(fields) as [string, Codec<unknown> | Optional<unknown>][]).map(([name, field]) => ({
    name,
    isOptional: "optional" in field,
    codec: "optional" in field ? field.optional : field,
    first: ascii(`{"${name}":`),
    next: ascii(`,"${name}":`),
  }));
  return {
    write(value, to) {
      let isFirst = true;
      for (const { name, codec, first, next } of entries) {
        const one = (value as Record<string, unknown>)[name];
        if (one === undefined) continue;
        to.copy(isFirst ? first : next);
        isFirst = false;
        codec.write(one, to);
      }
      to.ascii(isFirst ? "{}" : "}");
    },
    decode(json, at) {
      const object = objectOf(json, at);
      const value: Record<string, unknown> = {};
      for (const { name, codec, isOptional } of entries) {
        const one = object[name];
        if (one !== undefined) value[name] = codec.decode(one, `${at}.${name}`);
        else if (!isOptional) malformed(`${at}.${name}`, "a value");
      }
      onlyThese(object, Object.keys(fields), at);
      return value as Value;
    },
  };
}

type Cases<Value extends { tag: string }> = {
  [Tag in Value["tag"]]: Extract<Value, { tag: Tag }> extends { val: infer Val } ? Codec<Val> : null;
};

/** A codec of a variant. Its cases without a value are `null`. */
export function variant<Value extends { tag: string }>(cases: Cases<Value>): Codec<Value> {
  const byTag = new Map(
    (Object.entries(cases) as [string, Codec<unknown> | null][]).map(([tag, codec]) => [
      tag,
      { codec, start: ascii(codec === null ? `{"tag":"${tag}"}` : `{"tag":"${tag}","val":`) },
    ]),
  );
  return {
    write(value, to) {
      const { codec, start } = byTag.get(value.tag)!;
      to.copy(start);
      if (codec === null) return;
      codec.write((value as { val?: unknown }).val, to);
      to.byte(BRACE);
    },
    decode(json, at) {
      const object = objectOf(json, at);
      const { tag } = object;
      const found = typeof tag === "string" ? byTag.get(tag) : undefined;
      if (found === undefined) return malformed(`${at}.tag`, `one of ${[...byTag.keys()].join(", ")}`);
      const { codec } = found;
      onlyThese(object, codec === null ? ["tag"] : ["tag", "val"], at);
      return (codec === null ? { tag } : { tag, val: codec.decode(object["val"], `${at}.val`) }) as Value;
    },
  };
}

export function result<Ok, Err>(
  ok: Codec<Ok>,
  err: Codec<Err>,
): Codec<{ tag: "ok"; val: Ok } | { tag: "err"; val: Err }> {
  return variant<{ tag: "ok"; val: Ok } | { tag: "err"; val: Err }>({ ok, err } as never);
}

export function enumeration<Name extends string>(names: { [Each in Name]: true }): Codec<Name> {
  return {
    write: (value, to) => to.json(value),
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

function writeList<Item>(items: Iterable<Item>, codec: Codec<Item>, to: ByteWriter): void {
  to.byte(OPEN);
  let isFirst = true;
  for (const item of items) {
    if (!isFirst) to.byte(COMMA);
    isFirst = false;
    codec.write(item, to);
  }
  to.byte(CLOSE);
}

function integer(most: number): Codec<number> {
  return {
    write: (value, to) => to.integer(value),
    decode: (json, at) =>
      Number.isInteger(json) && (json as number) >= 0 && (json as number) <= most
        ? (json as number)
        : malformed(at, `an integer from 0 to ${most}`),
  };
}

function decimal(least: bigint, most: bigint): Codec<bigint> {
  return {
    write(value, to) {
      to.byte(QUOTE);
      to.integer(value);
      to.byte(QUOTE);
    },
    decode(json, at) {
      if (typeof json !== "string" || !/^(0|-?[1-9][0-9]{0,18}|[1-9][0-9]{19})$/.test(json)) {
        return malformed(at, "a text of decimal digits");
      }
      const value = BigInt(json);
      return value >= least && value <= most ? value : malformed(at, `a number from ${least} to ${most}`);
    },
  };
}
