// The simulated registries: what they serve, to whom, how fast, and what goes wrong.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { content } from "../../hosts/host.js";
import { Catalogue } from "../../hosts/simulated/registry/catalogue.js";
import { digestOf } from "../support/push-image.js";
import { at, credentials, failed, Fixture } from "./content-fixture.js";

let world: Fixture;

beforeEach(() => {
  world = new Fixture();
});

afterEach(() => world.time.close());

describe("the catalogue", () => {
  test("is the same for everybody, for ever", () => {
    const digests = IMAGES.map(([authority, repository, tag]) => [
      `${repository}:${tag}`,
      new Catalogue().repository(authority, repository)?.manifest(tag)?.digest,
    ]);
    expect(Object.fromEntries(digests)).toMatchInlineSnapshot(`
      {
        "library/alpine:3.20": "sha256:546df3a519a8c5c802c9ee1b743dbdfd944f2da83573a46e9980bfe4df4753d0",
        "library/busybox:latest": "sha256:a13312b0d5283f582291c8a3c0355bac0a8303bf3b6c76eb1f051fb51acd7563",
        "library/busybox:musl": "sha256:53cc10abc2cc1162990b7e1f86b2d1bea46e441156a91a8110d40d56c83df033",
        "library/debian:12": "sha256:4c76969277be29c809d069023decab467f2cc4bbb423be8606f07a5d8f08ef46",
        "library/hello-world:latest": "sha256:2b5d761cdc3174e99fe16ce4306a84ff73cd2e1a1078ef066bdae1ee7cd6f3e2",
        "library/nginx:latest": "sha256:a752ed6e63c72b15dc52ca38bc8fd869a53c804a4a1f6ac6270550094510289a",
        "team/app:1": "sha256:0466ed0946db0999273c5520923cfea4d42fb7251af631b0d38c45337a057001",
      }
    `);
  });

  test("has images whose parts are what their digests say", async () => {
    for (const [, repository, tag] of IMAGES.filter(([authority]) => authority === HUB)) {
      for (const index of [0, 1]) {
        for (const { source } of await world.pulled(repository, tag, index)) {
          if (source.tag !== "registry") continue;
          const bytes = await collect(world, source.val);
          expect([BigInt(bytes.length), digestOf(bytes)]).toEqual([source.val.size, source.val.digest]);
        }
      }
    }
  });

  test("shares layers where images share them", async () => {
    const debian = await world.pulled("library/debian", "12");
    const nginx = await world.pulled("library/nginx", "latest");
    expect([debian.length, nginx.length]).toEqual([2, 3]);
    expect(nginx[0]).toMatchObject({ chain: debian[0]?.chain, diffId: debian[0]?.diffId });
  });

  test("lists its tags, in pages for whoever wants pages", async () => {
    expect(await world.registry.tags(at("library/busybox"))).toEqual(["1.36", "1.36-musl", "glibc", "latest", "musl"]);
  });

  test("makes archives for images that are there from the start", async () => {
    const files = await world.ingest("a", new Catalogue().archive("busybox:latest"));
    const manifest = await world.perform({ tag: "read", val: { archive: "a", path: "manifest.json" } });
    const [image] = JSON.parse(new TextDecoder().decode(manifest.tag === "bytes" ? manifest.val : undefined));
    expect(image.RepoTags).toEqual(["busybox:latest"]);
    expect(files.map(({ path }) => path).sort()).toEqual([image.Config, ...image.Layers, "manifest.json"].sort());
    expect(() => new Catalogue().archive("nothing:latest")).toThrow("no image nothing:latest");
    expect(new Catalogue().archive("registry.example/team/app:1").length).toBeGreaterThan(1000);
  });
});

describe("whoever asks", () => {
  test("gets nothing from the private registry without its account", async () => {
    const app = "registry.example/team/app";
    expect(await failed(world.registry.tags(at(app)))).toMatchObject({ kind: "unauthorized", status: 401 });
    const wrong = at(app, credentials("learner", "wrong"));
    expect(await failed(world.registry.tags(wrong))).toMatchObject({ kind: "unauthorized", code: "UNAUTHORIZED" });
    expect(await world.registry.tags(at(app, credentials("learner", "coracle")))).toEqual(["1"]);
    const none = at("registry.example/team/none", credentials("learner", "coracle"));
    expect(await failed(world.registry.tags(none))).toMatchObject({ kind: "not-found", code: "NAME_UNKNOWN" });
  });

  test("logs in, and trades the identity token in", async () => {
    for (const authority of ["registry-1.docker.io", "registry.example"]) {
      const endpoint = { authority, insecure: false };
      const login = (password: string) =>
        world.registry.login({ endpoint, credentials: credentials("learner", password) });
      expect(await failed(login("wrong"))).toMatchObject({ kind: "unauthorized", status: 401 });
      const identityToken = await login("coracle");
      expect(identityToken === "").toBe(authority === "registry.example");
      const known = { ...credentials("", ""), identityToken };
      if (identityToken) expect(await world.registry.tags(at("library/alpine", known))).toEqual(["3.20", "latest"]);
    }
  });

  test("is told what is not there", async () => {
    const resolve = (repository: string, reference: string) =>
      failed(world.registry.resolve({ ...at(repository), reference, accept: [] }));
    expect(await resolve("library/nothing", "latest")).toMatchObject({
      kind: "denied",
      message: "denied: requested access to the resource is denied",
    });
    expect(await resolve("library/alpine", "9")).toMatchObject({ kind: "not-found", code: "MANIFEST_UNKNOWN" });
    expect(await resolve("nowhere.example/x", "1")).toMatchObject({
      kind: "unreachable",
      message: 'Get "https://nowhere.example/v2/": dial tcp: lookup nowhere.example: no such host',
    });
  });

  test("gets part of a blob when it wants part", async () => {
    const [layer] = await world.pulled("library/hello-world", "latest");
    const blob = registryBlob(layer);
    const whole = await collect(world, blob);
    const token = await tokenFor(world, "library/hello-world");
    const url = `https://registry-1.docker.io/v2/library/hello-world/blobs/${blob.digest}`;
    const ask = (range: string) =>
      world.network.transport({
        method: "GET",
        url,
        headers: { authorization: `Bearer ${token}`, range },
        insecure: false,
        signal: new AbortController().signal,
      });
    const part = await ask("bytes=10-19");
    expect([part.status, part.header("content-range")]).toEqual([206, `bytes 10-19/${whole.length}`]);
    expect(await wholeOf(part.body)).toEqual(whole.subarray(10, 20));
    expect((await ask(`bytes=${whole.length}-`)).status).toBe(416);
  });
});

describe("the network", () => {
  test("takes its time, and a slow one more", async () => {
    const layers = await world.pulled("library/alpine", "3.20");
    const blob = registryBlob(layers[0]);
    const took = async (): Promise<number> => {
      const before = world.time.now().monotonic;
      await collect(world, blob);
      return Number(world.time.now().monotonic - before) / 1e9;
    };
    const expected = Number(blob.size) / 20_000_000 + 0.02;
    expect(await took()).toBeCloseTo(expected, 3);
    world.faults.inject({ kind: "registry-slow", bytesPerSecond: 100_000 }, 1);
    expect(await took()).toBeCloseTo(Number(blob.size) / 100_000 + 0.02, 2);
    expect(await took()).toBeCloseTo(expected, 3);
  });

  test("remembers who asked for what, and no secret", async () => {
    await world.registry.tags(at("library/busybox", credentials("learner", "coracle")));
    const { requests } = world.network;
    expect(requests.map(({ method, url, status }) => `${method} ${url} ${status}`)).toEqual([
      "GET https://registry-1.docker.io/v2/ 401",
      "GET https://auth.docker.io/token?service=registry.docker.io&scope=repository%3Alibrary%2Fbusybox%3Apull 200",
      "GET https://registry-1.docker.io/v2/library/busybox/tags/list 200",
    ]);
    const began = requests[0]!.at;
    expect(requests.map(({ at }) => Math.round(Number(at - began) / 1e6))).toEqual([0, 20, 40]);
    expect(JSON.stringify(requests, (_, value) => (typeof value === "bigint" ? "" : value))).not.toMatch(
      /learner|coracle"/,
    );
  });

  test("leads elsewhere for hosts that the world does not have", async () => {
    const asked: string[] = [];
    const beyond = new Fixture({
      elsewhere: async ({ url }) => {
        asked.push(url);
        throw Object.assign(new Error("no"), { code: "ECONNREFUSED" });
      },
    });
    expect((await failed(beyond.registry.tags(at("other.example/x")))).kind).toBe("unreachable");
    expect(await beyond.registry.tags(at("library/alpine"))).toEqual(["3.20", "latest"]);
    expect(asked).toEqual(["https://other.example/v2/"]);
    beyond.time.close();
  });
});

describe("a fault", () => {
  const tags = () => world.registry.tags(at("library/alpine"));

  test("takes a registry down, and lets it come back", async () => {
    const lift = world.faults.inject({ kind: "registry-down" });
    expect(await failed(tags())).toMatchObject({
      kind: "unreachable",
      message: 'Get "https://registry-1.docker.io/v2/": dial tcp registry-1.docker.io:443: connect: connection refused',
    });
    lift();
    expect(await tags()).toEqual(["3.20", "latest"]);
    world.faults.inject({ kind: "registry-down", authority: "registry.example" });
    expect(await tags()).toEqual(["3.20", "latest"]);
  });

  test("refuses whoever it is", async () => {
    world.faults.inject({ kind: "registry-unauthorized" });
    expect(await failed(tags())).toMatchObject({ kind: "unauthorized", code: "UNAUTHORIZED" });
    const endpoint = { authority: "registry-1.docker.io", insecure: false };
    const login = world.registry.login({ endpoint, credentials: credentials("learner", "coracle") });
    expect(await failed(login)).toMatchObject({ kind: "unauthorized", status: 401 });
  });

  test("asks for patience", async () => {
    world.faults.inject({ kind: "registry-limited", retryAfter: 7 }, 1);
    expect(await failed(tags())).toMatchObject({ kind: "limited", code: "TOOMANYREQUESTS", retryAfter: 7 });
    expect(await tags()).toEqual(["3.20", "latest"]);
  });

  test("cuts a blob off, and changes its bytes", async () => {
    const [layer] = await world.pulled("library/hello-world", "latest");
    const blob = registryBlob(layer);
    world.faults.inject({ kind: "registry-cut", afterBytes: 100 }, 1);
    expect(await failed(collect(world, blob))).toMatchObject({ kind: "corrupt", message: "unexpected EOF" });
    world.faults.inject({ kind: "registry-corrupt" }, 1);
    expect((await failed(world.registry.blob(blob))).kind).toBe("corrupt");
    expect(digestOf(await world.registry.blob(blob))).toBe(blob.digest);
  });
});

async function collect({ registry }: Fixture, blob: content.RegistryBlob): Promise<Buffer> {
  return wholeOf((await registry.stream(blob)).body);
}

async function wholeOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}

function registryBlob(layer: content.Layer | undefined): content.RegistryBlob {
  if (layer?.source.tag !== "registry") throw new Error("not of a registry");
  return layer.source.val;
}

async function tokenFor({ network }: Fixture, repository: string): Promise<string> {
  const url = `https://auth.docker.io/token?service=registry.docker.io&scope=repository:${repository}:pull`;
  const { signal } = new AbortController();
  const answer = await network.transport({ method: "GET", url, headers: {}, insecure: false, signal });
  return JSON.parse((await wholeOf(answer.body)).toString()).token;
}

const HUB = "registry-1.docker.io";
const IMAGES: [authority: string, repository: string, tag: string][] = [
  [HUB, "library/alpine", "3.20"],
  [HUB, "library/busybox", "latest"],
  [HUB, "library/busybox", "musl"],
  [HUB, "library/debian", "12"],
  [HUB, "library/hello-world", "latest"],
  [HUB, "library/nginx", "latest"],
  ["registry.example", "team/app", "1"],
];
