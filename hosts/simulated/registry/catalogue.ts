// The catalogue's images, packed on first use. The bytes, and so the digests, are always the same.

import { CATALOGUE, HUB, type Account, type CatalogueImage, type CatalogueRepository } from "./images.js";
import { ARCHITECTURES, archiveOf, indexOf, Packer, type Document, type PackedImage } from "./packing.js";

/** A repository as its registry serves it. */
export interface Repository {
  /** The account that may pull; null if everybody may. */
  readonly account: Account | null;
  /** Sorted by name. */
  tags(): string[];
  /** A manifest by tag or digest. A tag names an index; with `single`, the first manifest of that index. */
  manifest(reference: string, single?: boolean): Document | undefined;
  blob(digest: string): Uint8Array | undefined;
}

export class Catalogue {
  readonly #packer = new Packer();
  readonly #repositories = new Map<string, PackedRepository>();

  constructor(repositories: readonly CatalogueRepository[] = CATALOGUE) {
    for (const one of repositories) {
      this.#repositories.set(`${one.authority}/${one.repository}`, new PackedRepository(one, this.#packer));
    }
  }

  /** `registry-1.docker.io`, `library/busybox`. */
  repository(authority: string, path: string): Repository | undefined {
    return this.#repositories.get(`${authority}/${path}`);
  }

  /** Paths of the repositories of a registry from which everybody may pull, sorted. */
  open(authority: string): string[] {
    const own = [...this.#repositories].filter(([key, { account }]) => key.startsWith(`${authority}/`) && !account);
    return own.map(([key]) => key.slice(authority.length + 1)).sort();
  }

  /** An archive for `docker load` of an image, by its usual name: `busybox:latest`. Throws if there is none. */
  archive(name: string, architecture = "amd64"): Uint8Array {
    const [path = "", tag = "latest"] = name.split(/:(?=[^/]*$)/);
    const isHub = !/^[^/]*[.:][^/]*\//.test(path);
    const key = isHub ? `${HUB}/${path.includes("/") ? path : `library/${path}`}` : path;
    const image = this.#repositories.get(key)?.packed(tag)?.get(architecture);
    if (!image) throw new Error(`the catalogue has no image ${name} for ${architecture}`);
    return archiveOf(image, `${path}:${tag}`);
  }
}

class PackedRepository implements Repository {
  readonly account: Account | null;
  readonly #images: readonly CatalogueImage[];
  readonly #packer: Packer;
  readonly #packed = new Map<CatalogueImage, ReadonlyMap<string, PackedImage>>();

  constructor({ account, images }: CatalogueRepository, packer: Packer) {
    this.account = account;
    this.#images = images;
    this.#packer = packer;
  }

  tags(): string[] {
    return this.#images.flatMap(({ tags }) => tags).sort();
  }

  manifest(reference: string, single = false): Document | undefined {
    const packed = this.packed(reference);
    if (packed) return single ? packed.get(ARCHITECTURES[0])?.manifest : indexOf(packed);
    for (const images of this.#all()) {
      const documents = [indexOf(images), ...[...images.values()].map(({ manifest }) => manifest)];
      const found = documents.find(({ digest }) => digest === reference);
      if (found) return found;
    }
    return undefined;
  }

  blob(digest: string): Uint8Array | undefined {
    for (const images of this.#all()) {
      for (const { config, layers } of images.values()) {
        if (config.digest === digest) return config.bytes;
        const layer = layers.find((one) => one.digest === digest);
        if (layer) return layer.blob;
      }
    }
    return undefined;
  }

  /** The images that a tag names, by architecture. */
  packed(tag: string): ReadonlyMap<string, PackedImage> | undefined {
    const image = this.#images.find(({ tags }) => tags.includes(tag));
    return image && this.#pack(image);
  }

  /** Packed images come first: a digest usually comes from one of them. */
  *#all(): Generator<ReadonlyMap<string, PackedImage>> {
    yield* [...this.#packed.values()];
    for (const image of this.#images) if (!this.#packed.has(image)) yield this.#pack(image);
  }

  #pack(image: CatalogueImage): ReadonlyMap<string, PackedImage> {
    const packed =
      this.#packed.get(image) ??
      new Map(ARCHITECTURES.map((architecture) => [architecture, this.#packer.image(image, architecture)]));
    this.#packed.set(image, packed);
    return packed;
  }
}

/** Packed once per program and shared by all worlds. Its results are never changed. */
export const sharedCatalogue = new Catalogue();
