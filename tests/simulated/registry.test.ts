// The simulated registries: their content, access, speed, and faults.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { content } from "../../hosts/shared/host.js";
import type { FileSystem } from "../../hosts/simulated/files/file-system.js";
import { findProgram } from "../../hosts/simulated/processes/executable.js";
import { PROGRAMS } from "../../hosts/simulated/programs/table.js";
import { Catalogue } from "../../hosts/simulated/registry/catalogue.js";
import { digestOf } from "../support/registry/push-image.js";
import { at, credentials, failed, Fixture, once } from "./content-fixture.js";
import { SECURE } from "../support/registry/security.js";

let world: Fixture;

beforeEach(() => {
  world = new Fixture();
});

afterEach(() => world.time.close());

describe("the catalogue", () => {
  test("is always the same, for every client", () => {
    const digests = IMAGES.map(([authority, repository, tag]) => [
      `${repository}:${tag}`,
      new Catalogue().repository(authority, repository)?.manifest(tag)?.digest,
    ]);
    expect(Object.fromEntries(digests)).toMatchInlineSnapshot(`
      {
        "library/alpine:3.20": "sha256:99a15b79d58d34a0a12fb872f60f8c875fb6c2a1ee4fd614df0a13e62a70fa46",
        "library/busybox:latest": "sha256:c6e7a5d2c3853ea75de0c1ebfdacaf49bd067f29fa22b1d685fd6de41846c789",
        "library/busybox:musl": "sha256:732a37dec40cb4664e03bce444e10162a7537b918a7a9af1cfca625ad5aed289",
        "library/debian:12": "sha256:5a9a3ca7973383a1fae44a64d811e0e0dc0a6bed6a20963abc16e84a37c00a93",
        "library/hello-world:latest": "sha256:c72e94186b9ce5c50b047350c85cc3981567fbe1365cc774109daeb5723cc1ac",
        "library/nginx:latest": "sha256:58b658e93ced1637d052799da27f18d6d6f653679a8a1ec3df8cc4d28d5ef3f8",
        "team/app:1": "sha256:826fb739f540343a0c0d38b09e269e3d1e5f159ccd921e4641770c7a3e335e01",
      }
    `);
  });

  test("has images whose parts match their digests", async () => {
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

  test("lists its tags, in pages on request", async () => {
    expect(await world.registry.tags(at("library/busybox"))).toEqual(["1.36", "1.36-musl", "glibc", "latest", "musl"]);
  });

  test("makes archives for initially present images", async () => {
    const files = await world.ingest("a", new Catalogue().archive("busybox:latest"));
    const manifest = await world.perform({ tag: "read", val: { archive: "a", path: "manifest.json", limit: 4 << 20 } });
    const [image] = JSON.parse(new TextDecoder().decode(manifest.tag === "bytes" ? manifest.val : undefined));
    expect(image.RepoTags).toEqual(["busybox:latest"]);
    expect(files.map(({ path }) => path).sort()).toEqual([image.Config, ...image.Layers, "manifest.json"].sort());
    expect(() => new Catalogue().archive("nothing:latest")).toThrow("no image nothing:latest");
    expect(new Catalogue().archive("registry.example/team/app:1").length).toBeGreaterThan(1000);
  });
});

test("the world has every program of an image", async () => {
  const images = IMAGES.filter(([authority]) => authority === HUB);
  for (const [, repository, tag] of images) {
    const layers = await world.pulled(repository, tag);
    for (const layer of layers) await world.perform({ tag: "layer", val: layer });
    const { files } = await world.mount(layers.at(-1)!.chain);
    const search = { files, cwd: "/", path: undefined, uid: 0, program: (name: string) => PROGRAMS.get(name) };
    const programs = executables(files).filter((path) => !path.endsWith("/busybox"));
    for (const path of programs) expect(() => findProgram([path], search), `${repository} ${path}`).not.toThrow();
    expect(programs.length, repository).toBeGreaterThan(0);
  }
});

describe("a client", () => {
  test("gets nothing from the private registry without its account", async () => {
    const app = "registry.example/team/app";
    expect(await failed(world.registry.tags(at(app)))).toMatchObject(unanswered("no-credentials"));
    const wrong = at(app, credentials("learner", "wrong"));
    expect(await failed(world.registry.tags(wrong))).toMatchObject(answer(401, "UNAUTHORIZED"));
    expect(await world.registry.tags(at(app, credentials("learner", "coracle")))).toEqual(["1"]);
    const none = at("registry.example/team/none", credentials("learner", "coracle"));
    expect(await failed(world.registry.tags(none))).toMatchObject(answer(404, "NAME_UNKNOWN"));
  });

  test("logs in, and exchanges the identity token", async () => {
    for (const authority of ["registry-1.docker.io", "registry.example"]) {
      const endpoint = { authority, security: SECURE };
      const login = (password: string) =>
        world.registry.login({ endpoint, credentials: credentials("learner", password) });
      expect(await failed(login("wrong"))).toMatchObject({ tag: "registry-answer", val: { status: 401 } });
      const identityToken = await login("coracle");
      expect(identityToken === "").toBe(authority === "registry.example");
      const known = { ...credentials("", ""), identityToken };
      if (identityToken) expect(await world.registry.tags(at("library/alpine", known))).toEqual(["3.20", "latest"]);
    }
  });

  test("gets 404 for missing objects", async () => {
    const resolve = (repository: string, reference: string) =>
      failed(world.registry.resolve({ ...at(repository), reference, accept: [] }));
    expect(await resolve("library/nothing", "latest")).toMatchObject({
      tag: "registry-answer",
      val: { status: 401, lacksScope: true },
    });
    expect(await resolve("library/alpine", "9")).toMatchObject(answer(404, "MANIFEST_UNKNOWN"));
    expect(await resolve("nowhere.example/x", "1")).toMatchObject({
      tag: "exchange",
      val: {
        url: "https://nowhere.example/v2/",
        why: { tag: "call", val: { call: "getaddrinfo", path: "nowhere.example", error: "ENOTFOUND" } },
      },
    });
  });

  test("gets a part of a blob on request", async () => {
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
        registry: "",
        signal: new AbortController().signal,
      });
    const part = await ask("bytes=10-19");
    expect([part.status, part.header("content-range")]).toEqual([206, `bytes 10-19/${whole.length}`]);
    expect(await wholeOf(part.body)).toEqual(whole.subarray(10, 20));
    expect((await ask(`bytes=${whole.length}-`)).status).toBe(416);
  });
});

describe("the network", () => {
  test("takes time, and more if it is slow", async () => {
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

  test("records the requests of each client, without secrets", async () => {
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

  test("passes requests to unknown hosts on, with their own timing", async () => {
    const asked: string[] = [];
    const open = new Fixture({
      elsewhere: async ({ url }) => {
        asked.push(url);
        // A longer real time than the client's timeout would allow if the world did not wait.
        await new Promise((resolve) => setTimeout(resolve, 50));
        const body = once(Buffer.from('{"tags":["far"]}'));
        return { status: 200, header: () => null, body, cancel: () => {} };
      },
    });
    expect(await open.registry.tags(at("other.example/x"))).toEqual(["far"]);
    expect(await open.registry.tags(at("library/alpine"))).toEqual(["3.20", "latest"]);
    expect(asked).toEqual(["https://other.example/v2/", "https://other.example/v2/x/tags/list"]);
    open.time.close();
  });
});

describe("a fault", () => {
  const tags = () => world.registry.tags(at("library/alpine"));

  test("takes a registry down, and brings it back", async () => {
    const lift = world.faults.inject({ kind: "registry-down" });
    expect(await failed(tags())).toMatchObject({
      tag: "exchange",
      val: {
        url: "https://registry-1.docker.io/v2/",
        why: { tag: "call", val: { call: "connect", path: "registry-1.docker.io:443", error: "ECONNREFUSED" } },
      },
    });
    lift();
    expect(await tags()).toEqual(["3.20", "latest"]);
    world.faults.inject({ kind: "registry-down", authority: "registry.example" });
    expect(await tags()).toEqual(["3.20", "latest"]);
  });

  test("refuses every client", async () => {
    world.faults.inject({ kind: "registry-unauthorized" });
    expect(await failed(tags())).toMatchObject(answer(401, "UNAUTHORIZED"));
    const endpoint = { authority: "registry-1.docker.io", security: SECURE };
    const login = world.registry.login({ endpoint, credentials: credentials("learner", "coracle") });
    expect(await failed(login)).toMatchObject(answer(401, "UNAUTHORIZED"));
  });

  test("asks to retry later", async () => {
    world.faults.inject({ kind: "registry-limited", retryAfter: 7 }, 1);
    expect(await failed(tags())).toMatchObject(answer(429, "TOOMANYREQUESTS", { retryAfter: 7 }));
    expect(await tags()).toEqual(["3.20", "latest"]);
  });

  test("answers with a status", async () => {
    world.faults.inject({ kind: "registry-fails", status: 503 }, 1);
    expect(await failed(tags())).toMatchObject(answer(503, "UNAVAILABLE"));
    expect(await tags()).toEqual(["3.20", "latest"]);
  });

  test("cuts a blob off, and changes its bytes", async () => {
    const [layer] = await world.pulled("library/hello-world", "latest");
    const blob = registryBlob(layer);
    world.faults.inject({ kind: "registry-cut", afterBytes: 100 }, 1);
    expect(await failed(collect(world, blob))).toMatchObject({ tag: "cut-short" });
    world.faults.inject({ kind: "registry-corrupt" }, 1);
    expect((await failed(world.registry.blob(blob))).tag).toBe("mismatch");
    expect(digestOf(await world.registry.blob(blob))).toBe(blob.digest);
  });
});

/** Programs, scripts, and links to them, in the directories of programs. */
function executables(files: FileSystem, directory = ""): string[] {
  return files.list(directory || "/").flatMap((name) => {
    const path = `${directory}/${name}`;
    const { kind } = files.linkStatus(path);
    if (kind === "directory") return /^\/(dev|etc|usr\/lib|lib)$/.test(path) ? [] : executables(files, path);
    if (kind === "symlink" && !directory.endsWith("bin")) return [];
    return directory !== "" || /^\/(hello|docker-entrypoint.sh)$/.test(path) ? runnable(files, path) : [];
  });
}

function runnable(files: FileSystem, path: string): string[] {
  return (files.status(path).mode & 0o111) !== 0 ? [path] : [];
}

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
  const answer = await network.transport({ method: "GET", url, headers: {}, insecure: false, registry: "", signal });
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

function answer(status: number, code: string, more: object = {}): object {
  return { tag: "registry-answer", val: { status, errors: [{ code }], ...more } };
}

function unanswered(tag: string): object {
  return { tag: "exchange", val: { why: { tag } } };
}
