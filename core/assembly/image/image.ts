// An image: the bytes of its config, and what the engine reads from them (surface §4.5).

import { Json, JsonKind } from "../json/json";
import { jsonError, parseJson } from "../json/reader";
import { digestOf } from "../text/sha256";
import { BAD_TIME, NO_TIME, parseTime } from "../text/time";
import { configProblem } from "./config-problem";
import { chainsOf } from "./layers/chain";
import { Platform } from "./platform";
import { depthProblem } from "./limits";
import { ImageRecord } from "./records";
import { isDigest, Reference } from "./reference";

export class ImageLayer {
  constructor(
    readonly diffId: string,
    readonly chain: string,
  ) {}
}

export class Image extends ImageRecord {
  /** The base layer comes first. */
  layers: ImageLayer[] = [];
  /** Size of all files in its layers, in bytes. */
  size: u64 = 0;
  /** Nanoseconds since 1970; `NO_TIME` for none. */
  created: i64 = NO_TIME;
  os: string = "";
  osVersion: string = "";
  architecture: string = "";
  variant: string = "";
  author: string = "";
  comment: string = "";
  /** What its newest step was, by its history; empty if that does not tell. */
  madeBy: string = "";
  dockerVersion: string = "";
  /** Id of the container that it was committed from, or empty. */
  container: string = "";
  labelKeys: string[] = [];
  labelValues: string[] = [];
  /** Tags and digests of the image, sorted by their text. */
  references: Reference[] = [];
  /** How many operations need it as it is: no prune of the builder removes it. */
  holders: i32 = 0;

  constructor(
    /** `sha256:` and the hex digits of the config's digest. */
    readonly id: string,
    /** The bytes as received: the id is their digest. */
    readonly config: Uint8Array,
  ) {
    super();
  }

  /** Takes over the fields of its record. */
  recall(record: ImageRecord): void {
    this.parent = record.parent;
    this.lastTagged = record.lastTagged;
    this.built = record.built;
    this.onlyCache = record.onlyCache;
    this.lastUsed = record.lastUsed;
    this.uses = record.uses;
    this.repositories = record.repositories;
  }

  /** ChainID of all its layers; null if it has no layers. */
  get chain(): string | null {
    const layers = this.layers;
    return layers.length == 0 ? null : layers[layers.length - 1].chain;
  }

  hasLayer(chain: string): bool {
    for (let i = 0; i < this.layers.length; i++) if (this.layers[i].chain == chain) return true;
    return false;
  }

  /** 12 digits, without `sha256:`. */
  get shortId(): string {
    return this.id.slice(7, 19);
  }

  get platform(): Platform {
    return new Platform(this.os, this.architecture, this.variant);
  }

  /** The whole config. */
  document(): Json {
    const document = parseJson(this.config);
    return document === null ? Json.object() : document;
  }

  /** The defaults for containers: `config` in the image's config; an empty object if there is none. */
  containerConfig(): Json {
    const config = this.document().find("config");
    return config === null || !config.isObject ? Json.object() : config;
  }

  get tags(): string[] {
    const tags: string[] = [];
    for (let i = 0; i < this.references.length; i++) {
      if (this.references[i].digest.length == 0) tags.push(this.references[i].familiar);
    }
    return tags;
  }

  get digests(): string[] {
    const digests: string[] = [];
    for (let i = 0; i < this.references.length; i++) {
      if (this.references[i].digest.length > 0) digests.push(this.references[i].familiar);
    }
    return digests;
  }
}

/** An image, or why the bytes are invalid. */
export class ParsedImage {
  constructor(
    readonly image: Image | null,
    readonly error: string,
  ) {}
}

/** Reads an image from outside. `withoutLayers`: the error for a config without `rootfs`. */
export function admitImage(bytes: Uint8Array, withoutLayers: string): ParsedImage {
  const document = parseJson(bytes);
  if (document === null) return unusable(jsonError());
  const problem = configProblem(document, withoutLayers);
  return problem.length > 0 ? unusable(problem) : newImage(bytes);
}

/** Reads an image that is being made. */
export function newImage(bytes: Uint8Array): ParsedImage {
  const parsed = parseImage(bytes);
  const problem = parsed.image === null ? "" : depthProblem(parsed.image!.layers.length);
  return problem.length > 0 ? unusable(problem) : parsed;
}

/** Reads an image of ours. It may have more layers than new ones may have by now. */
export function parseImage(bytes: Uint8Array): ParsedImage {
  const document = parseJson(bytes);
  if (document === null) return unusable(jsonError());
  if (!document.isObject) return unusable("invalid image configuration: not an object");
  const rootfs = document.find("rootfs");
  const diffIds: Json | null = rootfs === null ? null : rootfs.find("diff_ids");
  if (rootfs === null || !rootfs.isObject) return unusable("invalid rootfs in image configuration");
  const image = new Image(digestOf(bytes), bytes);
  if (diffIds !== null && !takeLayers(image, diffIds)) return unusable("invalid rootfs in image configuration");
  takeFacts(image, document);
  takeLabels(image, document);
  return new ParsedImage(image, "");
}

function unusable(error: string): ParsedImage {
  return new ParsedImage(null, error);
}

function takeLayers(image: Image, diffIds: Json): bool {
  if (diffIds.isNull) return true;
  if (!diffIds.isArray) return false;
  const ids = diffIds.strings();
  if (ids.length != diffIds.length) return false;
  for (let i = 0; i < ids.length; i++) {
    if (!isDigest(ids[i])) return false;
  }
  const chains = chainsOf(ids);
  for (let i = 0; i < ids.length; i++) image.layers.push(new ImageLayer(ids[i], chains[i]));
  return true;
}

function takeFacts(image: Image, document: Json): void {
  const created = parseTime(document.stringOf("created"));
  image.created = created == BAD_TIME ? NO_TIME : created;
  image.os = document.stringOf("os");
  image.osVersion = document.stringOf("os.version");
  image.architecture = document.stringOf("architecture");
  image.variant = document.stringOf("variant");
  image.author = document.stringOf("author");
  const newest = newestEntry(document);
  image.comment = commentOf(document, newest);
  image.madeBy = newest === null ? "" : newest.stringOf("created_by");
  image.dockerVersion = document.stringOf("docker_version");
  image.container = document.stringOf("container");
}

/** If the image itself has no comment, the newest history entry may have one. */
function commentOf(document: Json, newest: Json | null): string {
  const comment = document.stringOf("comment");
  return comment.length > 0 || newest === null ? comment : newest.stringOf("comment");
}

/** The newest entry of the history; null if there is none. */
function newestEntry(document: Json): Json | null {
  const history = document.find("history");
  if (history === null || history.length == 0 || !history.isArray) return null;
  return history.items[history.length - 1];
}

function takeLabels(image: Image, document: Json): void {
  const config = document.find("config");
  const labels: Json | null = config === null ? null : config.find("Labels");
  if (labels === null || labels.kind != JsonKind.Object) return;
  labels.takeTexts(image.labelKeys, image.labelValues);
}
