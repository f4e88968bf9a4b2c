// Manifests and indexes from registries and image layouts (surface §4.4).

import { Json } from "../json/json";
import { jsonError, parseJson } from "../json/reader";
import { badParameter, internal, Refusal } from "../refusal";
import { quoteText } from "../text/go-quote";
import { Platform } from "./platform";
import { digestProblem, hasDigestForm } from "./reference";

const MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";
const MANIFEST_LIST = "application/vnd.docker.distribution.manifest.list.v2+json";
const OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const OCI_INDEX = "application/vnd.oci.image.index.v1+json";
const SCHEMA_1 = "application/vnd.docker.distribution.manifest.v1+";

/** The media types to request from a registry. */
export const ACCEPTED: string[] = [MANIFEST, MANIFEST_LIST, OCI_MANIFEST, OCI_INDEX];

/** Media types of image configs; the last three come from old registries that did not keep the type. */
const IMAGE_CONFIGS: string[] = [
  "application/vnd.docker.container.image.v1+json",
  "application/vnd.oci.image.config.v1+json",
  "application/octet-stream",
  "text/html",
  "",
];

const PLUGIN_CONFIG = "application/vnd.docker.plugin.v1+json";

const REFERENCE_TYPE = "vnd.docker.reference.type";
const ATTESTATION = "attestation-manifest";

export class Descriptor {
  /** Platform of an entry in an index; null if it has none. */
  platform: Platform | null = null;
  /** The same as in the index, with everything that it says of the platform. */
  platformDocument: Json | null = null;
  /** It describes an image instead of being one. */
  attestation: bool = false;
  /** Names and values, such as `org.opencontainers.image.ref.name`. */
  annotations: Json = Json.object();

  constructor(
    readonly mediaType: string,
    readonly digest: string,
    readonly size: u64,
  ) {}

  /** The first 12 digits, as in progress lines. */
  get shortDigest(): string {
    return this.digest.slice(this.digest.indexOf(":") + 1).slice(0, 12);
  }
}

export class Manifest {
  /** Its media type, as far as the document, its sender or its members tell. */
  mediaType: string = "";
  /** For an index: the entries to choose from. */
  entries: Descriptor[] = [];
  config: Descriptor | null = null;
  /** The base layer comes first. */
  layers: Descriptor[] = [];

  get isIndex(): bool {
    return this.config === null;
  }

  /** The entries that are images, in order. */
  images(): Descriptor[] {
    const images: Descriptor[] = [];
    for (let i = 0; i < this.entries.length; i++) {
      if (!this.entries[i].attestation) images.push(this.entries[i]);
    }
    return images;
  }
}

/** A manifest, or why the bytes are invalid. */
export class ParsedManifest {
  constructor(
    readonly manifest: Manifest | null,
    readonly refusal: Refusal | null,
  ) {}
}

/** Only of an image, or an index. `mediaType`: see `parseAnyManifest`. */
export function parseManifest(bytes: Uint8Array, mediaType: string): ParsedManifest {
  const parsed = parseAnyManifest(bytes, mediaType);
  const config: Descriptor | null = parsed.manifest === null ? null : parsed.manifest!.config;
  if (config === null || IMAGE_CONFIGS.includes(config.mediaType)) return parsed;
  const kind = config.mediaType == PLUGIN_CONFIG ? "plugin" : "unknown";
  return refused(badParameter(`Encountered remote "${config.mediaType}"(${kind}) when fetching`));
}

/**
 * Also of artifacts that are no images. `mediaType`: came with the bytes. The document's own type takes precedence;
 * without either, its members decide.
 */
export function parseAnyManifest(bytes: Uint8Array, mediaType: string): ParsedManifest {
  const document = parseJson(bytes);
  if (document === null) return refused(internal(`invalid manifest: ${jsonError()}`));
  if (!document.isObject) return refused(internal("invalid manifest: not an object"));
  const own = document.stringOf("mediaType");
  const type = own.length > 0 ? own : mediaType;
  if (type.startsWith(SCHEMA_1) || document.i64Of("schemaVersion") == 1) return refused(schema1());
  const entries = document.find("manifests");
  const layers = document.find("layers");
  if (entries !== null && (layers !== null || document.find("config") !== null)) {
    return refused(badParameter("invalid manifest: it has both manifests and layers"));
  }
  const known = isKnownType(type);
  if (entries !== null && (isIndexType(type) || !known)) return readIndex(entries, known ? type : OCI_INDEX);
  if (entries === null && !isIndexType(type) && (known || layers !== null)) {
    return readManifest(document, layers, known ? type : OCI_MANIFEST);
  }
  return refused(badParameter(`unsupported manifest media type: ${type.length > 0 ? type : "none"}`));
}

function refused(refusal: Refusal): ParsedManifest {
  return new ParsedManifest(null, refusal);
}

function schema1(): Refusal {
  return badParameter("Docker Image manifest version 2, schema 1 support has been removed");
}

function isIndexType(type: string): bool {
  return type == MANIFEST_LIST || type == OCI_INDEX;
}

function isKnownType(type: string): bool {
  return ACCEPTED.includes(type);
}

function readIndex(entries: Json, mediaType: string): ParsedManifest {
  const manifest = new Manifest();
  manifest.mediaType = mediaType;
  for (let i = 0; i < entries.length; i++) {
    // An entry by an unknown algorithm is a problem only for those who choose it.
    if (!hasDigestForm(entries.items[i].stringOf("digest"))) return unreadable(entries.items[i]);
    const descriptor = readDescriptor(entries.items[i]);
    if (descriptor === null) return unreadable(entries.items[i]);
    takePlatform(descriptor, entries.items[i]);
    manifest.entries.push(descriptor);
  }
  return new ParsedManifest(manifest, null);
}

function readManifest(document: Json, layers: Json | null, mediaType: string): ParsedManifest {
  const member = document.find("config");
  if (member === null) return refused(internal("invalid manifest: no config"));
  const config = readVerifiable(member);
  if (config === null) return unreadable(member);
  const manifest = new Manifest();
  manifest.mediaType = mediaType;
  manifest.config = config;
  const count = layers === null ? 0 : layers.length;
  for (let i = 0; i < count; i++) {
    const layer = readVerifiable(layers!.items[i]);
    if (layer === null) return unreadable(layers!.items[i]);
    manifest.layers.push(layer);
  }
  return new ParsedManifest(manifest, null);
}

function unreadable(descriptor: Json): ParsedManifest {
  const digest = descriptor.stringOf("digest");
  const problem = digestProblem(digest);
  const text = problem.length == 0 ? "bad descriptor" : `${problem}: ${quoteText(digest)}`;
  return refused(internal(`invalid manifest: ${text}`));
}

/** Null if no bytes can be compared with it. */
function readVerifiable(json: Json): Descriptor | null {
  return digestProblem(json.stringOf("digest")).length == 0 ? readDescriptor(json) : null;
}

function readDescriptor(json: Json): Descriptor | null {
  const size = json.i64Of("size");
  if (size < 0) return null;
  const descriptor = new Descriptor(json.stringOf("mediaType"), json.stringOf("digest"), <u64>size);
  const annotations = json.find("annotations");
  if (annotations !== null && annotations.isObject) descriptor.annotations = annotations;
  return descriptor;
}

function takePlatform(descriptor: Descriptor, entry: Json): void {
  const platform = entry.find("platform");
  const about = descriptor.annotations.entry(REFERENCE_TYPE);
  if (about !== null && about.text == ATTESTATION) descriptor.attestation = true;
  if (platform === null || !platform.isObject) return;
  const os = platform.stringOf("os");
  const architecture = platform.stringOf("architecture");
  if (os == "unknown" && architecture == "unknown") descriptor.attestation = true;
  descriptor.platform = new Platform(os, architecture, platform.stringOf("variant"));
  descriptor.platformDocument = platform;
}
