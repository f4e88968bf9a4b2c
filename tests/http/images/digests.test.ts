// Images by digests of other algorithms than SHA-256: the manifest is what the digest says, and the image has that name.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { onEngines } from "../../support/on-engines.js";
import { startMemoryRegistry, type MemoryRegistry } from "../../support/registry/memory-registry.js";
import { askPull, linesOf, smallImage } from "../../support/registry/pulls.js";
import { packImage, type PackedImage } from "../../support/registry/push-image.js";

onEngines(
  "digests",
  (engine) => {
    let [registry, image, name]: [MemoryRegistry, PackedImage, string] = [] as never;
    beforeAll(async () => {
      registry = await startMemoryRegistry(engine().daemon.netns.hostAddress);
      image = packImage(await smallImage("digests", 2));
      registry.put("digests", ["1"], image);
      name = `${registry.host}/digests`;
    });
    afterAll(async () => registry?.close());

    test("a pull by SHA-512", async () => {
      const digest = sha512(image.manifest.bytes);
      registry.putManifest("digests", digest, image.manifest);
      const lines = linesOf(await askPull(engine(), `fromImage=${name}@${digest}`));
      expect(lines.map(({ status }) => status)).toContain(`Digest: ${digest}`);
      expect(lines.at(-1)).toEqual({ status: `Status: Downloaded newer image for ${name}@${digest}` });
      const found = await engine().read<{ Id: string; RepoDigests: string[] }>(`/images/${name}@${digest}/json`);
      expect([found.Id, found.RepoDigests]).toEqual([image.id, [`${name}@${digest}`]]);
      await engine().must(200, "DELETE", `/images/${name}@${digest}`);
    });

    test("a manifest with another digest is refused", async () => {
      const digest = sha512(Buffer.from("another"));
      registry.putManifest("digests", digest, image.manifest);
      // The reference tells it in the stream.
      const { text } = await askPull(engine(), `fromImage=${name}@${digest}`);
      expect(text).toContain(`manifest verification failed for digest ${digest}`);
      expect((await engine().call("GET", `/images/${name}@${digest}/json`)).status).toBe(404);
    });
  },
  { flags: ["--insecure-registry", "10.213.0.0/16"] },
);

function sha512(bytes: Uint8Array): string {
  return `sha512:${createHash("sha512").update(bytes).digest("hex")}`;
}
