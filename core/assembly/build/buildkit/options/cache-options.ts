// Caches outside the engine, as clients of BuildKit name them (moby/buildkit, client/solve.go): `--cache-to` comes with the
// build's call, `--cache-from` with the options of the frontend. Their attributes may hold credentials. So the host keeps only
// types and references, and whatever comes in another form is overwritten unread.

import { erase } from "../../../../../build/bindings/erase";
import { Json } from "../../../json/json";
import { BuildOptions } from "../../options";
import { CallError, Code, objectIn } from "../grpc-reply";

/** References of images, and `TYPE REFERENCE` or only `TYPE`. Commas are between them. */
const REFERENCES = "cache-from";
const TYPED = "cache-imports";
const REGISTRY = "registry";
/** Members of messages. */
const MEMBERS: string[] = ["Cache", "CacheImports"];
const MOST_SOURCES: i32 = 100;

export function isCacheOption(key: string): bool {
  return key == REFERENCES || key == TYPED;
}

/** Whether an option has another form, in which there may be credentials. */
export function mayNameKeys(text: string): bool {
  return text.includes("=") || text.includes('"') || text.includes("://");
}

/** Overwrites the attributes of caches. `message`: of a Solve. */
export function eraseCaches(message: Json): void {
  for (let i = 0; i < MEMBERS.length; i++) {
    const caches = message.find(MEMBERS[i]);
    if (caches !== null) eraseAttributes(caches);
  }
}

function eraseAttributes(value: Json): void {
  if (value.isString && value.text.length > 0) erase(value.text);
  for (let i = 0; i < value.items.length; i++) {
    if (!value.isObject || value.keys[i] != "Type") eraseAttributes(value.items[i]);
  }
}

/** Takes an option of the frontend. */
export function takeSources(options: BuildOptions, key: string, value: string): CallError | null {
  if (value.length == 0 || mayNameKeys(value)) return null;
  const sources = value.split(",");
  if (sources.length > MOST_SOURCES) return new CallError(Code.ResourceExhausted, "too many caches to import");
  for (let i = 0; i < sources.length; i++) {
    const words = sources[i].split(" ");
    const reference = key == REFERENCES ? words[0] : words.length > 1 && words[0] == REGISTRY ? words[1] : "";
    if (reference.length == 0) lack(options, words[0]);
    else if (!options.cacheFrom.includes(reference)) options.cacheFrom.push(reference);
  }
  return null;
}

/** The types of those that are in no registry: clients may name them in the build's call alone. `message`: of Control.Solve. */
export function otherSources(message: Json): string[] {
  const types: string[] = [];
  const all = listIn(message, "Imports");
  for (let i = 0; i < all.length && i < MOST_SOURCES; i++) {
    const type = all[i].stringOf("Type");
    if (type != REGISTRY) types.push(type);
  }
  return types;
}

/** It is named, and cannot be imported. */
export function lack(options: BuildOptions, type: string): void {
  if (!options.lackedCaches.includes(type)) options.lackedCaches.push(type);
}

function listIn(message: Json, name: string): Json[] {
  const list = objectIn(message, "Cache").find(name);
  return list !== null && list.isArray ? list.items : [];
}

/** Where the cache of a build goes. */
export class CacheTargets {
  /** Into the image. */
  inline: bool = false;
  /** Null if all of it is built. */
  problem: CallError | null = null;

  /** `message`: of Control.Solve. */
  constructor(message: Json) {
    const all = listIn(message, "Exports");
    for (let i = 0; i < all.length; i++) {
      const type = all[i].stringOf("Type");
      if (type == "inline") this.inline = true;
      else
        this.problem = new CallError(Code.Unimplemented, `${unusable("to", type)}: type=inline puts it into the image`);
    }
  }
}

/** `way`: "to" or "from". */
function unusable(way: string, type: string): string {
  return `--cache-${way} of type ${type} is not built yet`;
}

/** Why a cache cannot be imported, and what to do. */
export function unusableSource(type: string): string {
  return `${unusable("from", type)}: type=registry names an image that has its cache inside`;
}
