// Reads the configuration file: a JSON object with dockerd's keys.

import { readFileSync } from "node:fs";
import { ConfigError, OPTIONS } from "./options.js";
import type { Option, Value, Values } from "./options.js";

/** Throws `ConfigError`, naming file and key. `optional`: a missing file has no values. */
export function readConfigFile(file: string, optional: boolean): Values {
  const text = readText(file, optional);
  if (text === null) return new Map();
  const object = withProxies(file, parseObject(file, text));
  const known = OPTIONS.filter(({ key }) => key !== undefined);
  const unknown = Object.keys(object).filter((key) => !known.some((option) => option.key === key));
  if (unknown.length > 0) {
    throw refused(file, `the following directives don't match any configuration option: ${unknown.join(", ")}`);
  }
  const given = known.filter(({ key }) => Object.hasOwn(object, key!));
  return new Map(given.map((option) => [option.flag, valueOf(file, option, object[option.key!])]));
}

export function refused(file: string, why: string): ConfigError {
  return new ConfigError(`unable to configure the daemon with file ${file}: ${why}`);
}

function readText(file: string, optional: boolean): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (optional && code === "ENOENT") return null;
    throw refused(file, message);
  }
}

function parseObject(file: string, text: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = text.trim() === "" ? {} : JSON.parse(text);
  } catch (error) {
    throw refused(file, (error as Error).message);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw refused(file, "it holds no JSON object");
  return parsed as Record<string, unknown>;
}

/** `{"proxies": {"http-proxy": "…"}}`: Docker puts these three together. */
function withProxies(file: string, { proxies = {}, ...rest }: Record<string, unknown>): Record<string, unknown> {
  if (typeof proxies === "object" && proxies !== null && !Array.isArray(proxies)) return { ...rest, ...proxies };
  throw refused(file, '"proxies" must be an object');
}

function valueOf(file: string, option: Option, value: unknown): Value {
  switch (option.kind) {
    case "text":
      if (typeof value === "string") return value;
      throw refused(file, `"${option.key}" must be a string`);
    case "switch":
      if (typeof value === "boolean") return value;
      throw refused(file, `"${option.key}" must be true or false`);
    case "list":
      if (Array.isArray(value) && value.every((entry) => typeof entry === "string")) return value as string[];
      throw refused(file, `"${option.key}" must be a list of strings`);
    case "number":
      if (typeof value === "number") return String(value);
      throw refused(file, `"${option.key}" must be a number`);
    case "pools":
      return poolsOf(file, option, value);
    case "pairs":
      return pairsOf(file, option, value);
    case "runtimes":
      return runtimesOf(file, value);
    case "object":
      if (typeof value === "object" && value !== null && !Array.isArray(value)) return JSON.stringify(value);
      throw refused(file, `"${option.key}" must be an object`);
  }
}

/** `[{"base": "10.10.0.0/16", "size": 24}]`, in the form of the flag. */
function poolsOf(file: string, { key }: Option, value: unknown): string[] {
  const pools = Array.isArray(value) ? (value as ({ base?: unknown; size?: unknown } | null)[]) : [null];
  return pools.map((pool) => {
    if (typeof pool?.base === "string" && typeof pool.size === "number") return `base=${pool.base},size=${pool.size}`;
    throw refused(file, `"${key}" must be a list of objects with a "base" and a "size"`);
  });
}

/** `{"name": "value"}`. */
function pairsOf(file: string, { key }: Option, value: unknown): Value {
  const pairs = typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : null;
  const isText = (pair: [string, unknown]): pair is [string, string] => typeof pair[1] === "string";
  if (pairs === null || !pairs.every(isText)) throw refused(file, `"${key}" must be an object of strings`);
  return new Map(pairs);
}

/** `{"name": {"path": "/usr/bin/name"}}`. */
function runtimesOf(file: string, value: unknown): Map<string, string> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw refused(file, '"runtimes" must be an object');
  const runtimes = Object.entries(value as Record<string, unknown>).map(([name, runtime]): [string, string] => {
    const path = (runtime as { path?: unknown } | null)?.path;
    if (typeof path !== "string") throw refused(file, `"runtimes": "${name}" must have a "path"`);
    return [name, path];
  });
  return new Map(runtimes);
}
