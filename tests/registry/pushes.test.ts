// Pushes: where the bytes go, who gets credentials, and what happens to a request that sends a stream.

import { afterEach, beforeEach, expect, test } from "vitest";
import { registryClient } from "../../hosts/registry/client.js";
import { PART } from "../../hosts/registry/limits.js";
import type { LayerBytes } from "../../hosts/registry/pushes.js";
import type { Begun } from "../../hosts/shared/begun-upload.js";
import type { Transport } from "../../hosts/registry/transport.js";
import { nodeTransport } from "../../hosts/node/registry/index.js";
import type { content } from "../../hosts/shared/host.js";
import { failed } from "../support/failed.js";
import { digestOf } from "../support/registry/push-image.js";
import { startTakingRegistry, type TakingRegistry } from "../support/registry/taking-registry.js";
import { repository } from "./fake.js";

const LOGIN = { username: "anna", password: "correct horse" };
const BASIC = `Basic ${btoa("anna:correct horse")}`;
const BLOB = Buffer.alloc(300_000, "blob");
const PATIENCE = { otherWays: 5, unanswered: 5 };

let registry: TakingRegistry;
beforeEach(async () => {
  registry = await startTakingRegistry();
});
afterEach(() => registry.close());

test.each([
  ["fetch", undefined],
  ["node:http", nodeTransport()],
])("a blob arrives whole, by %s", async (_, transport) => {
  const client = registryClient(transport === undefined ? {} : { transport });
  await client.upload(to(), layerOf(BLOB));
  expect(registry.blobs.has(digestOf(BLOB))).toBe(true);
  await expect(client.find({ in: to(), digest: digestOf(BLOB) })).resolves.toBeUndefined();
  expect(await failed(client.find({ in: to(), digest: digestOf(Buffer.from("x")) }))).toMatchObject({
    ...{ tag: "registry-answer", val: { status: 404 } },
  });
});

test("a place on another server gets the bytes, but no credentials", async () => {
  const store = await startTakingRegistry();
  try {
    demandLogin();
    registry.answer = elsewhere(store, registry.answer);
    await client().upload(to(LOGIN), layerOf(BLOB));
    expect(store.blobs.has(digestOf(BLOB))).toBe(true);
    expect(registry.asked.some((line) => line.endsWith(BASIC))).toBe(true);
    expect(store.asked.filter((line) => line.includes("Basic"))).toEqual([]);
  } finally {
    await store.close();
  }
});

test("a registry that asks for a login only when something is sent gets a stream with it", async () => {
  registry.answer = ({ method = "", headers }, response) => {
    if (["GET", "HEAD"].includes(method) || headers.authorization === BASIC) return false;
    response.writeHead(401, { "www-authenticate": 'Basic realm="pushes"' }).end();
    return true;
  };
  await client().upload(to(LOGIN), layerOf(BLOB));
  expect(registry.blobs.has(digestOf(BLOB))).toBe(true);
});

test("an answer that comes before the end of the stream ends it", async () => {
  let [read, isEnded] = [0, false];
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        read += BLOB.length;
        yield BLOB;
      }
    } finally {
      isEnded = true;
    }
  }
  registry.answer = ({ method }, response) => {
    if (method !== "PATCH") return false;
    response.writeHead(413).end();
    return true;
  };
  const failure = await failed(client().upload(to(), { bytes: endless(), digest: () => "", patience: PATIENCE }));
  expect(failure).toMatchObject({ tag: "registry-answer", val: { status: 413 } });
  await expect.poll(() => isEnded).toBe(true);
  expect(read).toBeGreaterThan(0);
});

test("a stream that cannot be read is told as that, and not as a broken connection", async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield BLOB;
    throw Object.assign(new Error("no such file"), { code: "ENOENT", syscall: "open", path: "/blob" });
  }
  const failure = await failed(client().upload(to(), { bytes: broken(), digest: () => "", patience: PATIENCE }));
  expect(failure).toMatchObject({ tag: "call", val: { call: "open", error: "ENOENT" } });
});

test("what a registry has of a blob is read before the registry is asked to take the rest", async () => {
  let read = 0;
  const readWhenAsked: number[] = [];
  async function* source(): AsyncGenerator<Uint8Array> {
    for await (const piece of inPieces(BLOB)) {
      read += piece.length;
      yield piece;
    }
  }
  registry.parts.set("one", BLOB.subarray(0, 200_500));
  const send = nodeTransport();
  const transport: Transport = (request) => {
    if (request.method === "PATCH") readWhenAsked.push(read);
    return send(request);
  };
  const place = `http://${registry.authority}/v2/some/thing/blobs/uploads/one`;
  const begun = { place, had: 0, unanswered: 0 };
  const sending = { bytes: source(), digest: () => digestOf(BLOB), patience: PATIENCE, begun };
  await registryClient({ transport }).upload(to(), sending);
  expect(readWhenAsked).toEqual([BLOB.length]);
  expect(registry.blobs.has(digestOf(BLOB))).toBe(true);
});

test("a registry that asks for parts gets them, each with its length and its range", async () => {
  const [sent, ranges] = [Buffer.alloc(2 * PART + 1000, "part"), [] as unknown[]];
  const reached: number[] = [];
  registry.answer = (request, response) => {
    if (request.method === "PATCH") ranges.push([request.headers["content-range"], request.headers["content-length"]]);
    if (request.method !== "POST") return false;
    response.writeHead(202, { location: `${request.url}one`, "oci-chunk-min-length": "1000000" }).end();
    return true;
  };
  const note = async (): Promise<void> => void reached.push(registry.parts.get("one")?.length ?? 0);
  await client().upload(to(), { ...layerOf(sent), reached: note });
  expect(ranges).toEqual([
    [`0-${PART - 1}`, `${PART}`],
    [`${PART}-${2 * PART - 1}`, `${PART}`],
    [`${2 * PART}-${2 * PART + 999}`, "1000"],
  ]);
  expect(reached).toEqual([0, PART, 2 * PART, sent.length]);
  expect(registry.blobs.has(digestOf(sent))).toBe(true);
});

test.each([411, 416])(
  "a registry that answers %i to a stream gets the blob in parts, from the beginning",
  async (status) => {
    registry.answer = ({ method, headers }, response) => {
      if (method !== "PATCH" || headers["content-range"] !== undefined) return false;
      response.writeHead(status).end();
      return true;
    };
    await client().upload(to(), layerOf(BLOB));
    expect(registry.blobs.has(digestOf(BLOB))).toBe(true);
    expect(registry.asked.map((line) => line.split(" ")[0])).toEqual(["GET", "POST", "PATCH", "POST", "PATCH", "PUT"]);
  },
);

test.each([
  ["has more of a blob than it has said", PART + 50_000],
  ["has lost some of a blob", 60_000],
])("a registry that %s gets the parts from there on", async (_, has) => {
  const sent = Buffer.alloc(PART + 200_000, "part ");
  const ranges: (string | undefined)[] = [];
  let refuses = true;
  registry.answer = ({ method, url, headers }, response) => {
    if (method === "POST") {
      response.writeHead(202, { location: `${url}one`, "oci-chunk-min-length": "1000000" }).end();
      return true;
    }
    if (method !== "PATCH") return false;
    ranges.push(headers["content-range"]);
    if (!refuses || ranges.length === 1) return false;
    refuses = false;
    registry.parts.set("one", sent.subarray(0, has));
    response.writeHead(416).end();
    return true;
  };
  await client().upload(to(), layerOf(sent));
  expect(ranges.slice(0, 3)).toEqual([
    `0-${PART - 1}`,
    `${PART}-${sent.length - 1}`,
    `${has}-${Math.min(has + PART, sent.length) - 1}`,
  ]);
  expect(registry.blobs.has(digestOf(sent))).toBe(true);
});

test("a registry that refuses each part gets no more of them than it takes", async () => {
  registry.answer = ({ method, url, headers }, response) => {
    if (method === "POST") {
      response.writeHead(202, { location: `${url}one`, "oci-chunk-min-length": "1000000" }).end();
      return true;
    }
    if (method === "GET") registry.parts.set("one", BLOB.subarray(0, 1000));
    return method === "PATCH" && headers["content-range"] !== undefined && Boolean(response.writeHead(416).end());
  };
  const failure = await failed(client().upload(to(), layerOf(BLOB)));
  expect(failure).toMatchObject({ tag: "registry-answer", val: { status: 416 } });
  expect(registry.asked.filter((line) => line.startsWith("PATCH"))).toHaveLength(2);
});

test.each([
  ["a byte more each time", (asked: number) => asked, 5, 6],
  ["a byte more each time, with little patience", (asked: number) => asked, 1, 2],
  ["more than the blob has", () => BLOB.length, 5, 1],
])("a registry that refuses each part and claims to have %s is told by its refusal, soon", async (...how) => {
  const [, had, otherWays, parts] = how;
  let asked = 0;
  registry.answer = ({ method, url, headers }, response) => {
    if (method === "POST") {
      response.writeHead(202, { location: `${url}one`, "oci-chunk-min-length": "1000000" }).end();
      return true;
    }
    if (method === "GET" && url?.endsWith("one") === true) {
      response.writeHead(204, { location: url, range: `0-${had(++asked)}` }).end();
      return true;
    }
    return method === "PATCH" && headers["content-range"] !== undefined && Boolean(response.writeHead(416).end());
  };
  const failure = await failed(client().upload(to(), { ...layerOf(BLOB), patience: { ...PATIENCE, otherWays } }));
  expect(failure).toMatchObject({ tag: "registry-answer", val: { status: 416 } });
  expect(registry.asked.filter((line) => line.startsWith("PATCH"))).toHaveLength(parts);
});

test("the rest of a blob is sent with its range, and a registry that takes no rest is told as that", async () => {
  const part = BLOB.subarray(0, 200_500);
  registry.parts.set("one", part);
  const place = `http://${registry.authority}/v2/some/thing/blobs/uploads/one`;
  const begun = { place, had: 1, unanswered: 2 };
  let [range, noted]: [string | undefined, Begun[]] = [undefined, []];
  registry.answer = ({ method, headers }) => {
    if (method === "PATCH") range = headers["content-range"];
    return false;
  };
  await client().upload(to(), { ...layerOf(BLOB), begun, reached: async (newest) => void noted.push(newest) });
  // It has answered, but if this engine died now, nobody knew whether it gets on.
  expect(noted).toMatchObject([1, 2].map(() => ({ had: 1, unanswered: 0 })));
  expect(range).toBe(`${part.length}-${BLOB.length - 1}`);
  registry.parts.set("one", part);
  registry.answer = ({ method }, response) => method === "PATCH" && Boolean(response.writeHead(416).end());
  const failure = await failed(client().upload(to(), { ...layerOf(BLOB), begun }));
  expect(failure).toMatchObject({ tag: "registry-answer", val: { status: 416 } });
});

test("a blob is taken over from another repository, or its bytes are wanted", async () => {
  const command = { to: to(), digest: digestOf(BLOB), source: "other/thing" };
  expect(await failed(client().mount(command))).toMatchObject({ tag: "no-such", val: { what: "blob" } });
  registry.answer = ({ method }, response) => method === "POST" && Boolean(response.writeHead(201).end());
  await expect(client().mount(command)).resolves.toBeUndefined();
  const query = new URLSearchParams({ mount: digestOf(BLOB), from: "other/thing" });
  expect(registry.asked.at(-1)).toBe(`POST /v2/some/thing/blobs/uploads/?${query}`);
});

test("a registry without TLS is not followed from one with TLS", async () => {
  registry.answer = ({ method }, response) => {
    if (method !== "POST") return false;
    response.writeHead(202, { location: "ftp://elsewhere.example/x" }).end();
    return true;
  };
  const failure = await failed(client().upload(to(), layerOf(BLOB)));
  expect(failure).toMatchObject({ tag: "exchange", val: { why: { tag: "insecure-redirect", val: "ftp:" } } });
});

function client(): ReturnType<typeof registryClient> {
  return registryClient({ transport: nodeTransport() });
}

function to(login?: typeof LOGIN): content.Repository {
  const { limit: _, ...place } = repository(registry, login);
  return place;
}

function layerOf(bytes: Buffer): LayerBytes {
  return {
    bytes: { [Symbol.asyncIterator]: () => inPieces(bytes) },
    digest: () => digestOf(bytes),
    patience: PATIENCE,
  };
}

async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}

function demandLogin(): void {
  registry.answer = ({ headers }, response) => {
    if (headers.authorization === BASIC) return false;
    response.writeHead(401, { "www-authenticate": 'Basic realm="pushes"' }).end();
    return true;
  };
}

/** Sends uploads to another server. */
function elsewhere(store: TakingRegistry, before: TakingRegistry["answer"]): TakingRegistry["answer"] {
  return (request, response) => {
    if (before?.(request, response)) return true;
    if (request.method !== "POST") return false;
    response.writeHead(202, { location: `http://${store.authority}/v2/store/blobs/uploads/one` }).end();
    return true;
  };
}
