// A registry that lies: each of its images except one has content that does not match its description (OCI
// distribution spec, "Pulling manifests" and "Pulling blobs"; OCI image spec, descriptors and `rootfs.diff_ids`). A
// pull detects this.

import { digestOf } from "../../../hosts/registry/digest.js";
import type { Transport, TransportResponse } from "../../../hosts/registry/transport.js";
import { sharedCatalogue } from "../../../hosts/simulated/registry/catalogue.js";
import { HUB } from "../../../hosts/simulated/registry/images.js";
import { MANIFEST, MANIFEST_LIST } from "../../../hosts/simulated/registry/packing.js";

const HOST = "liar.example";
/** What is wrong: a manifest's bytes; a layer's size, too large or too small; a config's size; a layer's content. */
const LIES = ["manifest", "more", "less", "config", "diff-id"] as const;
/** The names of its images. */
export const LYING: readonly string[] = LIES.map(nameOf);
/** Images whose pull always fails. A wrong size of a layer is not noticed if the layer is already present. */
export const UNBELIEVABLE: readonly string[] = ["manifest", "diff-id"].map(nameOf);
export const HONEST = nameOf("honest");

interface Descriptor {
  mediaType: string;
  size: number;
  digest: string;
}

interface Manifest {
  mediaType: string;
  config: Descriptor;
  layers: [Descriptor];
}

type Served = readonly [path: string, type: string, bytes: Uint8Array];

let served: ReadonlyMap<string, Served> | null = null;

/** No other host exists. */
export const liar: Transport = async ({ url }) => {
  const { host, pathname } = new URL(url);
  if (host !== HOST) throw Object.assign(new Error(`no such host: ${host}`), { code: "ENOTFOUND" });
  served ??= new Map(["honest", ...LIES].flatMap(imageOf).map((one) => [one[0], one]));
  const [, type, bytes] = served.get(pathname) ?? ["", "text/plain", new Uint8Array()];
  return answer(bytes.length > 0 || pathname === "/v2/" ? 200 : 404, type, bytes);
};

function nameOf(lie: string): string {
  return `${HOST}/hello:${lie}`;
}

function answer(status: number, type: string, bytes: Uint8Array): TransportResponse {
  const headers: Record<string, string> = { "content-type": type, "content-length": String(bytes.length) };
  return { status, header: (name) => headers[name] ?? null, body: whole(bytes), cancel: () => {} };
}

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Everything that the registry serves for an image. */
function imageOf(lie: string): Served[] {
  const truth = sharedCatalogue.repository(HUB, "library/hello-world")!;
  const manifest = read<Manifest>(truth.manifest("latest", true)!.bytes);
  const [layer] = manifest.layers;
  const blobs = [manifest.config, layer].map(({ digest }) => blob(digest, truth.blob(digest)!));
  if (lie === "more") layer.size += 1;
  if (lie === "less") layer.size -= 1;
  if (lie === "config") manifest.config.size += 1;
  if (lie === "diff-id") {
    const config = read<object>(truth.blob(manifest.config.digest)!);
    const told = written({ ...config, rootfs: { type: "layers", diff_ids: [digestOf(written(lie))] } });
    Object.assign(manifest.config, { size: told.length, digest: digestOf(told) });
    blobs.push(blob(digestOf(told), told));
  }
  if (lie !== "manifest") return [...blobs, document(lie, MANIFEST, manifest)];
  const promised = written({ ...manifest, annotations: { is: "promised" } });
  const platform = { architecture: "amd64", os: "linux" };
  const [size, digest] = [promised.length, digestOf(promised)];
  const manifests = [{ mediaType: MANIFEST, size, digest, platform }];
  return [
    ...blobs,
    document(lie, MANIFEST_LIST, { schemaVersion: 2, mediaType: MANIFEST_LIST, manifests }),
    document(digest, MANIFEST, { ...manifest, annotations: { is: "supplied" } }),
  ];
}

function blob(digest: string, bytes: Uint8Array): Served {
  return [`/v2/hello/blobs/${digest}`, "application/octet-stream", bytes];
}

function document(reference: string, type: string, value: object): Served {
  return [`/v2/hello/manifests/${reference}`, type, written(value)];
}

function read<Value>(bytes: Uint8Array): Value {
  return JSON.parse(new TextDecoder().decode(bytes)) as Value;
}

function written(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
