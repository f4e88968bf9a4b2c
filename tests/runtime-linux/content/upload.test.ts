// Layers on their way to a registry: their bytes, their progress, and what is kept of them. Needs root.

import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { registryClient } from "../../../hosts/registry/client.js";
import type { content, engine } from "../../../hosts/shared/host.js";
import type { Registry } from "../../../runtime-linux/content/registry.js";
import { inPlace } from "../../../runtime-linux/content/threads/jobs.js";
import type { Workers } from "../../../runtime-linux/content/threads/workers.js";
import { rawTar } from "../../support/archives/tar.js";
import { describeUnless } from "../../support/on-engines.js";
import { digestOf } from "../../support/registry/push-image.js";
import { INSECURE } from "../../support/registry/security.js";
import { startTakingRegistry, type TakingRegistry } from "../../support/registry/taking-registry.js";
import { dockerRegistryMissing } from "../../support/registry/docker-registry.js";
import { startLoopbackRegistry } from "../../support/registry/registry.js";
import { startCuttingProxy } from "../../support/registry/cutting-proxy.js";
import { failed, missing, openFixture, type Fixture, type Told } from "./content-fixture.js";

const registryMissing = dockerRegistryMissing();
const UPLOADS = "/uploads/";
const TAR = rawTar([{ name: "large", body: Buffer.alloc(3_000_000, "large") }]);
/** What the core allows an upload. */
const PATIENCE = { otherWays: 5, unanswered: 5 };

let [fixture, registry]: [Fixture, TakingRegistry] = [] as never;
beforeEach(async () => {
  fixture = openFixture();
  registry = await startTakingRegistry();
});
afterEach(async () => {
  fixture.close();
  await registry.close();
});

describeUnless(missing, "a layer that is sent", () => {
  test("is its tar, compressed always to the same bytes; the digest is known the next time", async () => {
    const chain = await fixture.layer(TAR);
    expect(await failed(fixture.perform({ tag: "blob-of", val: chain }))).toMatchObject({ tag: "no-such" });
    const told: Told[] = [];
    const sent = await upload(chain, told);
    expect(digestOf(gunzipSync(registry.blobs.get(sent.digest)!))).toBe(digestOf(TAR));
    expect(told.at(-1)).toEqual({ phase: "uploading", current: TAR.length, total: TAR.length });
    const reopened = openFixture(fixture.root);
    expect(await reopened.perform({ tag: "blob-of", val: chain })).toEqual({ tag: "sent", val: sent });
    expect(await upload(chain)).toEqual(sent);
  });

  test("goes on where it broke off, and only then; from the beginning if the registry has forgotten it", async () => {
    const chain = await fixture.layer(incompressible());
    for (const [forgets, begins] of [
      [false, ["POST", "PATCH", "GET", "PATCH", "PUT"]],
      [true, ["POST", "PATCH", "GET", "POST", "PATCH", "PUT"]],
    ] as const) {
      registry.blobs.clear();
      registry.asked.length = 0;
      registry.answer = cutting(1_000_000);
      expect(await failed(upload(chain))).toMatchObject({ tag: "exchange" });
      const size = [...registry.parts.values()].at(-1)!.length;
      expect(size).toBeGreaterThan(0);
      if (forgets) registry.parts.clear();
      let rest = 0;
      registry.answer = (request) => {
        if (request.method === "PATCH") request.on("data", (piece: Buffer) => (rest += piece.length));
        return false;
      };
      const sent = await upload(chain);
      expect(registry.blobs.get(sent.digest)).toHaveLength(Number(sent.size));
      expect(rest).toBe(Number(sent.size) - (forgets ? 0 : size));
      expect(uploadsAsked()).toEqual(begins);
      expect(readdirSync(directory(chain)).filter((name) => name.startsWith("begun"))).toEqual([]);
    }
  });

  test("goes on where an engine that died was, though others pushed it elsewhere meanwhile", async () => {
    const chain = await fixture.layer(incompressible());
    const held: IncomingMessage[] = [];
    registry.answer = cutting(1_000_000, (request) => held.push(request.pause()));
    const dead = upload(chain);
    await expect.poll(() => [...registry.parts.values()].at(0)?.length ?? 0).toBeGreaterThan(1_000_000);
    // A second engine finds what is on disk. Nothing more happens to the first one's push until the end.
    const next = openFixture(fixture.root);
    registry.answer = null;
    const elsewhere: content.Upload = { to: { ...to(), repository: "other/thing" }, chain, ...PATIENCE };
    await next.perform({ tag: "upload", val: elsewhere });
    let rest = 0;
    registry.answer = (request) => {
      if (request.method === "PATCH") request.on("data", (piece: Buffer) => (rest += piece.length));
      return false;
    };
    const had = [...registry.parts.values()].at(0)!.length;
    const { val: sent } = (await next.perform({ tag: "upload", val: { to: to(), chain, ...PATIENCE } })) as {
      val: engine.SentBlob;
    };
    expect(registry.blobs.get(sent.digest)).toHaveLength(Number(sent.size));
    expect(rest).toBe(Number(sent.size) - had);
    expect(uploadsAsked()).toEqual(["POST", "PATCH", "POST", "PATCH", "PUT", "GET", "PATCH", "PUT"]);
    expect(readdirSync(directory(chain)).filter((name) => name.startsWith("begun"))).toEqual([]);
    registry.answer = null;
    registry.parts.clear();
    held.at(0)?.destroy();
    await failed(dead);
  });

  test("arrives whole at a registry that refuses a stream before it has read it, and takes parts", async () => {
    const chain = await fixture.layer(incompressible());
    registry.answer = ({ method, headers }, response) =>
      method === "PATCH" && headers["content-range"] === undefined && Boolean(response.writeHead(411).end());
    const sent = await upload(chain);
    expect(digestOf(registry.blobs.get(sent.digest)!)).toBe(sent.digest);
    expect(uploadsAsked()).toEqual(["POST", "PATCH", "POST", "PATCH", "PUT"]);
  });

  test("has its digest by whoever began to read it last, though another reader still waits", async () => {
    const chain = await fixture.layer(TAR);
    let told: string[] = [];
    const registry: Registry = {
      ...registryClient(),
      upload: async (_, { bytes, digest }) => {
        const other = bytes[Symbol.asyncIterator]().next();
        const pieces: Uint8Array[] = [];
        for await (const piece of bytes) pieces.push(piece);
        await other;
        told = [digest(), digestOf(Buffer.concat(pieces))];
      },
    };
    fixture = openFixture(fixture.root, (tools) => inPlace({ ...tools, registry }));
    const { digest, size } = await upload(chain);
    expect(told).toEqual([digest, digest]);
    expect(size).toBeGreaterThan(0n);
  });

  test("does not go on in the upload of another push under way, and leaves it its note", async () => {
    const chain = await fixture.layer(incompressible());
    const held: IncomingMessage[] = [];
    registry.answer = cutting(1_000_000, (request) => held.push(request.pause()));
    const first = upload(chain);
    await expect.poll(() => [...registry.parts.values()].at(0)?.length ?? 0).toBeGreaterThan(1_000_000);
    registry.answer = null;
    const sent = await upload(chain);
    expect(digestOf(registry.blobs.get(sent.digest)!)).toBe(sent.digest);
    expect(uploadsAsked()).toEqual(["POST", "PATCH", "POST", "PATCH", "PUT"]);
    expect(readdirSync(directory(chain)).filter((name) => name.startsWith("begun"))).toHaveLength(1);
    held.at(0)?.destroy();
    await failed(first);
  });

  test("keeps the notes of a few repositories at most", async () => {
    const chain = await fixture.layer(incompressible());
    registry.answer = ({ method, socket }) => method === "PATCH" && Boolean(socket.destroy());
    for (let at = 0; at < 25; at += 1) {
      const val: content.Upload = { to: { ...to(), repository: `some/thing-${at}` }, chain, ...PATIENCE };
      expect(await failed(fixture.perform({ tag: "upload", val }))).toMatchObject({ tag: "exchange" });
    }
    expect(readdirSync(directory(chain)).filter((name) => name.startsWith("begun"))).toHaveLength(20);
  });

  test("does not go on where the try before has not got on, but begins anew", async () => {
    const chain = await fixture.layer(incompressible());
    registry.answer = cutting(1_000_000);
    expect(await failed(upload(chain))).toMatchObject({ tag: "exchange" });
    registry.answer = ({ method, socket }) => method === "PATCH" && Boolean(socket.destroy());
    expect(await failed(upload(chain))).toMatchObject({ tag: "exchange" });
    registry.answer = null;
    expect(registry.blobs.has((await upload(chain)).digest)).toBe(true);
    expect(uploadsAsked()).toEqual(["POST", "PATCH", "GET", "PATCH", "GET", "POST", "PATCH", "PUT"]);
  });

  test.each([
    ["is out of reach", ({ socket }: IncomingMessage) => socket.destroy()],
    ["is behind a proxy that says so", (_: IncomingMessage, response: ServerResponse) => response.writeHead(503).end()],
  ])("is not begun anew while the registry %s", async (_, away) => {
    const chain = await fixture.layer(incompressible());
    registry.answer = cutting(1_000_000);
    expect(await failed(upload(chain))).toMatchObject({ tag: "exchange" });
    registry.answer = (request, response) => isOfUpload(request) && Boolean(away(request, response));
    for (let time = 0; time < 2; time++) await failed(upload(chain));
    registry.answer = (request, response) => request.method === "PUT" && Boolean(away(request, response));
    await failed(upload(chain));
    registry.answer = null;
    expect(registry.blobs.has((await upload(chain)).digest)).toBe(true);
    // The last try has nothing left to send.
    expect(uploadsAsked()).toEqual(["POST", "PATCH", "GET", "GET", "GET", "PATCH", "PUT", "GET", "PUT"]);
  });

  test("is begun anew if the registry never says what it has", async () => {
    const chain = await fixture.layer(incompressible());
    registry.answer = cutting(1_000_000);
    expect(await failed(upload(chain))).toMatchObject({ tag: "exchange" });
    registry.answer = (request) => request.method === "GET" && isOfUpload(request) && Boolean(request.socket.destroy());
    for (let time = 0; time <= PATIENCE.unanswered; time++) await failed(upload(chain));
    expect(registry.blobs.has((await upload(chain)).digest)).toBe(true);
    const gets = Array.from({ length: PATIENCE.unanswered + 1 }, () => "GET");
    expect(uploadsAsked()).toEqual(["POST", "PATCH", ...gets, "POST", "PATCH", "PUT"]);
  });

  // This registry knows an upload by a signed offset: within a request that was cut, it has no place to go on.
  test("arrives whole at a real registry though the connection is cut within it", async () => {
    if (registryMissing !== null) return console.log(`skipped: a cut push to docker-registry: ${registryMissing}`);
    const [real, chain] = [await startLoopbackRegistry(), await fixture.layer(incompressible())];
    const proxy = await startCuttingProxy(real.host, 700_000);
    try {
      expect(await failed(upload(chain, [], proxy.authority))).toMatchObject({ tag: "exchange" });
      const sent = await upload(chain, [], proxy.authority);
      const blob = await fetch(`${real.url}/v2/some/thing/blobs/${sent.digest}`);
      expect(digestOf(Buffer.from(await blob.arrayBuffer()))).toBe(sent.digest);
      expect(readdirSync(directory(chain)).filter((name) => name.startsWith("begun"))).toEqual([]);
    } finally {
      await proxy.close();
      await real.close();
    }
  });

  test("twice at the same time: both arrive, and one note is kept", async () => {
    const chain = await fixture.layer(TAR);
    const [one, other] = await Promise.all([upload(chain), upload(chain)]);
    expect(one).toEqual(other);
    expect(readdirSync(directory(chain)).filter((name) => name.startsWith("sent"))).toEqual(["sent.json"]);
  });

  test("is the blob that it came as, unless that is damaged", async () => {
    const chain = await fixture.layer(TAR);
    const { digest } = await upload(chain);
    const pulled = await pull(digest, registry.blobs.get(digest)!);
    registry.blobs.clear();
    expect(await fixture.perform({ tag: "blob-of", val: pulled })).toMatchObject({ val: { digest } });
    expect((await upload(pulled)).digest).toBe(digest);
    const kept = fixture.paths.blobs("sha256", digest.slice("sha256:".length));
    registry.blobs.clear();
    const bytes = readFileSync(kept);
    bytes[1000] = bytes[1000]! ^ 1;
    writeFileSync(kept, bytes);
    expect(await failed(upload(pulled))).toMatchObject({ tag: "mismatch", val: { what: "blob", wanted: digest } });
    expect(registry.blobs.size).toBe(0);
  });

  test("is counted once if an older engine did not keep the size of its tar", async () => {
    const chain = await fixture.layer(TAR);
    const { digest } = await upload(chain);
    const pulled = await pull(digest, registry.blobs.get(digest)!);
    const note = join(directory(pulled), "layer.json");
    const { tar: _, ...record } = JSON.parse(readFileSync(note, "utf8")) as { tar: unknown };
    writeFileSync(note, JSON.stringify(record));
    const counted: unknown[] = [];
    fixture = openFixture(fixture.root, (tools) => apart(inPlace(tools), counted));
    const told: Told[] = [];
    for (let time = 0; time < 2; time++) await upload(pulled, told);
    expect(told.at(-1)).toEqual({ phase: "uploading", current: TAR.length, total: TAR.length });
    const size = { size: TAR.length, as: "blob" };
    expect(counted).toEqual(["length", ["upload", size], ["upload", size]]);
  });

  test("leaves no open file behind if the registry refuses", async () => {
    const twice = rawTar([
      { name: "a", body: "first" },
      { name: "a", body: "second" },
    ]);
    const chain = await fixture.layer(twice);
    registry.answer = ({ method }, response) => method === "POST" && Boolean(response.writeHead(403).end());
    expect(await failed(upload(chain))).toMatchObject({ tag: "registry-answer", val: { status: 403 } });
    const open = readdirSync("/proc/self/fd").flatMap((fd) => linkOf(fd));
    expect(open.filter((path) => path.startsWith(fixture.root))).toEqual([]);
  });
});

function isOfUpload({ url = "" }: IncomingMessage): boolean {
  return url.includes(UPLOADS);
}

/** The methods of all requests about uploads. */
function uploadsAsked(): string[] {
  return registry.asked.filter((line) => line.includes(UPLOADS)).map((line) => line.split(" ")[0]!);
}

/** A tar. */
function incompressible(): Buffer {
  return rawTar([{ name: "random", body: randomBytes(2_000_000) }]);
}

async function upload(chain: string, told: Told[] = [], authority = registry.authority): Promise<engine.SentBlob> {
  const outcome = await fixture.perform({ tag: "upload", val: { to: to(authority), chain, ...PATIENCE } }, told);
  return (outcome as { val: engine.SentBlob }).val;
}

/** Jobs get a copy of what the engine knows, as in threads. Lists them, with what is known of the tar to send. */
function apart(workers: Workers, list: unknown[]): Workers {
  return {
    run: (name, args, wants) => {
      const copy = structuredClone(args);
      const known = "known" in copy ? copy.known.record.tar : undefined;
      list.push(name === "upload" ? [name, known] : name);
      return workers.run(name, copy, wants);
    },
    close: () => workers.close(),
  };
}

/** Makes the layer again, from the registry this time. */
async function pull(digest: string, blob: Buffer): Promise<string> {
  registry.answer = ({ method }, response) => method === "GET" && Boolean(response.writeHead(200).end(blob));
  const chain = digestOf(TAR);
  await fixture.perform({ tag: "drop-chain", val: chain });
  const source = { tag: "registry" as const, val: { from: to(), digest, size: BigInt(blob.length) } };
  await fixture.perform({
    tag: "layer",
    val: { chain, diffId: chain, source, limits: { unpacked: 1n << 40n, holes: 0n }, anew: false, unflushed: false },
  });
  registry.answer = null;
  return chain;
}

function to(authority = registry.authority): content.Repository {
  return { endpoint: { authority, security: INSECURE }, repository: "some/thing" };
}

function directory(chain: string): string {
  return fixture.paths.layers(chain.slice("sha256:".length));
}

function linkOf(fd: string): string[] {
  try {
    return [readlinkSync(join("/proc/self/fd", fd))];
  } catch {
    return [];
  }
}

/** Takes a part of an upload, and closes the connection. */
function cutting(
  most: number,
  cut: (request: IncomingMessage) => unknown = (request) => request.destroy(),
): TakingRegistry["answer"] {
  return (request) => {
    if (request.method !== "PATCH") return false;
    const name = new URL(request.url ?? "", "http://registry").pathname.split("/").at(-1)!;
    request.on("data", (piece: Buffer) => {
      const part = Buffer.concat([registry.parts.get(name) ?? Buffer.alloc(0), piece]);
      registry.parts.set(name, part);
      if (part.length >= most) cut(request);
    });
    return true;
  };
}
