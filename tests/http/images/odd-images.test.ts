// Images as other tools make them: foreign layers, blobs for lazy pulling, attestations, indexes inside indexes, artifacts.

import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REFERENCE } from "../../support/allowed-skips.js";
import { messageOf } from "../../support/engine-client.js";
import { onEngines, testExcept } from "../../support/on-engines.js";
import { startMemoryRegistry, type MemoryRegistry } from "../../support/registry/memory-registry.js";
import { askPull, pullLines, smallImage } from "../../support/registry/pulls.js";
import { digestOf, packImage, packIndex, type Blob, type PackedImage } from "../../support/registry/push-image.js";
import { skippableFrame, zstdFrame } from "../../support/registry/zstd-frame.js";

const MINE = `linux/${process.arch === "x64" ? "amd64" : process.arch}`;

onEngines(
  "an odd image",
  (engine, kind) => {
    let registry: MemoryRegistry;
    beforeAll(async () => {
      registry = await startMemoryRegistry(engine().daemon.netns.hostAddress);
    });
    afterAll(async () => registry.close());

    test("a foreign layer comes from the registry, and from nowhere else", async () => {
      const spec = await smallImage("foreign", 1);
      const type = "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip";
      const image = packImage(spec, "schema2", [{ mediaType: type, bytes: gzipSync(spec.layers[0]!) }]);
      const manifest = JSON.parse(image.manifest.bytes.toString()) as { layers: object[] };
      const urls = [`http://${registry.host}/elsewhere`];
      const bytes = Buffer.from(
        JSON.stringify({ ...manifest, layers: manifest.layers.map((one) => ({ ...one, urls })) }),
      );
      registry.put("foreign", [], image);
      registry.putManifest("foreign", "1", { ...image.manifest, bytes });
      expect(await pulled("foreign")).toBe(image.id);
      expect(registry.asked.filter((line) => line.includes("elsewhere"))).toEqual([]);
    });

    test("eStargz: a gzip of several members, with a table of contents", async () => {
      const spec = await smallImage("stargz", 1, 100_000);
      const tar = spec.layers[0]!;
      const members = [tar.subarray(0, 512), tar.subarray(512, 40_000), tar.subarray(40_000)].map((part) =>
        gzipSync(part),
      );
      const type = "application/vnd.oci.image.layer.v1.tar+gzip";
      const image = packImage(spec, "oci", [{ mediaType: type, bytes: Buffer.concat(members) }]);
      registry.put("stargz", ["1"], image);
      expect(await pulled("stargz")).toBe(image.id);
    });

    testExcept(kind, { reference: REFERENCE.zstd })("zstd:chunked: frames, and some to skip", async () => {
      const spec = await smallImage("chunked", 1, 100_000);
      const tar = spec.layers[0]!;
      const bytes = Buffer.concat([
        zstdFrame(tar.subarray(0, 512)),
        skippableFrame(Buffer.from("in between")),
        zstdFrame(tar.subarray(512)),
        skippableFrame(Buffer.alloc(1000, "table of contents")),
      ]);
      const image = packImage(spec, "oci", [{ mediaType: "application/vnd.oci.image.layer.v1.tar+zstd", bytes }]);
      registry.put("chunked", ["1"], image);
      expect(await pulled("chunked")).toBe(image.id);
    });

    test("an attestation in an index is no image", async () => {
      const [said, own] = [await packed("said"), await packed("own")];
      const index = withAnnotation(
        packIndex([
          ["unknown/unknown", said],
          [MINE, own],
        ]),
      );
      for (const image of [said, own]) registry.put("attested", [], image);
      registry.putManifest("attested", "1", index);
      expect(await pulled("attested")).toBe(own.id);
      expect((await engine().call("GET", `/images/${said.id}/json`)).status).toBe(404);
    });

    testExcept(kind, { reference: REFERENCE.nestedIndex })("an index inside an index is followed", async () => {
      const image = await packed("nested");
      const inner = packIndex([[MINE, image]]);
      const entry = { ...image, manifest: inner };
      const outer = packIndex([[MINE, entry]]);
      registry.put("nested", [], image);
      registry.putManifest("nested", "inner", inner);
      registry.putManifest("nested", "1", outer);
      expect(await pulled("nested")).toBe(image.id);
      const { RepoDigests } = await engine().read<{ RepoDigests: string[] }>(`/images/${image.id}/json`);
      expect(RepoDigests).toEqual([`${registry.host}/nested@${digestOf(outer.bytes)}`]);
    });

    test.each([
      ["application/vnd.docker.plugin.v1+json", "plugin"],
      ["application/vnd.example.thing+json", "unknown"],
    ])("what is no image is refused: %s", async (mediaType, word) => {
      const image = await packed("thing");
      const manifest = JSON.parse(image.manifest.bytes.toString()) as { config: object };
      const bytes = Buffer.from(JSON.stringify({ ...manifest, config: { ...manifest.config, mediaType } }));
      registry.put("thing", [], image);
      registry.putManifest("thing", "1", { ...image.manifest, bytes });
      const answer = await askPull(engine(), `fromImage=${registry.host}/thing&tag=1`);
      expect([answer.status, messageOf(answer)]).toEqual([
        engine().expected("no-image", 400, 500),
        `Encountered remote "${mediaType}"(${word}) when fetching`,
      ]);
    });

    /** The id of the image that a pull brings. */
    async function pulled(name: string): Promise<string> {
      const lines = await pullLines(engine(), `fromImage=${registry.host}/${name}&tag=1`);
      expect(lines.at(-1)).toEqual({ status: `Status: Downloaded newer image for ${registry.host}/${name}:1` });
      return (await engine().read<{ Id: string }>(`/images/${registry.host}/${name}:1/json`)).Id;
    }

    async function packed(name: string): Promise<PackedImage> {
      return packImage(await smallImage(name, 1));
    }
  },
  { flags: ["--insecure-registry", "10.213.0.0/16"] },
);

/** As BuildKit marks an attestation. */
function withAnnotation(index: Blob): Blob {
  const document = JSON.parse(index.bytes.toString()) as { manifests: { platform: { os: string } }[] };
  const annotations = { "vnd.docker.reference.type": "attestation-manifest" };
  const manifests = document.manifests.map((one) => (one.platform.os === "unknown" ? { ...one, annotations } : one));
  return { ...index, bytes: Buffer.from(JSON.stringify({ ...document, manifests })) };
}
