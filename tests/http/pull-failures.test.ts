// Concurrent pulls, and pulls from a faulty registry: Docker's error, and nothing incomplete in the image list.
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { pause, until } from "../support/commands.js";
import { messageOf } from "../support/engine-client.js";
import { tarOf } from "../support/archives/images.js";
import {
  answerError,
  startMemoryRegistry,
  type Fault,
  type MemoryRegistry,
} from "../support/registry/memory-registry.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { encodeRequest, RawConnection } from "../support/raw-http.js";
import { askPull, pullLines, smallImage } from "../support/registry/pulls.js";
import { digestOf, packImage, type PackedImage } from "../support/registry/push-image.js";

/** How many times a layer is requested. */
const ATTEMPTS = 6;

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
      let bothWait = (): void => {};
      const held = new Promise<void>((resolve) => (bothWait = resolve));
      registry.fault(({ url }, response, bytes) => {
        if (bytes === null || url?.endsWith(digest) !== true) return false;
        void held.then(() => response.writeHead(200, { "Content-Length": bytes.length }).end(bytes));
        return true;
      });
      const both = await Promise.all([1, 2].map(() => beginPull("shared")));
      for (const one of both) await one.untilText("Pulling fs layer");
      bothWait();
      for (const one of both) await one.untilText('"status":"Status: ');
      registry.fault(null);
      expect(registry.asked.filter((line) => line === `GET /v2/shared/blobs/${digest}`).length).toBe(1);
      for (const one of both) one.close();
    });

    test("layers are fetched side by side, at most three at once", async () => {
      const image = packImage(await smallImage("side", 5));
      registry.put("side", ["1"], image);
      const waiting: (() => void)[] = [];
      registry.fault(({ url }, response, bytes) => {
        if (bytes === null || !image.layers.some((layer) => url?.endsWith(digestOf(layer.bytes)))) return false;
        waiting.push(() => response.writeHead(200, { "Content-Length": bytes.length }).end(bytes));
        return true;
      });
      const pulled = pullLines(engine(), `fromImage=${registry.host}/side&tag=1`);
      for (let left = image.layers.length; left > 0; left -= 1) {
        await until("as many as may be", () => waiting.length >= Math.min(3, left));
        // Enough time for another request.
        await pause(50);
        expect([left, waiting.length]).toEqual([left, Math.min(3, left)]);
        waiting.shift()?.();
      }
      await pulled;
      registry.fault(null);
    });

    test("a wrong DiffID", async () => {
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

    // They wait at the same time. Each is retried for more than a minute, which takes seconds in simulated time; on
    // other engines the second answer is final.
    for (const [name, what, wrong] of [
      ["wrong", "a layer whose bytes do not match its digest", otherBytes],
      ["cut-layer", "a layer that is cut off, each time", cutOff],
      ["blob500", "500 for a layer is an error in the stream", refusing(500, "UNKNOWN")],
    ] as const) {
      test.concurrent(what, () => failsAgain(name, wrong));
    }

    for (const [status, code, answered] of [
      [401, "UNAUTHORIZED", 404],
      [403, "DENIED", 404],
      [404, "MANIFEST_UNKNOWN", 404],
      [429, "TOOMANYREQUESTS", 500],
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

      // The test of 500 is above; 429 is no final answer.
      if (status === 500 || status === 429) continue;
      test(`${status} for a layer is an error in the stream`, () => failsWith(`blob${status}`, refusing(status, code)));
    }

    test("a question has the status of the code in the registry's answer, and the status of a pull follows other rules", async () => {
      for (const [status, code, asked, pulled, prefix = ""] of REFUSALS) {
        registry.fault((request, response) => {
          if (!request.url?.includes("/manifests/")) return false;
          return answerError(response, status, code, `told ${status}`);
        });
        const question = await engine().call("GET", `/distribution/${registry.host}/refused:1/json`);
        const pull = await askPull(engine(), `fromImage=${registry.host}/refused&tag=1`);
        registry.fault(null);
        const [failed, known] = [STATUSES[status], code === "ODD_CODE" ? "UNKNOWN" : code];
        const words = `${known.toLowerCase().replaceAll("_", " ")}: told ${status}`;
        const told = failed === undefined ? words : `received unexpected HTTP status: ${failed}`;
        expect([status, code, question.status, messageOf(question)]).toEqual([status, code, asked, told]);
        if (pulled === null) continue;
        const said = prefix.replace("NAME", `${registry.host}/refused`) + told;
        expect([status, code, pull.status, messageOf(pull)]).toEqual([status, code, pulled, said]);
      }
    });

    test("a registry that does not listen gives a 500 with the reason", async () => {
      const answer = await askPull(engine(), `fromImage=${engine().daemon.netns.hostAddress}:1/x&tag=1`);
      expect(answer.status).toBe(500);
      expect(messageOf(answer)).toContain("connection refused");
    });

    test("a client that hangs up in the middle leaves nothing incomplete", async () => {
      const image = packImage(await smallImage("hangup", 1));
      registry.put("hangup", ["1"], image);
      let [isUnderWay, isGivenUp] = [false, false];
      let cut = (): void => {};
      registry.fault(({ url }, response, bytes) => {
        if (bytes === null || !url?.includes("/blobs/")) return false;
        response.once("close", () => (isGivenUp = true));
        cut = () => void response.destroy();
        response.writeHead(200, { "Content-Length": bytes.length });
        response.write(bytes.subarray(0, 10), () => (isUnderWay = true));
        return true;
      });
      const connection = await beginPull("hangup");
      await until("half a blob", () => isUnderWay);
      connection.close();
      // The reference reads until the end.
      if (kind === "reference") cut();
      await until("the registry to be left", () => isGivenUp);
      registry.fault(null);
      expect((await engine().call("GET", `/images/${registry.host}/hangup:1/json`)).status).toBe(404);
      await pullLines(engine(), `fromImage=${registry.host}/hangup&tag=1`);
      expect((await engine().read<{ Id: string }>(`/images/${registry.host}/hangup:1/json`)).Id).toBe(image.id);
    });

    async function beginPull(name: string): Promise<RawConnection> {
      const connection = await RawConnection.open(engine().socketPath);
      const target = `/v1.41/images/create?fromImage=${registry.host}/${name}&tag=1`;
      connection.send(encodeRequest({ method: "POST", target }));
      return connection;
    }

    /**
     * Fails, is requested again after a pause, and fails finally: on the simulated engine after all retries, elsewhere
     * by a final answer.
     */
    async function failsAgain(name: string, wrong: Wrong): Promise<void> {
      const image = packImage(await smallImage(name, 1));
      registry.put(name, ["1"], image);
      const layer = digestOf(image.layers[0]?.bytes ?? Buffer.alloc(0));
      const [first, last] = [wrong(layer), kind === "simulated" ? wrong(layer) : refusing(404, "BLOB_UNKNOWN")(layer)];
      const asked = (): number => registry.asked.filter((line) => line === `GET /v2/${name}/blobs/${layer}`).length;
      registry.fault((...request) => (asked() === 1 ? first : last)(...request), name);
      await failsInStream(name, image);
      registry.fault(null, name);
      // The reference does not retry after wrong bytes.
      if (kind !== "reference") expect(asked()).toBe(kind === "simulated" ? ATTEMPTS : 2);
    }

    async function failsWith(name: string, wrong: Wrong): Promise<void> {
      const image = packImage(await smallImage(name, 1));
      registry.put(name, ["1"], image);
      registry.fault(wrong(digestOf(image.layers[0]?.bytes ?? Buffer.alloc(0))), name);
      await failsInStream(name, image);
      registry.fault(null, name);
    }

    async function failsInStream(name: string, image: PackedImage): Promise<void> {
      const lines = await pullLines(engine(), `fromImage=${registry.host}/${name}&tag=1`);
      const last = lines.at(-1) ?? {};
      expect(Object.keys(last).sort()).toEqual(["error", "errorDetail"]);
      expect((last["errorDetail"] as { message: string }).message).toBe(last["error"]);
      expect((await engine().call("GET", `/images/${registry.host}/${name}:1/json`)).status).toBe(404);
      expect((await engine().call("GET", `/images/${image.id}/json`)).status).toBe(404);
    }
  },
  { flags: ["--insecure-registry", "10.213.0.0/16"], simulatedFlags: ["--pace", "20"] },
);

/** Statuses whose answers are not read. */
const STATUSES: Record<number, string> = { 500: "500 Internal Server Error", 503: "503 Service Unavailable" };

const DENIED = "pull access denied for NAME, repository does not exist or may require 'docker login': ";
/**
 * A registry's status and code, then the status of a question, of a pull (null: it differs between engines), and what
 * the pull's message begins with.
 */
const REFUSALS: [number, string, number, number | null, string?][] = [
  [400, "NAME_INVALID", 400, 500],
  [400, "TAG_INVALID", 400, 500],
  [400, "MANIFEST_INVALID", 400, 500],
  [405, "UNSUPPORTED", 405, 500],
  [400, "UNSUPPORTED", 405, 500],
  [404, "NAME_UNKNOWN", 404, 404, "repository NAME not found: "],
  [404, "MANIFEST_UNKNOWN", 404, 404, "manifest for NAME:1 not found: "],
  [404, "BLOB_UNKNOWN", 404, 500],
  [404, "DIGEST_INVALID", 400, 500],
  [400, "UNKNOWN", 500, 500],
  [418, "ODD_CODE", 500, 500],
  [401, "UNAUTHORIZED", 401, null],
  [401, "DENIED", 403, 404, DENIED],
  [403, "DENIED", 403, 404, DENIED],
  [403, "UNAVAILABLE", 503, null],
  [429, "TOOMANYREQUESTS", 429, 500],
  [500, "UNKNOWN", 500, 500],
  [503, "UNAVAILABLE", 500, 500],
];

/** For an image with a layer of that digest. */
type Wrong = (layer: string) => Fault;

function otherBytes(layer: string): Fault {
  return ({ url }, response) => {
    if (!url?.endsWith(layer)) return false;
    response.end(gzipSync(Buffer.alloc(5000, "no")));
    return true;
  };
}

/** Closes the connection in the middle of responses whose paths contain this text. */
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
