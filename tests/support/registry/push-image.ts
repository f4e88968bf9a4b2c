// Pushes images to a registry over the distribution protocol, with exactly the bytes that a test specifies.
import { gzipSync } from "node:zlib";
import { imageConfig, sha256, type ImageSpec } from "../archives/images.js";

export interface Blob {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

export interface PackedImage {
  readonly manifest: Blob;
  readonly config: Blob;
  readonly layers: readonly Blob[];
  /** sha256 of the config: the image id of the classic store. */
  readonly id: string;
  /** Digest of the manifest. */
  readonly digest: string;
}

export interface Target {
  readonly url: string;
  readonly authorization: string | null;
}

export type Format = "schema2" | "oci";

const TYPES = {
  schema2: {
    manifest: "application/vnd.docker.distribution.manifest.v2+json",
    index: "application/vnd.docker.distribution.manifest.list.v2+json",
    config: "application/vnd.docker.container.image.v1+json",
    layer: "application/vnd.docker.image.rootfs.diff.tar.gzip",
  },
  oci: {
    manifest: "application/vnd.oci.image.manifest.v1+json",
    index: "application/vnd.oci.image.index.v1+json",
    config: "application/vnd.oci.image.config.v1+json",
    layer: "application/vnd.oci.image.layer.v1.tar+gzip",
  },
} as const;

/** An image as stored by a registry; layers are compressed with gzip unless given as blobs. */
export function packImage(image: ImageSpec, format: Format = "schema2", layers?: readonly Blob[]): PackedImage {
  const types = TYPES[format];
  const config = { mediaType: types.config, bytes: imageConfig(image) };
  const packed = layers ?? image.layers.map((layer) => ({ mediaType: types.layer, bytes: gzipSync(layer) }));
  const manifest = {
    schemaVersion: 2,
    mediaType: types.manifest,
    config: descriptor(config),
    layers: packed.map(descriptor),
  };
  const bytes = Buffer.from(JSON.stringify(manifest));
  return {
    manifest: { mediaType: types.manifest, bytes },
    config,
    layers: packed,
    id: `sha256:${sha256(config.bytes)}`,
    digest: digestOf(bytes),
  };
}

/** An index over packed images, each with its platform (`os/architecture[/variant]`). */
export function packIndex(images: readonly (readonly [string, PackedImage])[], format: Format = "oci"): Blob {
  const manifests = images.map(([platform, image]) => {
    const [os, architecture, variant] = platform.split("/");
    return {
      ...descriptor(image.manifest),
      platform: { os, architecture, ...(variant === undefined ? {} : { variant }) },
    };
  });
  const mediaType = TYPES[format].index;
  return { mediaType, bytes: Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, manifests })) };
}

/** Uploads blobs, then the manifest under its tags. */
export async function pushImage(
  target: Target,
  repository: string,
  tags: readonly string[],
  image: PackedImage,
): Promise<void> {
  for (const blob of [image.config, ...image.layers]) await pushBlob(target, repository, blob);
  for (const tag of tags) await pushManifest(target, repository, tag, image.manifest);
}

export async function pushManifest(
  target: Target,
  repository: string,
  reference: string,
  manifest: Blob,
): Promise<void> {
  const url = `${target.url}/v2/${repository}/manifests/${reference}`;
  await send(target, url, "PUT", manifest.bytes, manifest.mediaType);
}

export async function pushBlob(target: Target, repository: string, blob: Blob): Promise<void> {
  const begun = await send(target, `${target.url}/v2/${repository}/blobs/uploads/`, "POST");
  const location = new URL(begun.headers.get("location") ?? "", target.url);
  location.host = new URL(target.url).host;
  location.searchParams.set("digest", digestOf(blob.bytes));
  await send(target, location.href, "PUT", blob.bytes, "application/octet-stream");
}

export function digestOf(bytes: Uint8Array): string {
  return `sha256:${sha256(bytes)}`;
}

function descriptor(blob: Blob): { mediaType: string; size: number; digest: string } {
  return { mediaType: blob.mediaType, size: blob.bytes.length, digest: digestOf(blob.bytes) };
}

async function send(target: Target, url: string, method: string, body?: Buffer, type?: string): Promise<Response> {
  const headers: Record<string, string> = {};
  if (type !== undefined) headers["Content-Type"] = type;
  if (target.authorization !== null) headers["Authorization"] = target.authorization;
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body: new Uint8Array(body) }) });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  return response;
}
