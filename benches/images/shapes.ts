// The images that are moved: five layers, forty small ones, one large one, in gzip and in zstd.
import { spawnSync } from "node:child_process";
import { createCipheriv } from "node:crypto";
import { gzipSync } from "node:zlib";
import { dockerArchive, tarOf, type ImageSpec, type TarEntry } from "../../tests/support/archives/images.js";
import { findProgram } from "../../tests/support/commands.js";
import { packImage, type PackedImage } from "../../tests/support/registry/push-image.js";
import { round, type Sizes } from "../question.js";

export interface Shape {
  /** For the question. */
  readonly name: string;
  /** Uncompressed bytes of each layer. */
  readonly layers: readonly number[];
  readonly compression: "gzip" | "zstd";
}

export interface Image {
  readonly packed: PackedImage;
  /** For `docker load`, as the reference saves it. */
  readonly archive: Buffer;
  /** Sizes, for notes. */
  readonly note: string;
}

/** Of each file of a layer. */
export const FILE_BYTES = 48 << 10;
const GZIP = "application/vnd.docker.image.rootfs.diff.tar.gzip";
const ZSTD = "application/vnd.oci.image.layer.v1.tar+zstd";

export function shapesOf({ layerBytes, smallLayers, largeLayerBytes }: Sizes): Shape[] {
  const five = Array.from({ length: 5 }, () => layerBytes);
  const all: Shape[] = [
    { name: "five layers", layers: five, compression: "gzip" },
    { name: "small layers", layers: Array.from({ length: smallLayers }, () => FILE_BYTES * 4), compression: "gzip" },
    { name: "one large layer", layers: [largeLayerBytes], compression: "gzip" },
  ];
  // The reference knows no zstd, but one engine alone shows whether it is as fast as with gzip.
  if (findProgram("zstd") === null) return all;
  return [...all, { name: "five layers in zstd", layers: five, compression: "zstd" }];
}

export async function imageOf({ layers: sizes, compression }: Shape): Promise<Image> {
  const layers: Buffer[] = [];
  for (const [index, bytes] of sizes.entries()) layers.push(await layerOf(index, bytes));
  const image: ImageSpec = { reference: "loaded:1", config: { Cmd: ["true"] }, layers };
  const blobs = layers.map((layer) =>
    compression === "gzip"
      ? { mediaType: GZIP, bytes: gzipSync(layer, { level: 1 }) }
      : { mediaType: ZSTD, bytes: zstd(layer) },
  );
  const packed = packImage(image, compression === "gzip" ? "schema2" : "oci", blobs);
  const wire = blobs.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const plain = layers.reduce((sum, { length }) => sum + length, 0);
  const note = `${layers.length} layers, ${mebibytes(plain)} MiB unpacked, ${mebibytes(wire)} MiB in ${compression}`;
  return { packed, archive: await dockerArchive([image]), note };
}

/** A layer of many files. Half of its bytes cannot be compressed. */
async function layerOf(index: number, bytes: number): Promise<Buffer> {
  const noise = createCipheriv("aes-256-ctr", Buffer.alloc(32, index + 1), Buffer.alloc(16));
  const entries: TarEntry[] = [];
  for (const [file, name] of namesOf(index, bytes).entries()) {
    const random = noise.update(Buffer.alloc(FILE_BYTES / 2));
    const text = Buffer.alloc(FILE_BYTES / 2, `layer ${index} file ${file}\n`);
    entries.push({ name, body: Buffer.concat([random, text]) });
  }
  return tarOf(entries);
}

/** The names of all files of a layer. */
export function namesOf(index: number, bytes: number): string[] {
  return Array.from(
    { length: Math.ceil(bytes / FILE_BYTES) },
    (_, file) => `bench/layer${index}/${file % 100}/file${file}`,
  );
}

function zstd(bytes: Buffer): Buffer {
  const { status, stdout, error } = spawnSync("zstd", ["-1", "-c"], { input: bytes, maxBuffer: 2 ** 31 });
  if (status !== 0) throw error ?? new Error(`zstd ended with ${status}`);
  return stdout;
}

function mebibytes(bytes: number): string {
  return round(bytes / (1 << 20));
}
