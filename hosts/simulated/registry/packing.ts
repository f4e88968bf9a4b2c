// Images in the formats of registries and archives (distribution manifest v2, schema 2; OCI image spec, config).

import { digestOf } from "../../registry/index.js";
import { MADE_AT, packLayer, tarOf, type LayerFile, type PackedLayer } from "./files.js";
import type { CatalogueImage, Step } from "./images.js";

/** A document that a registry serves. */
export interface Document {
  bytes: Uint8Array;
  mediaType: string;
  digest: string;
}

/** An image for one architecture. */
export interface PackedImage {
  manifest: Document;
  config: Document;
  /** The base layer first. */
  layers: readonly PackedLayer[];
}

export const ARCHITECTURES = ["amd64", "arm64"] as const;
export const MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";
export const MANIFEST_LIST = "application/vnd.docker.distribution.manifest.list.v2+json";
const CONFIG = "application/vnd.docker.container.image.v1+json";
const LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip";

/**
 * Packs each layer once, for all images that share it. A layer is the same for all architectures, because the world's
 * programs are.
 */
export class Packer {
  readonly #layers = new Map<string, PackedLayer>();

  image(image: CatalogueImage, architecture: string): PackedImage {
    const layers = image.steps.flatMap(({ layer }) => (layer ? [this.#layer(layer)] : []));
    const config = document(CONFIG, configOf(image, architecture, layers));
    const manifest = document(MANIFEST, {
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: descriptor(config),
      layers: layers.map(({ blob, digest }) => ({ mediaType: LAYER, size: blob.length, digest })),
    });
    return { manifest, config, layers };
  }

  #layer({ name, files }: NonNullable<Step["layer"]>): PackedLayer {
    const packed = this.#layers.get(name) ?? packLayer(files());
    this.#layers.set(name, packed);
    return packed;
  }
}

/** The index of an image's manifests. */
export function indexOf(images: ReadonlyMap<string, PackedImage>): Document {
  const manifests = [...images].map(([architecture, { manifest }]) => {
    const variant = architecture === "arm64" ? { variant: "v8" } : {};
    return { ...descriptor(manifest), platform: { architecture, os: "linux", ...variant } };
  });
  return document(MANIFEST_LIST, { schemaVersion: 2, mediaType: MANIFEST_LIST, manifests });
}

/** The archive that `docker save` would write. */
export function archiveOf({ config, layers }: PackedImage, reference: string): Uint8Array {
  const configName = `${hex(config.digest)}.json`;
  const layerNames = layers.map(({ diffId }) => `${hex(diffId)}/layer.tar`);
  const files: LayerFile[] = [
    { path: configName, body: config.bytes },
    ...layers.map(({ tar }, index) => ({ path: layerNames[index] ?? "", body: tar })),
    {
      path: "manifest.json",
      body: JSON.stringify([{ Config: configName, RepoTags: [reference], Layers: layerNames }]),
    },
  ];
  return tarOf(files);
}

function configOf({ steps, settings }: CatalogueImage, architecture: string, layers: readonly PackedLayer[]): object {
  const created = new Date(MADE_AT * 1000).toISOString().replace(".000Z", "Z");
  return {
    architecture,
    ...(architecture === "arm64" ? { variant: "v8" } : {}),
    config: settings,
    created,
    history: steps.map(({ createdBy, layer }) => ({
      created,
      created_by: createdBy,
      comment: "buildkit.dockerfile.v0",
      ...(layer ? {} : { empty_layer: true }),
    })),
    os: "linux",
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
  };
}

function document(mediaType: string, value: object): Document {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return { bytes, mediaType, digest: digestOf(bytes) };
}

function descriptor({ mediaType, bytes, digest }: Document): { mediaType: string; size: number; digest: string } {
  return { mediaType, size: bytes.length, digest };
}

function hex(digest: string): string {
  return digest.slice("sha256:".length);
}
