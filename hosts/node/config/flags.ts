// Reads flags as dockerd does: `--name value`, `--name=value`, `-n value`, `-nvalue`, `-n=value`. Switches take a value
// only after `=`.

import { ConfigError, OPTIONS } from "./options.js";
import type { Option, Value, Values } from "./options.js";

/** Throws `ConfigError`, naming the argument that it does not understand. */
export function parseFlags(args: readonly string[]): Values {
  const values: Values = new Map();
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "-" || !arg.startsWith("-"))
      throw new ConfigError(`"coracle daemon" accepts no arguments: ${quoted(arg)}`);
    if (arg.startsWith("--")) takeLong(arg, rest, values);
    else takeShort(arg.slice(1), arg, rest, values);
  }
  return values;
}

function takeLong(arg: string, rest: string[], values: Values): void {
  const equals = arg.indexOf("=");
  const name = equals < 0 ? arg.slice(2) : arg.slice(2, equals);
  const option = OPTIONS.find(({ flag }) => flag === name);
  if (option === undefined) throw new ConfigError(`unknown flag: --${name}`);
  const given = equals < 0 ? undefined : arg.slice(equals + 1);
  take(option, given ?? valueAfter(option, `--${name}`, rest), values);
}

/** `-D`, `-lwarn`, `-l=warn`, `-Dl warn`. */
function takeShort(letters: string, arg: string, rest: string[], values: Values): void {
  const letter = letters.charAt(0);
  const option = OPTIONS.find(({ short }) => short === letter);
  if (option === undefined) throw new ConfigError(`unknown shorthand flag: '${letter}' in ${arg}`);
  const after = letters.slice(1);
  if (after.startsWith("=")) return take(option, after.slice(1), values);
  if (after === "") return take(option, valueAfter(option, `-${letter}`, rest), values);
  if (option.kind !== "switch") return take(option, after, values);
  take(option, "true", values);
  takeShort(after, arg, rest, values);
}

function valueAfter(option: Option, name: string, rest: string[]): string {
  if (option.kind === "switch") return "true";
  const value = rest.shift();
  if (value === undefined) throw new ConfigError(`flag needs an argument: ${name}`);
  return value;
}

function take(option: Option, text: string, values: Values): void {
  const before = values.get(option.flag);
  if (option.kind === "switch") values.set(option.flag, switchOf(option, text));
  else if (option.kind === "list" || option.kind === "pools")
    values.set(option.flag, [...(Array.isArray(before) ? before : []), text]);
  else if (option.kind === "runtimes") addPair(before, option, text, /^([^=]+)=(.+)$/, values);
  else if (option.kind === "pairs") addPair(before, option, text, /^([^=]+)=(.*)$/, values);
  else values.set(option.flag, text);
}

function addPair(before: Value | undefined, option: Option, text: string, form: RegExp, values: Values): void {
  const [, name, value] = form.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new ConfigError(`invalid argument ${quoted(text)} for --${option.flag}: it must be ${option.value}`);
  }
  const pairs = before instanceof Map ? before : new Map<string, string>();
  values.set(option.flag, pairs.set(name, value));
}

/** Go's strconv.ParseBool. */
function switchOf(option: Option, text: string): boolean {
  if (/^(1|t|true)$/i.test(text)) return true;
  if (/^(0|f|false)$/i.test(text)) return false;
  throw new ConfigError(`invalid argument ${quoted(text)} for --${option.flag}: only true and false are possible`);
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
