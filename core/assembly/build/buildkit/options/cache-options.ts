// Caches outside the engine, as clients of BuildKit name them (moby/buildkit, client/solve.go): `--cache-to` comes with the
// build's call, `--cache-from` with the options of the frontend, and with the call as well. Their attributes may hold
// credentials. So the host keeps only types, references, and what tells of a directory of the client; whatever comes in
// another form is overwritten unread.

import { parseFlag } from "../../../api/parameters";
import { erase } from "../../../../../build/bindings/erase";
import { Json } from "../../../json/json";
import { quoteText } from "../../../text/go-quote";
import { LocalSource, nameProblem, storeName } from "../../kept-cache";
import { BuildOptions } from "../../options";
import { CallError, Code, objectIn } from "../grpc-reply";

/** References of images, and `TYPE REFERENCE` or only `TYPE`. Commas are between them. */
const REFERENCES = "cache-from";
const TYPED = "cache-imports";
const REGISTRY = "registry";
/** In a directory of the client. Only the build's call tells of one. */
const LOCAL = "local";
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
  if (value.isObject && value.stringOf("Type") == LOCAL) return;
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
    if (key == TYPED && words[0] == LOCAL) continue;
    if (reference.length == 0) lack(options, words[0]);
    else if (!options.cacheFrom.includes(reference)) options.cacheFrom.push(reference);
  }
  return null;
}

/** Caches in directories of the client. `message`: of Control.Solve. */
export function localSources(message: Json): LocalSource[] {
  const sources: LocalSource[] = [];
  const all = listIn(message, "Imports");
  for (let i = 0; i < all.length && i < MOST_SOURCES; i++) {
    if (all[i].stringOf("Type") != LOCAL) continue;
    const attributes = objectIn(all[i], "Attrs");
    sources.push(new LocalSource(storeName(attributes.stringOf("src")), attributes.stringOf("digest")));
  }
  return sources;
}

/** The types of those that cannot be imported: clients may name them in the build's call alone. `message`: of Control.Solve. */
export function otherSources(message: Json): string[] {
  const types: string[] = [];
  const all = listIn(message, "Imports");
  for (let i = 0; i < all.length && i < MOST_SOURCES; i++) {
    const type = all[i].stringOf("Type");
    if (type != REGISTRY && type != LOCAL) types.push(type);
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
  /** Into a directory of the client. */
  local: LocalTarget | null = null;
  /** Null if all of it is built. */
  problem: CallError | null = null;

  /** `message`: of Control.Solve. */
  constructor(message: Json) {
    const all = listIn(message, "Exports");
    for (let i = 0; i < all.length; i++) {
      const type = all[i].stringOf("Type");
      if (type == "inline") this.inline = true;
      else if (type == LOCAL) this.take(objectIn(all[i], "Attrs"));
      else {
        const instead = "type=inline puts it into the image, type=local into a directory";
        this.problem = new CallError(Code.Unimplemented, `${unusable("to", type)}: ${instead}`);
      }
    }
  }

  private take(attributes: Json): void {
    if (this.local !== null) {
      this.problem = new CallError(
        Code.Unimplemented,
        "a build with more than one --cache-to of type local is not built yet",
      );
      return;
    }
    const local = new LocalTarget(storeName(attributes.stringOf("dest")), attributes);
    this.local = local;
    if (local.problem !== null) this.problem = local.problem;
  }
}

/** Attributes that would change what is in a cache, and the values with which they change nothing. */
const FORMS: string[] = ["compression", "compression-level", "force-compression", "oci-mediatypes"];
const HARMLESS: string[] = ["compression=uncompressed", "force-compression=false", "oci-mediatypes=true"];

/** A directory of the client for the cache. */
export class LocalTarget {
  /** Stages that the result is not made of are in it, too. */
  readonly all: bool;
  /** If it cannot be written, the build does not fail. */
  readonly optional: bool;
  /** Null if it can be used. */
  readonly problem: CallError | null;

  constructor(
    /** As the client calls it. */
    readonly store: string,
    attributes: Json,
  ) {
    this.all = attributes.stringOf("mode") == "max";
    const optional = attributes.stringOf("ignore-error");
    this.optional = optional.length > 0 && parseFlag(optional).value;
    this.problem = problemOf(store, attributes);
  }
}

function problemOf(store: string, attributes: Json): CallError | null {
  const mode = attributes.stringOf("mode");
  if (mode.length > 0 && mode != "min" && mode != "max")
    return new CallError(Code.InvalidArgument, `invalid mode ${quoteText(mode)} of --cache-to: it is min or max`);
  for (let i = 0; i < FORMS.length; i++) {
    const value = attributes.stringOf(FORMS[i]);
    const pair = `${FORMS[i]}=${value}`;
    if (value.length == 0 || HARMLESS.includes(pair)) continue;
    const why = "layers are kept uncompressed, as OCI describes them: leave it away";
    return new CallError(Code.Unimplemented, `--cache-to with ${quoteText(pair)} is not built yet: ${why}`);
  }
  const why = nameProblem(store);
  return why.length > 0 ? new CallError(Code.InvalidArgument, why) : null;
}

/** `way`: "to" or "from". */
function unusable(way: string, type: string): string {
  return `--cache-${way} of type ${type} is not built yet`;
}

/** Why a cache cannot be imported, and what to do. */
export function unusableSource(type: string): string {
  return `${unusable("from", type)}: type=registry names an image that has its cache inside, type=local a directory`;
}
