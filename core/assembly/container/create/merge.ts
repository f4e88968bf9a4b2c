// What a container inherits from its image's config (surface §2.14).

import { isZero } from "../../json/asked";
import { Json } from "../../json/json";
import { normalise } from "../../json/schema";
import { CONFIG, HEALTHCHECK } from "./config";
import { ImageDefaults } from "./image-defaults";

/** The merged config, or why the image's config is invalid. */
export class MergedConfig {
  config: Json;
  /** Empty on success. */
  error: string = "";

  constructor(config: Json) {
    this.config = config;
  }
}

/** `config`: normalised by `CONFIG`, and not changed. The result is normalised as well. */
export function mergeImageConfig(config: Json, image: ImageDefaults): MergedConfig {
  const merged = new MergedConfig(config.branch());
  const defaults = image.config;
  if (defaults === null) {
    merged.error = `invalid image config: ${image.error}`;
    return merged;
  }
  const target = merged.config;
  takeText(target, defaults, "User");
  takeText(target, defaults, "WorkingDir");
  takeText(target, defaults, "StopSignal");
  uniteMaps(target, defaults, "ExposedPorts");
  uniteMaps(target, defaults, "Volumes");
  clearEmpty(target, "Volumes");
  uniteMaps(target, defaults, "Labels");
  uniteEnvironment(target, defaults);
  takeCommand(target, defaults);
  takeHealthcheck(target, defaults);
  // Normalises again: puts added fields in their place, sorts maps, and copies what is the image's.
  const ordered = normalise(target, CONFIG);
  if (ordered !== null) merged.config = ordered;
  return merged;
}

/**
 * The program and its arguments: `Entrypoint`, then `Cmd`. If empty, there is nothing to run (`no command specified`).
 */
export function commandOf(config: Json): string[] {
  return config.stringsOf("Entrypoint").concat(config.stringsOf("Cmd"));
}

function takeText(target: Json, image: Json, name: string): void {
  const text = image.stringOf(name);
  if (target.stringOf(name).length == 0 && text.length > 0) target.set(name, Json.string(text));
}

// The request's members take precedence.
function uniteMaps(target: Json, image: Json, name: string): void {
  const more = image.entry(name);
  if (more === null || more.length == 0) return;
  const united = Json.object();
  united.keys = more.keys.slice();
  united.items = more.items.slice();
  const own = target.entry(name);
  if (own !== null) {
    for (let i = 0; i < own.keys.length; i++) {
      united.keys.push(own.keys[i]);
      united.items.push(own.items[i]);
    }
  }
  target.set(name, united);
}

// Docker's CLI sends {} for an empty map, and shows null.
function clearEmpty(target: Json, name: string): void {
  const own = target.entry(name);
  if (own !== null && own.length == 0) target.set(name, Json.null());
}

// The request's variables first, then the image's variables
// with other names. `NAME` without a value removes the image's.
function uniteEnvironment(target: Json, image: Json): void {
  const entries = target.stringsOf("Env");
  const defaults = image.stringsOf("Env");
  if (defaults.length == 0) return;
  const names = new Set<string>();
  for (let i = 0; i < entries.length; i++) names.add(nameOf(entries[i]));
  for (let i = 0; i < defaults.length; i++) {
    if (!names.has(nameOf(defaults[i]))) entries.push(defaults[i]);
  }
  target.set("Env", Json.strings(entries));
}

function nameOf(entry: string): string {
  const equals = entry.indexOf("=");
  return equals < 0 ? entry : entry.substring(0, equals);
}

// The image's `Cmd` belongs to its `Entrypoint`: it is used only if the request sets neither.
function takeCommand(target: Json, image: Json): void {
  const entrypoint = target.entry("Entrypoint");
  if (entrypoint === null || entrypoint.length == 0) {
    if (target.stringsOf("Cmd").length == 0) {
      take(target, image, "Cmd");
      take(target, image, "ArgsEscaped");
    }
    if (entrypoint === null || entrypoint.isNull) take(target, image, "Entrypoint");
  }
  const words = target.stringsOf("Entrypoint");
  // `[""]` asks for no entrypoint at all.
  if (words.length == 1 && words[0].length == 0) target.set("Entrypoint", Json.null());
}

function take(target: Json, image: Json, name: string): void {
  const value = image.entry(name);
  if (value !== null && !isZero(value)) target.set(name, value);
}

// Merged field by field: the image fills in what the request leaves empty.
function takeHealthcheck(target: Json, image: Json): void {
  const theirs = image.entry("Healthcheck");
  if (theirs === null) return;
  const given = target.entry("Healthcheck");
  if (given === null) {
    target.set("Healthcheck", theirs);
    return;
  }
  const own = given.branch();
  target.set("Healthcheck", own);
  for (let i = 0; i < HEALTHCHECK.fields.length; i++) {
    const name = HEALTHCHECK.fields[i].name;
    const given = own.entry(name);
    const value = theirs.entry(name);
    if ((given === null || isZero(given)) && value !== null) own.set(name, value);
  }
}
