// What was pushed to the simulated registries of one world. It lies over the catalogue: a pushed tag hides the
// catalogue's.

import { digestLike, digestOf } from "../../registry/index.js";
import { joined } from "../../shared/index.js";
import type { Catalogue, Repository } from "./catalogue.js";
import type { Document } from "./packing.js";

/** Bytes of blobs that all registries of a world take together. */
const ROOM = 512 << 20;
/** Uploads that are kept while nobody ends them. */
const MOST_UPLOADS = 64;

/** An upload that is not complete. */
interface Upload {
  path: string;
  bytes: Uint8Array;
}

interface Contents {
  blobs: Map<string, Uint8Array>;
  manifests: Map<string, Document>;
  /** Digests of manifests, by tag. */
  tags: Map<string, string>;
}

export class Pushed {
  readonly #catalogue: Catalogue;
  readonly #repositories = new Map<string, Contents>();
  readonly #uploads = new Map<string, Upload>();
  #count = 0;
  #used = 0;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  /** `registry-1.docker.io`, `library/busybox`. */
  repository(authority: string, path: string): Repository | undefined {
    const below = this.#catalogue.repository(authority, path);
    const own = this.#repositories.get(`${authority}/${path}`);
    return own === undefined ? below : over(own, below);
  }

  /** The name of a new upload. Older ones that nobody has ended make room. */
  open(authority: string, path: string): string {
    for (const [name, { bytes }] of this.#uploads) {
      if (this.#uploads.size < MOST_UPLOADS) break;
      this.#used -= bytes.length;
      this.#uploads.delete(name);
    }
    const name = `upload-${++this.#count}`;
    this.#uploads.set(name, { path: `${authority}/${path}`, bytes: new Uint8Array() });
    return name;
  }

  /** How many bytes of an upload are there; undefined if there is no such upload. */
  sizeOf(authority: string, path: string, name: string): number | undefined {
    const upload = this.#uploads.get(name);
    return upload?.path === `${authority}/${path}` ? upload.bytes.length : undefined;
  }

  /** False if there is no such upload, or no room for the bytes. */
  append(authority: string, path: string, name: string, bytes: Uint8Array): boolean {
    const upload = this.#uploads.get(name);
    if (upload?.path !== `${authority}/${path}` || this.#used + bytes.length > ROOM) return false;
    this.#used += bytes.length;
    upload.bytes = joined([upload.bytes, bytes]);
    return true;
  }

  /** False if the bytes do not have this digest. */
  close(name: string, digest: string): boolean {
    const upload = this.#uploads.get(name);
    if (upload === undefined) return false;
    this.#uploads.delete(name);
    if (digestLike(digest, upload.bytes) !== digest) {
      this.#used -= upload.bytes.length;
      return false;
    }
    this.#contents(upload.path).blobs.set(digest, upload.bytes);
    return true;
  }

  /** Takes a blob over from another repository; false if that one lacks it. */
  mount(authority: string, path: string, digest: string, source: string): boolean {
    const bytes = this.repository(authority, source)?.blob(digest);
    if (bytes === undefined) return false;
    this.#contents(`${authority}/${path}`).blobs.set(digest, bytes);
    return true;
  }

  /** Stores a manifest under its digest, and under a tag if the reference is one. Returns the digest. */
  tag(authority: string, path: string, reference: string, bytes: Uint8Array, mediaType: string): string {
    const contents = this.#contents(`${authority}/${path}`);
    const digest = digestOf(bytes);
    contents.manifests.set(digest, { bytes, mediaType, digest });
    if (!reference.includes(":")) contents.tags.set(reference, digest);
    return digest;
  }

  #contents(key: string): Contents {
    const known = this.#repositories.get(key);
    if (known !== undefined) return known;
    const contents: Contents = { blobs: new Map(), manifests: new Map(), tags: new Map() };
    this.#repositories.set(key, contents);
    return contents;
  }
}

function over({ blobs, manifests, tags }: Contents, below: Repository | undefined): Repository {
  return {
    account: below?.account ?? null,
    tags: () => [...new Set([...(below?.tags() ?? []), ...tags.keys()])].sort(),
    manifest: (reference, single) =>
      manifests.get(tags.get(reference) ?? reference) ?? below?.manifest(reference, single),
    blob: (digest) => blobs.get(digest) ?? below?.blob(digest),
  };
}
