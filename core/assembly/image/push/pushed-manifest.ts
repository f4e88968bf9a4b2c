// The manifest of a pushed image (surface §4.4). It looks as Docker writes it, so that the same image with the same blobs
// has the same digest, whichever engine pushed it.

import { BlobCompression, SentBlob } from "../../../../build/bindings/types";
import { encodeUtf8 } from "../../text/utf8";
import { Image } from "../image";

const MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";
const CONFIG = "application/vnd.docker.container.image.v1+json";
const LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip";
const OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const OCI_CONFIG = "application/vnd.oci.image.config.v1+json";
const OCI_LAYER = "application/vnd.oci.image.layer.v1.tar";

export class PushedManifest {
  constructor(
    readonly mediaType: string,
    readonly bytes: Uint8Array,
  ) {}
}

/** `blobs`: of the layers, the base layer's first. Docker's own format has only a media type for gzip. */
export function pushedManifest(image: Image, blobs: SentBlob[]): PushedManifest {
  const isDockers = blobs.every((blob) => blob.compression == BlobCompression.Gzip);
  const mediaType = isDockers ? MANIFEST : OCI_MANIFEST;
  const layers: string[] = [];
  for (let i = 0; i < blobs.length; i++) {
    layers.push("      " + descriptor(isDockers ? LAYER : ociType(blobs[i]), blobs[i].size, blobs[i].digest, 6));
  }
  const config = descriptor(isDockers ? CONFIG : OCI_CONFIG, image.config.length, image.id, 3);
  const list = layers.length == 0 ? "[]" : `[\n${layers.join(",\n")}\n   ]`;
  const text =
    `{\n   "schemaVersion": 2,\n   "mediaType": "${mediaType}",\n` + `   "config": ${config},\n   "layers": ${list}\n}`;
  return new PushedManifest(mediaType, encodeUtf8(text));
}

function ociType(blob: SentBlob): string {
  if (blob.compression == BlobCompression.Gzip) return `${OCI_LAYER}+gzip`;
  return blob.compression == BlobCompression.Zstd ? `${OCI_LAYER}+zstd` : OCI_LAYER;
}

/** `columns`: how far the closing brace is indented. */
function descriptor(mediaType: string, size: u64, digest: string, columns: i32): string {
  const end = " ".repeat(columns);
  const inner = end + "   ";
  const fields = [`"mediaType": "${mediaType}"`, `"size": ${size}`, `"digest": "${digest}"`];
  return `{\n${inner}${fields.join(`,\n${inner}`)}\n${end}}`;
}
