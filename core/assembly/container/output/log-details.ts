// What `details` adds to each line of a log: the labels and variables that the log's options name (surface §6.6).

import { Json } from "../../json/json";
import { parseKept } from "../../json/reader";
import { JsonWriter } from "../../json/writer";
import { Regex } from "../../text/regex";
import { escapeQuery } from "../../text/url";
import { decodeUtf8 } from "../../text/utf8";
import { Container } from "../container";
import { logConfigOf } from "./log-config";
import { filledTag } from "./log-tag";

/** The prefix of a line, `A=b,c=d `; only a space if there are no details, as in Docker. */
export function detailsOf(container: Container): string {
  const details = namedDetails(container);
  const names = details.keys().sort();
  const pairs: string[] = [];
  for (let i = 0; i < names.length; i++) pairs.push(`${escapeQuery(names[i])}=${escapeQuery(details.get(names[i]))}`);
  return pairs.join(",") + " ";
}

/** `Attrs` of a line that is a JSON object: `[{"Key":"A","Value":"b"}]`; empty if there are no details. */
export function attributesOf(container: Container): string {
  const details = namedDetails(container);
  const names = details.keys().sort();
  if (names.length == 0) return "";
  const json = new JsonWriter(true).beginArray();
  for (let i = 0; i < names.length; i++) {
    json.beginObject().stringField("Key", names[i]).stringField("Value", details.get(names[i])).endObject();
  }
  return decodeUtf8(json.endArray().finish());
}

function namedDetails(container: Container): Map<string, string> {
  const details = new Map<string, string>();
  const log = logConfigOf(container);
  if (log === null) return details;
  const options = log.entry("Config");
  if (options === null || options.length == 0) return details;
  addLabels(details, options, container);
  addVariables(details, options, container);
  const tag = options.stringOf("tag");
  if (tag.length > 0) details.set("tag", filledTag(tag, container));
  return details;
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
  const config = parseKept(container.config);
  if (config === null) return;
  const entries = config.stringsOf("Env");
  for (let i = 0; i < entries.length; i++) {
    const equals = entries[i].indexOf("=");
    if (equals <= 0) continue;
    const name = entries[i].substring(0, equals);
    if (wanted.has(name)) details.set(name, entries[i].substring(equals + 1));
  }
}

/** Names given by a list and by a pattern. */
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
