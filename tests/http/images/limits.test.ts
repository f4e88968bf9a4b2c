// Limits against images that are made to harm: each has a key, and the error names it.

import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect } from "vitest";
import { REFERENCE } from "../../support/allowed-skips.js";
import { dockerArchive, type ImageSpec } from "../../support/archives/images.js";
import { rawTar } from "../../support/archives/tar.js";
import type { Json } from "../../support/engine-client.js";
import { onEngines, testExcept } from "../../support/on-engines.js";
import { startMemoryRegistry, type MemoryRegistry } from "../../support/registry/memory-registry.js";
import { askPull, linesOf, smallImage } from "../../support/registry/pulls.js";
import { packImage, type PackedImage } from "../../support/registry/push-image.js";
import { buildOn } from "../builds/building.js";

const [DOCUMENT, LAYERS, UNPACKED] = [1 << 20, 3, 3 << 20];

onEngines(
  "limits of images",
  (engine, kind) => {
    const test = testExcept(kind, { reference: REFERENCE.ours });
    let registry: MemoryRegistry;
    beforeAll(async () => {
      registry = await startMemoryRegistry(engine().daemon.netns.hostAddress);
    });
    afterAll(async () => registry?.close());

    const pulled = async (image: PackedImage): Promise<string> => {
      registry.put("limits", ["1"], image);
      return (await askPull(engine(), `fromImage=${registry.host}/limits&tag=1`)).text;
    };
    const images = (): Promise<Json[]> => engine().read<Json[]>("/images/json?all=1");

    test("hold for a manifest", async () => {
      const made = packImage(await smallImage("manifest", 1));
      const document = { ...JSON.parse(String(made.manifest.bytes)), annotations: { long: "x".repeat(DOCUMENT) } };
      const manifest = { ...made.manifest, bytes: Buffer.from(JSON.stringify(document)) };
      expect(await pulled({ ...made, manifest })).toContain(
        `answer is longer than ${DOCUMENT} bytes, as max-document-size allows`,
      );
    });

    test("hold for a config", async () => {
      const spec = await smallImage("config", 1);
      const made = packImage({ ...spec, config: { Labels: { long: "x".repeat(DOCUMENT) } } });
      const sentence = `is larger than ${DOCUMENT} bytes, as max-document-size allows`;
      expect(await pulled(made)).toContain(`blob ${made.id} ${sentence}`);
      const archive = await dockerArchive([{ ...spec, config: { Labels: { long: "x".repeat(DOCUMENT) } } }]);
      expect((await engine().call("POST", "/images/load?quiet=1", archive)).text).toContain(sentence);
    });

    test("hold for the number of layers, wherever an image comes from", async () => {
      const sentence = `max depth exceeded: ${LAYERS + 1} layers are more than ${LAYERS}, as max-image-layers allows`;
      const spec: ImageSpec = await smallImage("layers", LAYERS + 1);
      expect(await pulled(packImage(spec))).toContain(sentence);
      expect((await engine().call("POST", "/images/load?quiet=1", await dockerArchive([spec]))).text).toContain(
        sentence,
      );
      const { error } = await buildOn(engine(), "FROM busybox\nCOPY a /\nCOPY b /\nCOPY c /\n", [
        { name: "a", body: "a" },
        { name: "b", body: "b" },
        { name: "c", body: "c" },
      ]);
      expect(error?.["error"]).toContain(sentence);
    });

    test("hold for a layer by the size that its manifest tells: it is not asked for", async () => {
      const made = packImage(await smallImage("told", 1));
      const document = JSON.parse(String(made.manifest.bytes)) as { layers: { size: number; digest: string }[] };
      document.layers[0]!.size = UNPACKED + 1;
      const manifest = { ...made.manifest, bytes: Buffer.from(JSON.stringify(document)) };
      const { digest } = document.layers[0]!;
      expect(await pulled({ ...made, manifest })).toContain(
        `layer ${digest} is larger than ${UNPACKED} bytes, as max-unpacked-size allows`,
      );
      expect(registry.asked.filter((asked) => asked.endsWith(digest))).toEqual([]);
    });

    test("hold for a layer without end: no more is read than its manifest tells", async () => {
      const made = packImage(await smallImage("endless", 1));
      const { bytes } = made.layers[0]!;
      let sent = 0;
      registry.fault((_request, response, asked) => {
        if (asked === null || !asked.equals(bytes)) return false;
        response.writeHead(200, { "content-type": "application/octet-stream" });
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(64 << 10))) sent += 64 << 10;
        };
        response.on("drain", more);
        more();
        return true;
      }, "limits");
      const text = await pulled(made);
      registry.fault(null, "limits");
      expect(text).toContain(`filesystem layer verification failed for digest`);
      expect(sent).toBeLessThan(16 << 20);
    });

    test("hold for a layer after decompression", async () => {
      const tar = rawTar([{ name: "zeros", body: Buffer.alloc(UNPACKED) }]);
      const layer = { mediaType: "application/vnd.docker.image.rootfs.diff.tar.gzip", bytes: gzipSync(tar) };
      const made = packImage({ reference: null, config: {}, layers: [tar] }, "schema2", [layer]);
      const before = await images();
      expect(await pulled(made)).toContain(
        `unpacked, it is larger than ${UNPACKED} bytes, as max-unpacked-size allows`,
      );
      expect(await images()).toEqual(before);
    });

    test("leave an image within them alone", async () => {
      const made = packImage(await smallImage("small", LAYERS));
      registry.put("small", ["1"], made);
      const lines = linesOf(await askPull(engine(), `fromImage=${registry.host}/small&tag=1`));
      expect(lines.at(-1)?.["status"]).toContain("Downloaded newer image");
    });
  },
  {
    flags: ["--insecure-registry", "10.213.0.0/16"],
    ownFlags: ["--max-document-size", "1m", "--max-image-layers", "3", "--max-unpacked-size", "3m"],
  },
);
