// Layers of the simulated world from its registries: fetched, checked, unpacked, shared.

import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { nodeTransport } from "../../hosts/node/registry/index.js";
import type { content, engine } from "../../hosts/shared/host.js";
import type { FileSystem } from "../../hosts/simulated/files/file-system.js";
import { rawTar } from "../support/archives/tar.js";
import { digestOf } from "../support/registry/push-image.js";
import { INSECURE } from "../support/registry/security.js";
import { startTakingRegistry } from "../support/registry/taking-registry.js";
import { chainOf, failed, Fixture, type Told } from "./content-fixture.js";

let world: Fixture;
const text = (files: FileSystem, path: string): string => new TextDecoder().decode(files.read(path));
const bytes = (content: string): Uint8Array => new TextEncoder().encode(content);

beforeEach(() => {
  world = new Fixture();
});

afterEach(() => world.time.close());

test("a layer is sent in parts, from the beginning, to a registry that refuses a stream", async () => {
  const registry = await startTakingRegistry();
  onTestFinished(registry.close);
  registry.answer = ({ method, headers }, response) =>
    method === "PATCH" && headers["content-range"] === undefined && Boolean(response.writeHead(411).end());
  world = new Fixture({ elsewhere: nodeTransport() });
  const chain = await world.layer(rawTar([{ name: "file", body: "content" }]));
  const to = { endpoint: { authority: registry.authority, security: INSECURE }, repository: "some/thing" };
  const { val: sent } = (await world.perform({ tag: "upload", val: { to, chain, otherWays: 5, unanswered: 5 } })) as {
    val: engine.SentBlob;
  };
  expect(digestOf(registry.blobs.get(sent.digest)!)).toBe(sent.digest);
  expect(registry.asked.map((line) => line.split(" ")[0])).toEqual(["GET", "POST", "PATCH", "POST", "PATCH", "PUT"]);
});

describe("a layer from a registry", () => {
  test("goes through its phases, and exists when it is complete", async () => {
    const [layer] = await world.pulled("library/alpine", "latest");
    const told: Told[] = [];
    const outcome = await world.perform({ tag: "layer", val: layer! }, told);
    expect([...new Set(told.map(({ phase }) => phase))]).toEqual([
      "downloading",
      "verifying",
      "downloaded",
      "extracting",
    ]);
    const { total } = told[0]!;
    expect(
      told.filter(({ phase, current }) => phase === "downloading" && current > 0 && current < total).length,
    ).toBeGreaterThan(10);
    expect(told.at(-1)).toEqual({ phase: "extracting", current: total, total });
    expect(outcome).toMatchObject({ tag: "size" });
    expect(world.content.chains()).toEqual([layer!.chain]);
    const { files } = await world.mount(layer!.chain);
    expect(text(files, "/etc/alpine-release")).toBe("3.20.6\n");
    expect(files.linkStatus("/bin/sh")).toMatchObject({ kind: "symlink", target: "/bin/busybox" });
  });

  test("is fetched once for all requests, and not again while it exists", async () => {
    const [layer] = await world.pulled("library/hello-world", "latest");
    const before = world.network.requests.length;
    const told: Told[][] = [[], []];
    const ask = (place: number) => world.perform({ tag: "layer", val: layer! }, told[place]);
    const [one, other] = await Promise.all([ask(0), ask(1)]);
    expect(one).toEqual(other);
    expect(told[1]).toEqual(told[0]);
    expect(await ask(0)).toEqual(one);
    expect(world.network.requests.length - before).toBe(1);
  });

  test("needs no lower layer unless it links to a file of it", async () => {
    const [base, extras] = await world.pulled("library/debian", "12");
    await world.perform({ tag: "layer", val: extras! });
    expect(await failed(world.mount(extras!.chain))).toMatchObject({ tag: "no-such", val: { what: "layer" } });
    await world.perform({ tag: "layer", val: base! });
    const { files } = await world.mount(extras!.chain);
    expect([files.resolve("/bin/sh"), files.list("/usr/share/zoneinfo")]).toEqual(["/usr/bin/dash", ["tzdata.zi"]]);
  });

  test.each<[string, (world: Fixture, layer: content.Layer) => void, Record<string, unknown>]>([
    [
      "with different bytes",
      ({ faults }) => void faults.inject({ kind: "registry-corrupt" }, 1),
      { tag: "mismatch", val: { what: "blob", wanted: expect.stringMatching(/^sha256:/), found: "" } },
    ],
    [
      "that is shorter than announced",
      (_, layer) => void (layer.source = longer(layer.source)),
      { tag: "mismatch", val: { what: "blob", wanted: expect.stringMatching(/^sha256:/), found: "" } },
    ],
    [
      "with a different tar",
      (_, layer) => void (layer.diffId = digestOf(bytes("other"))),
      {
        tag: "mismatch",
        val: { what: "diff-id", wanted: digestOf(bytes("other")), found: expect.stringMatching(/^sha256:/) },
      },
    ],
    [
      "without room for it",
      ({ faults }) => void faults.inject({ kind: "disk-full" }, 1),
      { tag: "call", val: { call: "write", path: expect.stringMatching(/^\/blobs\/sha256:/), error: "ENOSPC" } },
    ],
  ])("%s leaves nothing, and can be fetched afterwards", async (_, spoil, expected) => {
    const [layer] = await world.pulled("library/alpine", "latest");
    const spoilt = { ...layer! };
    spoil(world, spoilt);
    const before = world.disk.room.used;
    expect(await failed(world.perform({ tag: "layer", val: spoilt }))).toMatchObject(expected);
    expect([world.content.chains(), world.disk.room.used]).toEqual([[], before]);
    await world.perform({ tag: "layer", val: layer! });
    expect(world.content.chains()).toEqual([layer!.chain]);
  });

  test("that is cut off continues where it stopped, and the part of it can be dropped", async () => {
    const [layer] = await world.pulled("library/alpine", "latest");
    const { used } = world.disk.room;
    const cut = async (): Promise<void> => {
      world.faults.inject({ kind: "registry-cut", afterBytes: 5000 }, 1);
      const failure = await failed(world.perform({ tag: "layer", val: layer! }));
      expect(failure).toMatchObject({ tag: "cut-short" });
    };
    await cut();
    expect([world.content.chains(), world.disk.room.used]).toEqual([[], used + 5000]);
    await world.perform({ tag: "drop-chain", val: layer!.chain });
    expect(world.disk.room.used).toBe(used);
    await cut();
    await cut();
    expect(world.disk.room.used).toBe(used + 10_000);
    const told: Told[] = [];
    await world.perform({ tag: "layer", val: layer! }, told);
    expect(told[0]).toMatchObject({ phase: "downloading", current: 10_000 });
    await world.perform({ tag: "drop-chain", val: layer!.chain });
    expect(world.disk.room.used).toBe(used);
  });

  test("that is cut off and continues with different bytes is discarded", async () => {
    const [layer] = await world.pulled("library/alpine", "latest");
    const { used } = world.disk.room;
    world.faults.inject({ kind: "registry-cut", afterBytes: 5000 }, 1);
    await failed(world.perform({ tag: "layer", val: layer! }));
    world.faults.inject({ kind: "registry-corrupt" }, 1);
    expect((await failed(world.perform({ tag: "layer", val: layer! }))).tag).toBe("mismatch");
    expect(world.disk.room.used).toBe(used);
    await world.perform({ tag: "layer", val: layer! });
    expect(world.content.chains()).toEqual([layer!.chain]);
  });

  test("waits for all layers below it if it links to a file", async () => {
    const tars = [
      rawTar([{ name: "file", body: "x".repeat(1_000_000) }]),
      rawTar([{ name: "other", body: "x" }]),
      rawTar([{ name: "link", flag: "1", target: "file" }]),
    ];
    const made: Promise<string>[] = [];
    const chains: string[] = [];
    for (const tar of tars) {
      made.push(world.layer(tar, chains.at(-1)));
      chains.push(chainOf(digestOf(tar), chains.at(-1)));
    }
    expect(await Promise.all(made)).toEqual(chains);
    expect((await world.mount(chains[2])).files.status("/link").size).toBe(1_000_000);
  });

  test("that is not flushed is there for those above it only, and goes with the engine", async () => {
    const low = rawTar([{ name: "file", body: "text" }]);
    const below = await world.layer(low, undefined, true);
    const above = await world.layer(rawTar([{ name: "link", flag: "1", target: "file" }]), below, true);
    expect(world.content.chains()).toEqual([]);
    expect(await failed(world.mount(above))).toMatchObject({ tag: "no-such" });
    for (const _ of [1, 2]) await world.perform({ tag: "flush-layers", val: [below, above] });
    expect(world.content.chains()).toEqual([below, above]);
    expect((await world.mount(above)).files.resolve("/link")).toBe("/link");
    const { used } = world.disk.room;
    const lost = await world.layer(low, above, true);
    await world.content.restart();
    expect(world.content.chains()).toEqual([below, above]);
    expect(world.disk.room.used).toBe(used);
    const flush = world.perform({ tag: "flush-layers", val: [lost] });
    expect(await failed(flush)).toEqual({ tag: "no-such", val: { what: "layer", name: lost } });
  });

  test("a missing chain cannot be mounted, and the attempt can be abandoned", async () => {
    const mounting = world.perform(
      { tag: "mount", val: { container: "c".repeat(64), chain: "sha256:none", bare: false } },
      [],
      1001n,
    );
    await world.perform({ tag: "abandon", val: 1001n });
    expect((await failed(mounting)).tag).toBe("no-such");
  });

  test("is abandoned on request, unless another request needs it", async () => {
    const [layer] = await world.pulled("library/alpine", "latest");
    const one = world.perform({ tag: "layer", val: layer! }, [], 1001n);
    const other = world.perform({ tag: "layer", val: layer! }, [], 1002n);
    await world.perform({ tag: "abandon", val: 1001n });
    expect(await failed(one)).toMatchObject({ tag: "interrupted", val: "given-up" });
    const third = world.perform({ tag: "layer", val: layer! }, [], 1003n);
    await world.perform({ tag: "abandon", val: 1002n });
    await failed(other);
    await third;
    await world.perform({ tag: "drop-chain", val: layer!.chain });
    const last = world.perform({ tag: "layer", val: layer! }, [], 1004n);
    await world.perform({ tag: "abandon", val: 1004n });
    expect(await failed(last)).toEqual({ tag: "interrupted", val: "given-up" });
    expect(world.content.chains()).toEqual([]);
  });

  test("frees its space when it is dropped, unless another layer has the same blob", async () => {
    const before = world.disk.room.used;
    const layers = await world.pulled("library/nginx", "latest");
    for (const layer of layers) await world.perform({ tag: "layer", val: layer });
    for (const { chain } of layers.reverse()) await world.perform({ tag: "drop-chain", val: chain });
    expect([world.content.chains(), world.disk.room.used]).toEqual([[], before]);
  });
});

function longer(source: content.LayerSource): content.LayerSource {
  if (source.tag !== "registry") throw new Error("not from a registry");
  return { ...source, val: { ...source.val, size: source.val.size + 1n } };
}
