// Pulls that meet, and pulls from a registry that does wrong: Docker's error, and nothing half-made in the image list.
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { pause } from "../support/commands.js";
import { messageOf } from "../support/engine-client.js";
import { tarOf } from "../support/images.js";
import { answerError, startMemoryRegistry, type Fault, type MemoryRegistry } from "../support/memory-registry.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { askPull, pullLines, smallImage } from "../support/pulls.js";
import { digestOf, packImage, type PackedImage } from "../support/push-image.js";

onEngines(
  "failing pull",
  (engine, kind) => {
    let registry: MemoryRegistry;
    beforeAll(async () => {
      registry = await startMemoryRegistry(engine().daemon.netns.hostAddress);
    });
    afterAll(async () => registry.close());

    test("two pulls of one image share the work", async () => {
      const image = packImage(await smallImage("shared", 1));
      registry.put("shared", ["1"], image);
      const digest = digestOf(image.layers[0]?.bytes ?? Buffer.alloc(0));
      registry.fault((request, response, bytes) => {
        if (bytes === null || request.url?.endsWith(digest) !== true) return false;
        setTimeout(() => response.writeHead(200, { "Content-Length": bytes.length }).end(bytes), 300);
        return true;
      });
      const both = await Promise.all([1, 2].map(() => pullLines(engine(), `fromImage=${registry.host}/shared&tag=1`)));
      registry.fault(null);
      for (const lines of both) expect(lines.at(-1)?.["status"]).toContain("Status: ");
      expect(registry.asked.filter((line) => line === `GET /v2/shared/blobs/${digest}`).length).toBe(1);
    });

    test("layers are fetched side by side, at most three at once", async () => {
      const image = packImage(await smallImage("side", 5));
      registry.put("side", ["1"], image);
      let now = 0;
      let most = 0;
      registry.fault((request, response, bytes) => {
        if (bytes === null || !image.layers.some((layer) => request.url?.endsWith(digestOf(layer.bytes)))) return false;
        most = Math.max(most, ++now);
        setTimeout(() => {
          now -= 1;
          response.writeHead(200, { "Content-Length": bytes.length }).end(bytes);
        }, 150);
        return true;
      });
      await pullLines(engine(), `fromImage=${registry.host}/side&tag=1`);
      registry.fault(null);
      expect(most).toBe(3);
    });

    test("a DiffID that is not the layer's", async () => {
      const spec = await smallImage("diffid", 1);
      const lying = await tarOf([{ name: "lie", body: "lie" }]);
      const image = packImage(spec, "schema2", [
        { mediaType: "application/vnd.docker.image.rootfs.diff.tar.gzip", bytes: gzipSync(lying) },
      ]);
      registry.put("diffid", ["1"], image);
      await failsInStream("diffid", image);
    });

    testExcept(kind, { reference: REFERENCE.retries })("a body that is cut off, each time", () =>
      failsWith("cut", () => cutOff("/blobs/")),
    );

    // Each is tried again for more than a minute: they wait at the same time.
    for (const [name, what, wrong, reasons] of [
      ["wrong", "a layer whose bytes do not match its digest", otherBytes, {}],
      ["cut-layer", "a layer that is cut off, each time", cutOff, { reference: REFERENCE.retries }],
      [
        "blob500",
        "500 for a layer is an error in the stream",
        refusing(500, "UNKNOWN"),
        { reference: REFERENCE.retries },
      ],
    ] as const) {
      testExcept(kind, reasons, test.concurrent)(what, () => failsWith(name, wrong));
    }

    for (const [status, code, answered] of [
      [401, "UNAUTHORIZED", 404],
      [403, "DENIED", 404],
      [404, "MANIFEST_UNKNOWN", 404],
      [500, "UNKNOWN", 500],
    ] as const) {
      test(`${status} for the manifest is an HTTP error`, async () => {
        registry.fault((request, response) => {
          if (!request.url?.includes("/manifests/")) return false;
          return answerError(response, status, code, `told ${status}`);
        });
        const answer = await askPull(engine(), `fromImage=${registry.host}/refused&tag=1`);
        registry.fault(null);
        expect(answer.status).toBe(status === 401 ? engine().expected("pull-auth", answered, 500) : answered);
        expect(messageOf(answer)).not.toBe("");
        expect((await engine().call("GET", `/images/${registry.host}/refused:1/json`)).status).toBe(404);
      });

      // That of 500 is above.
      if (status === 500) continue;
      test(`${status} for a layer is an error in the stream`, () => failsWith(`blob${status}`, refusing(status, code)));
    }

    test("nobody listening is a 500 that says so", async () => {
      const answer = await askPull(engine(), `fromImage=${engine().daemon.netns.hostAddress}:1/x&tag=1`);
      expect(answer.status).toBe(500);
      expect(messageOf(answer)).toContain("connection refused");
    });

    test("a client that hangs up in the middle leaves nothing half-made", async () => {
      const image = packImage(await smallImage("hangup", 1));
      registry.put("hangup", ["1"], image);
      registry.fault((request, response, bytes) => {
        if (bytes === null || !request.url?.includes("/blobs/")) return false;
        response.writeHead(200, { "Content-Length": bytes.length });
        response.write(bytes.subarray(0, 10));
        setTimeout(() => response.destroy(), 1500);
        return true;
      });
      await askPull(engine(), `fromImage=${registry.host}/hangup&tag=1`, 500).catch(() => null);
      registry.fault(null);
      expect((await engine().call("GET", `/images/${registry.host}/hangup:1/json`)).status).toBe(404);
      await pause(1500);
      await pullLines(engine(), `fromImage=${registry.host}/hangup&tag=1`);
      expect((await engine().read<{ Id: string }>(`/images/${registry.host}/hangup:1/json`)).Id).toBe(image.id);
    });

    async function failsWith(name: string, wrong: Wrong): Promise<void> {
      const image = packImage(await smallImage(name, 1));
      registry.put(name, ["1"], image);
      registry.fault(wrong(digestOf(image.layers[0]?.bytes ?? Buffer.alloc(0))), name);
      await failsInStream(name, image);
      registry.fault(null, name);
    }

    async function failsInStream(name: string, image: PackedImage): Promise<void> {
      const lines = await pullLines(engine(), `fromImage=${registry.host}/${name}&tag=1`, 60_000);
      const last = lines.at(-1) ?? {};
      expect(Object.keys(last).sort()).toEqual(["error", "errorDetail"]);
      expect((last["errorDetail"] as { message: string }).message).toBe(last["error"]);
      expect((await engine().call("GET", `/images/${registry.host}/${name}:1/json`)).status).toBe(404);
      expect((await engine().call("GET", `/images/${image.id}/json`)).status).toBe(404);
    }
  },
  { flags: ["--insecure-registry", "10.213.0.0/16"] },
);

/** Of an image with a layer of that digest. */
type Wrong = (layer: string) => Fault;

function otherBytes(layer: string): Fault {
  return ({ url }, response) => {
    if (!url?.endsWith(layer)) return false;
    response.end(gzipSync(Buffer.alloc(5000, "no")));
    return true;
  };
}

/** Ends the connection in the middle of those whose paths have that in them. */
function cutOff(part: string): Fault {
  return ({ url }, response, bytes) => {
    if (bytes === null || !url?.includes(part)) return false;
    response.writeHead(200, { "Content-Length": bytes.length });
    response.write(bytes.subarray(0, 10), () => response.destroy());
    return true;
  };
}

function refusing(status: number, code: string): Wrong {
  return (layer) =>
    ({ url }, response) =>
      url?.endsWith(layer) === true && answerError(response, status, code, `told ${status}`);
}
