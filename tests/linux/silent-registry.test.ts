// A registry that stops sending: each silence times out, received bytes are kept, and a failed pull ends with Docker's
// error and leaves nothing incomplete. The number of retries of a layer, and the end after silent retries, are tested
// for the core: tests/core/image/pull/pull-retries.test.ts.
import { expect, test } from "vitest";
import { EngineClient } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { tarOf } from "../support/archives/images.js";
import { startMemoryRegistry } from "../support/registry/memory-registry.js";
import { describeUnless } from "../support/on-engines.js";
import { digestOf, packImage } from "../support/registry/push-image.js";

/** One silence and the pause after it take about 40 s. */
const LIMIT_MS = 180_000;

describeUnless(missingLinux(), "a registry that stops sending", () => {
  test(
    "before the manifest: an HTTP error; in a layer: an error in the stream",
    async () => {
      const daemon = await startCoracle(["--insecure-registry", "10.213.0.0/16"]);
      const registry = await startMemoryRegistry(daemon.netns.hostAddress);
      try {
        const engine = new EngineClient(daemon.socketPath);
        const layer = await tarOf([{ name: "x", body: Buffer.alloc(100_000, "x") }]);
        const image = packImage({ reference: null, config: { Cmd: ["x"] }, layers: [layer] });
        registry.put("layer", ["1"], image);
        const blob = digestOf(image.layers[0]?.bytes ?? Buffer.alloc(0));
        const ranges: (string | undefined)[] = [];
        registry.fault((request, response, bytes) => {
          if (request.url?.startsWith("/v2/manifest/") === true) return true;
          if (bytes === null || request.url?.endsWith(blob) !== true) return false;
          ranges.push(request.headers.range);
          if (ranges.length > 1) {
            response.writeHead(403).end();
            return true;
          }
          response.writeHead(200, { "Content-Length": bytes.length });
          response.write(bytes.subarray(0, 10));
          return true;
        });
        const pull = (name: string): ReturnType<EngineClient["call"]> =>
          engine.call("POST", `/images/create?fromImage=${registry.host}/${name}&tag=1`, undefined, {
            timeoutMs: LIMIT_MS,
          });
        const [manifest, stream] = await Promise.all([pull("manifest"), pull("layer")]);
        expect(manifest.status).toBe(500);
        expect(stream.status).toBe(200);
        expect(stream.text).toContain('"status":"Retrying in 5 seconds"');
        expect(ranges).toEqual([undefined, "bytes=10-"]);
        const last = JSON.parse(stream.text.trimEnd().split("\r\n").at(-1) ?? "") as object;
        expect(Object.keys(last).sort()).toEqual(["error", "errorDetail"]);
        expect((await engine.call("GET", `/images/${image.id}/json`)).status).toBe(404);
      } finally {
        await registry.close();
        await daemon.close();
      }
    },
    LIMIT_MS + 20_000,
  );
});
