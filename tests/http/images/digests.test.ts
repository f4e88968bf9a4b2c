// Images by digests of other algorithms than SHA-256: each part is what its digest says, and the image has that name.
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Json } from "../../support/engine-client.js";
import { onEngines } from "../../support/on-engines.js";
import { dockerRegistryMissing, startDockerRegistry } from "../../support/registry/docker-registry.js";
import { startMemoryRegistry, type MemoryRegistry } from "../../support/registry/memory-registry.js";
import { askPull, linesOf, smallImage } from "../../support/registry/pulls.js";
import { packImage, type Blob, type PackedImage } from "../../support/registry/push-image.js";

onEngines(
  "digests",
  (engine, kind) => {
    let [registry, image, name]: [MemoryRegistry, PackedImage, string] = [] as never;
    beforeAll(async () => {
      registry = await startMemoryRegistry(engine().daemon.netns.hostAddress);
      image = packImage(await smallImage("digests", 2));
      registry.put("digests", ["1"], image);
      name = `${registry.host}/digests`;
    });
    afterAll(async () => registry?.close());

    test("a pull by SHA-512", async () => {
      const digest = by("sha512", image.manifest.bytes);
      registry.putManifest("digests", digest, image.manifest);
      const lines = linesOf(await askPull(engine(), `fromImage=${name}@${digest}`));
      expect(lines.map(({ status }) => status)).toContain(`Digest: ${digest}`);
      expect(lines.at(-1)).toEqual({ status: `Status: Downloaded newer image for ${name}@${digest}` });
      const found = await engine().read<{ Id: string; RepoDigests: string[] }>(`/images/${name}@${digest}/json`);
      expect([found.Id, found.RepoDigests]).toEqual([image.id, [`${name}@${digest}`]]);
      await engine().must(200, "DELETE", `/images/${name}@${digest}`);
    });

    test("a manifest with another digest is refused", async () => {
      const digest = by("sha512", Buffer.from("another"));
      registry.putManifest("digests", digest, image.manifest);
      // The reference tells it in the stream.
      const { text } = await askPull(engine(), `fromImage=${name}@${digest}`);
      expect(text).toContain(`manifest verification failed for digest ${digest}`);
      expect((await engine().call("GET", `/images/${name}@${digest}/json`)).status).toBe(404);
    });

    test("a config and layers by SHA-512", async () => {
      const made = packImage(await smallImage("parts", 2));
      const parts = [made.config, ...made.layers];
      for (const { bytes } of parts) registry.putBlob("parts", by("sha512", bytes), bytes);
      registry.putManifest("parts", "1", manifestOf(made));
      const lines = linesOf(await askPull(engine(), `fromImage=${registry.host}/parts&tag=1`));
      const ids = made.layers.map(({ bytes }) => by("sha512", bytes).slice(7, 19));
      expect(lines.filter(({ status }) => status === "Pull complete").map(({ id }) => id)).toEqual(ids);
      expect((await engine().read<{ Id: string }>(`/images/${registry.host}/parts:1/json`)).Id).toBe(made.id);
    });

    test.each(["config", "layer"] as const)("a %s with another digest by SHA-512 is refused", async (wrong) => {
      const made = packImage(await smallImage("wrong", 1));
      const { bytes: named } = wrong === "config" ? made.config : made.layers[0]!;
      for (const { bytes } of [made.config, ...made.layers]) {
        registry.putBlob("wrong", by("sha512", bytes), bytes === named ? changed(bytes) : bytes);
      }
      registry.putManifest("wrong", wrong, manifestOf(made));
      const { text } = await askPull(engine(), `fromImage=${registry.host}/wrong&tag=${wrong}`);
      expect(text).toContain(`verification failed for digest ${by("sha512", named)}`);
      expect((await engine().call("GET", `/images/${registry.host}/wrong:${wrong}/json`)).status).toBe(404);
    });

    test("layers by SHA-512 are pushed as what they came as, unless the registry has them", async () => {
      const made = packImage(await smallImage("passed-on", 2));
      for (const { bytes } of [made.config, ...made.layers]) registry.putBlob("passed-on", by("sha512", bytes), bytes);
      registry.putManifest("passed-on", "1", manifestOf(made));
      await askPull(engine(), `fromImage=${registry.host}/passed-on&tag=1`);
      const real = await startDockerRegistry(engine().daemon.netns);
      try {
        await engine().must(201, "POST", `/images/${registry.host}/passed-on:1/tag?repo=${real.host}/passed-on&tag=1`);
        const push = async (): Promise<Json[]> =>
          linesOf(
            await engine().call("POST", `/images/${real.host}/passed-on/push?tag=1`, undefined, { headers: ANONYMOUS }),
          );
        expect((await push()).filter(({ status }) => status === "Pushed")).toHaveLength(2);
        const answer = await fetch(`${real.url}/v2/passed-on/manifests/1`, {
          headers: { accept: made.manifest.mediaType },
        });
        const manifest = (await answer.json()) as { config: { digest: string }; layers: { digest: string }[] };
        expect(manifest.config.digest).toBe(made.id);
        const layers = await Promise.all(
          manifest.layers.map(async ({ digest }) => fetch(`${real.url}/v2/passed-on/blobs/${digest}`)),
        );
        const bytes = await Promise.all(layers.map(async (layer) => Buffer.from(await layer.arrayBuffer())));
        expect(bytes.map((blob) => by("sha512", gunzipSync(blob)))).toEqual(
          made.layers.map((layer) => by("sha512", gunzipSync(layer.bytes))),
        );
        if (kind !== "reference") {
          expect(manifest.layers.map(({ digest }) => digest)).toEqual(
            made.layers.map((one) => by("sha512", one.bytes)),
          );
        }
        expect((await push()).filter(({ status }) => status === "Layer already exists")).toHaveLength(2);
        // Others get the same image from there.
        for (const host of [registry.host, real.host])
          await engine().must(200, "DELETE", `/images/${host}/passed-on:1`);
        const pulled = linesOf(await askPull(engine(), `fromImage=${real.host}/passed-on&tag=1`));
        expect(pulled.filter(({ status }) => status === "Pull complete")).toHaveLength(2);
        expect((await engine().read<{ Id: string }>(`/images/${real.host}/passed-on:1/json`)).Id).toBe(made.id);
      } finally {
        await real.close();
      }
    });

    // The reference does not verify bytes by algorithms that it does not know.
    if (kind !== "reference") {
      test("an unknown algorithm is refused by name, unless it is another platform's", async () => {
        const made = packImage(await smallImage("unknown", 1));
        const unknown = `blake3:${"a".repeat(64)}`;
        registry.put("unknown", ["good"], made);
        registry.putManifest(
          "unknown",
          "bad",
          manifestOf(made, () => unknown),
        );
        const { text } = await askPull(engine(), `fromImage=${registry.host}/unknown&tag=bad`);
        expect(JSON.parse(text)).toEqual({ message: `invalid manifest: unsupported digest algorithm: "${unknown}"` });
        const entry = (digest: string, architecture: string): object => ({
          ...{ mediaType: made.manifest.mediaType, digest, size: made.manifest.bytes.length },
          platform: { os: "linux", architecture },
        });
        const manifests = [entry(unknown, "s390x"), entry(made.digest, OWN)];
        const index = { schemaVersion: 2, mediaType: INDEX, manifests };
        registry.putManifest("unknown", "index", { mediaType: INDEX, bytes: Buffer.from(JSON.stringify(index)) });
        const lines = linesOf(await askPull(engine(), `fromImage=${registry.host}/unknown&tag=index`));
        expect(lines.at(-1)?.["status"]).toContain("Downloaded newer image");
      });
    }
  },
  { flags: ["--insecure-registry", "10.213.0.0/16"], missing: dockerRegistryMissing() },
);

const ANONYMOUS = { "X-Registry-Auth": Buffer.from("{}").toString("base64url") };
const INDEX = "application/vnd.oci.image.index.v1+json";
/** The machine's architecture, in the words of images. */
const OWN = process.arch === "x64" ? "amd64" : process.arch;

function by(algorithm: string, bytes: Uint8Array): string {
  return `${algorithm}:${createHash(algorithm).update(bytes).digest("hex")}`;
}

function changed(bytes: Uint8Array): Buffer {
  const other = Buffer.from(bytes);
  other[other.length - 1] = other[other.length - 1]! ^ 1;
  return other;
}

/** A manifest that names the parts of an image by other digests. */
function manifestOf(
  { manifest, config, layers }: PackedImage,
  digestOf = (bytes: Uint8Array): string => by("sha512", bytes),
): Blob {
  const named = ({ mediaType, bytes }: Blob): object => ({ mediaType, size: bytes.length, digest: digestOf(bytes) });
  const document = { ...{ schemaVersion: 2, mediaType: manifest.mediaType }, config: named(config) };
  return { ...manifest, bytes: Buffer.from(JSON.stringify({ ...document, layers: layers.map(named) })) };
}
