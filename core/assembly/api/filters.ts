// The `filters` parameter (surface §2.5): keys with values, and how values match.

import { Json, JsonKind } from "../json/json";
import { parseJson } from "../json/reader";
import { globMatch } from "../text/glob";
import { Regex } from "../text/regex";
import { encodeUtf8 } from "../text/utf8";

export enum FilterFlag {
  /** The key is missing. */
  Absent,
  False,
  True,
  /** Neither true nor false, or both: see `Filters.flagError`. */
  Bad,
}

export class Filters {
  keys: string[] = [];
  /** The error for the client if the parameter is invalid; else empty. */
  error: string = "";
  private lists: string[][] = [];
  private patterns: Map<string, Regex | null> = new Map();
  private instructions: i32 = 0;

  has(key: string): bool {
    return this.keys.includes(key);
  }

  /** Values of a key, each once, in document order. */
  values(key: string): string[] {
    const at = this.keys.indexOf(key);
    return at < 0 ? [] : this.lists[at];
  }

  /** *exact*: the key is absent or empty, or one of its values is the text. */
  exact(key: string, text: string): bool {
    const values = this.values(key);
    return values.length == 0 || values.includes(text);
  }

  /** *regex*: the same, or one of the values is a pattern that occurs in the text. */
  regex(key: string, text: string): bool {
    const values = this.values(key);
    if (values.length == 0 || values.includes(text)) return true;
    for (let i = 0; i < values.length; i++) {
      const pattern = this.patternOf(values[i]);
      if (pattern !== null && pattern.search(text)) return true;
    }
    return false;
  }

  /** *prefix*: the same, or the text begins with one of the values. */
  prefix(key: string, text: string): bool {
    const values = this.values(key);
    for (let i = 0; i < values.length; i++) {
      if (text.startsWith(values[i])) return true;
    }
    return values.length == 0;
  }

  /** *glob*: the same, or one of the values is a pattern that matches the whole text. */
  glob(key: string, text: string): bool {
    const values = this.values(key);
    for (let i = 0; i < values.length; i++) {
      if (globMatch(values[i], text)) return true;
    }
    return values.length == 0;
  }

  /** *kv*: every `key` or `key=value` is among the labels. */
  labels(key: string, names: string[], texts: string[]): bool {
    const values = this.values(key);
    for (let i = 0; i < values.length; i++) {
      if (!hasLabel(values[i], names, texts)) return false;
    }
    return true;
  }

  /** A boolean: `0`, `1`, `true`, `false`. */
  flag(key: string): FilterFlag {
    if (!this.has(key)) return FilterFlag.Absent;
    const values = this.values(key);
    const yes = values.includes("1") || values.includes("true");
    const no = values.includes("0") || values.includes("false");
    if (yes == no) return FilterFlag.Bad;
    return yes ? FilterFlag.True : FilterFlag.False;
  }

  /** The error for an invalid boolean. */
  flagError(key: string): string {
    return `invalid filter '${key}=[${this.values(key).join(" ")}]'`;
  }

  /** Adds a value; used for old parameters that became filters. */
  add(key: string, value: string): void {
    let at = this.keys.indexOf(key);
    if (at < 0) {
      at = this.keys.length;
      this.keys.push(key);
      this.lists.push([]);
    }
    if (!this.lists[at].includes(value)) this.lists[at].push(value);
  }

  /** Adds a key without values. */
  addKey(key: string): void {
    if (this.has(key)) return;
    this.keys.push(key);
    this.lists.push([]);
  }

  private patternOf(text: string): Regex | null {
    if (!this.patterns.has(text)) this.patterns.set(text, this.compile(text));
    return this.patterns.get(text);
  }

  private compile(text: string): Regex | null {
    if (this.instructions > MAX_INSTRUCTIONS) return null;
    const pattern = Regex.compile(text);
    // An invalid pattern costs work as well.
    this.instructions += pattern === null ? REFUSED_PATTERN : pattern.size;
    return pattern;
  }
}

/** Reads the parameter; an empty one and `null` filter nothing. `known`: the endpoint's keys; null allows any. */
export function parseFilters(text: string, known: string[] | null): Filters {
  const filters = new Filters();
  if (text.length == 0) return filters;
  const document = parseJson(encodeUtf8(text));
  if (document === null || (!document.isObject && !document.isNull) || !fill(filters, document)) {
    filters.error = "invalid filter";
    return filters;
  }
  if (known === null) return filters;
  for (let i = 0; i < filters.keys.length; i++) {
    if (known.includes(filters.keys[i])) continue;
    filters.error = `invalid filter '${filters.keys[i]}'`;
    break;
  }
  return filters;
}

/** Whether labels include `key` or `key=value`. */
function hasLabel(wanted: string, names: string[], texts: string[]): bool {
  const equals = wanted.indexOf("=");
  const at = names.indexOf(equals < 0 ? wanted : wanted.substring(0, equals));
  return at >= 0 && (equals < 0 || texts[at] == wanted.substring(equals + 1));
}

// Limit of values: no person or program would ask for more.
const MAX_VALUES: i32 = 1_000;
/** Patterns are matched against every name. Beyond this many instructions in total they match nothing. */
const MAX_INSTRUCTIONS: i32 = 20_000;
const REFUSED_PATTERN: i32 = 1_000;

// All members must have the same shape: `{"v": true}`, or the older `["v"]`.
function fill(filters: Filters, document: Json): bool {
  let shape = JsonKind.Null;
  let count = 0;
  for (let i = 0; i < document.keys.length; i++) {
    const member = document.items[i];
    filters.addKey(document.keys[i]);
    if (member.isNull) continue;
    if (!member.isObject && !member.isArray) return false;
    if (shape != JsonKind.Null && member.kind != shape) return false;
    shape = member.kind;
    count += member.length + 1;
    if (count > MAX_VALUES || !addValues(filters, document.keys[i], member)) return false;
  }
  return true;
}

function addValues(filters: Filters, key: string, member: Json): bool {
  for (let i = 0; i < member.items.length; i++) {
    const item = member.items[i];
    if (member.isObject) {
      if (item.kind != JsonKind.Bool && !item.isNull) return false;
      filters.add(key, member.keys[i]);
    } else {
      if (!item.isString && !item.isNull) return false;
      filters.add(key, item.text);
    }
  }
  return true;
}
