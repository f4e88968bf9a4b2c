// What `details` puts before each line of a log: the labels and variables that the log's options name (surface §6.6).

import { Json } from "../json/json";
import { parseJson } from "../json/reader";
import { Regex } from "../text/regex";
import { escapeQuery } from "../text/url";
import { Container } from "./container";
import { logConfigOf } from "./log-config";
import { filledTag } from "./log-tag";

/** `A=b,c=d `; a space where there is nothing to tell, as in Docker. */
export function detailsOf(container: Container): string {
  const log = logConfigOf(container);
  if (log === null) return " ";
  const options = log.entry("Config");
  if (options === null || options.length == 0) return " ";
  const details = new Map<string, string>();
  addLabels(details, options, container);
  addVariables(details, options, container);
  const tag = options.stringOf("tag");
  if (tag.length > 0) details.set("tag", filledTag(tag, container));
  const names = details.keys().sort();
  const pairs: string[] = [];
  for (let i = 0; i < names.length; i++) pairs.push(`${escapeQuery(names[i])}=${escapeQuery(details.get(names[i]))}`);
  return pairs.join(",") + " ";
}

function addLabels(details: Map<string, string>, options: Json, container: Container): void {
  const wanted = new Wanted(options.stringOf("labels"), options.stringOf("labels-regex"));
  for (let i = 0; i < container.labelKeys.length; i++) {
    const name = container.labelKeys[i];
    if (wanted.has(name)) details.set(name, container.labelValues[i]);
  }
}

function addVariables(details: Map<string, string>, options: Json, container: Container): void {
  const wanted = new Wanted(options.stringOf("env"), options.stringOf("env-regex"));
  const config = parseJson(container.config);
  if (config === null) return;
  const entries = config.stringsOf("Env");
  for (let i = 0; i < entries.length; i++) {
    const equals = entries[i].indexOf("=");
    if (equals <= 0) continue;
    const name = entries[i].substring(0, equals);
    if (wanted.has(name)) details.set(name, entries[i].substring(equals + 1));
  }
}

/** Names by a list and by a pattern. */
class Wanted {
  private names: string[];
  private pattern: Regex | null;

  constructor(names: string, pattern: string) {
    this.names = names.split(",");
    this.pattern = pattern.length > 0 ? Regex.compile(pattern) : null;
  }

  has(name: string): bool {
    const pattern = this.pattern;
    return this.names.includes(name) || (pattern !== null && pattern.search(name));
  }
}
