// Pulls, as seen by the core: its requests to registry and disk, and what the client reads.

import { describe, expect, test } from "vitest";
import {
  digestOf,
  encode,
  ImageWorld,
  INDEX,
  makeImage,
  makeIndex,
  resolved,
  shortId,
} from "../../support/image-world.js";
import { chainsOf, pull } from "./pulls.js";
import { SECURE } from "../../../support/registry/security.js";

describe("an image of five layers", () => {
  const image = makeImage(["a", "b", "c", "d", "e"]);
  const ids = image.blobs.map(shortId);

  test("is resolved, announced, fetched three at a time, completed base first, and named", () => {
    const world = new ImageWorld();
    const id = world.ask("POST", "/v1.41/images/create?fromImage=box&tag=1");
    const { op, val } = world.take("resolve");
    expect(val).toMatchObject({
      endpoint: { authority: "registry-1.docker.io", security: SECURE },
      repository: "library/box",
      reference: "1",
      limit: 4 << 20,
    });
    expect(val.credentials).toBeUndefined();
    expect(world.answer(id).status).toBe(0);
    world.succeed(op, resolved(image.manifest));
    expect(world.answer(id).headers).toContain("Content-Type: application/json");
    const config = world.take("blob");
    expect(config.val).toMatchObject({ digest: image.id, size: BigInt(image.config.length) });
    world.succeed(config.op, { tag: "bytes", val: image.config });
    expect(world.said(id)).toEqual([
      "Pulling from library/box 1",
      ...ids.map((layer) => `Pulling fs layer ${layer}`),
      `Waiting ${ids[3]}`,
      `Waiting ${ids[4]}`,
    ]);
    expect(world.open()).toEqual(["layer", "layer", "layer"]);
    const layers = [world.take("layer"), world.take("layer"), world.take("layer")];
    expect(layers.map(({ val }) => [val.chain, val.parent, val.diffId])).toEqual(
      [0, 1, 2].map((at) => [image.chains[at], image.chains[at - 1], image.diffIds[at]]),
    );

    // The third finishes first, but its extraction waits for those below.
    world.progress(layers[2]!.op, "downloading", 500, 1002);
    world.progress(layers[2]!.op, "verifying", 1002, 1002);
    world.progress(layers[2]!.op, "downloaded", 1002, 1002);
    expect(world.open()).toEqual(["layer"]);
    world.progress(layers[2]!.op, "extracting", 1002, 1002);
    world.succeed(layers[2]!.op, { tag: "size", val: 30n });
    expect(world.said(id).slice(8)).toEqual([
      `Downloading ${ids[2]}`,
      `Verifying Checksum ${ids[2]}`,
      `Download complete ${ids[2]}`,
    ]);
    world.progress(layers[0]!.op, "extracting", 400, 1000);
    world.succeed(layers[0]!.op, { tag: "size", val: 10n });
    expect(world.lines(id).slice(11)).toEqual([
      { status: "Verifying Checksum", progressDetail: {}, id: ids[0] },
      { status: "Download complete", progressDetail: {}, id: ids[0] },
      expect.objectContaining({ status: "Extracting", progressDetail: { current: 400, total: 1000 }, id: ids[0] }),
      {
        status: "Extracting",
        progressDetail: { current: 1000, total: 1000 },
        progress: `[${"=".repeat(50)}>]      1kB/1kB`,
        id: ids[0],
      },
      { status: "Pull complete", progressDetail: {}, id: ids[0] },
    ]);
    world.succeed(layers[1]!.op, { tag: "size", val: 20n });
    const before = world.said(id).length;
    expect(world.said(id).slice(-3)).toEqual([
      `Pull complete ${ids[1]}`,
      `Extracting ${ids[2]}`,
      `Pull complete ${ids[2]}`,
    ]);
    expect(world.call("GET", "/images/json").json).toHaveLength(1);
    for (const size of [40n, 50n]) world.succeed(world.take("layer").op, { tag: "size", val: size });
    expect(world.said(id).slice(before).slice(-3)).toEqual([
      `Pull complete ${ids[4]}`,
      `Digest: ${image.digest}`,
      "Status: Downloaded newer image for box:1",
    ]);
    expect(world.answer(id).over).toBe(true);
    expect(world.open()).toEqual([]);
    expect(world.call("GET", "/v1.41/images/box:1/json").json).toMatchObject({
      Id: image.id,
      RepoTags: ["box:1"],
      RepoDigests: [`box@${image.digest}`],
      Size: 150,
      RootFS: { Layers: image.diffIds },
    });
    expect(new Set(world.records.keys())).toEqual(
      new Set([
        ...new ImageWorld().records.keys(),
        `config/${image.id}`,
        `image/${image.id}`,
        ...image.chains.map((chain) => `layer/${chain}`),
        "reference/docker.io/library/box:1",
        `reference/docker.io/library/box@${image.digest}`,
      ]),
    );
  });

  test("survives a restart; without one of its layers it is set aside, and the others stay until it is pulled again", () => {
    const world = new ImageWorld();
    pull(world, "box:1", image);
    const again = new ImageWorld({ records: world.records, chains: [...image.chains, ...chainsOf(world)] });
    expect(again.call("GET", "/images/box:1/json").json).toMatchObject({ Id: image.id, RepoTags: ["box:1"] });
    expect(again.dropped()).toEqual([]);
    const top = image.chains[4]!;
    const left = chainsOf(world).filter((chain) => chain !== top);
    const without = new ImageWorld({ records: world.records, chains: left });
    expect(without.call("GET", "/images/box:1/json").status).toBe(404);
    expect(without.dropped()).toEqual([]);
    const damaged = () => [...without.records.keys()].filter((key) => key.startsWith("damaged/"));
    expect(damaged().sort()).toEqual([
      `damaged/config/${image.id}`,
      `damaged/image/${image.id}`,
      `damaged/layer/${top}`,
      "damaged/reference/docker.io/library/box:1",
      `damaged/reference/docker.io/library/box@${image.digest}`,
    ]);
    pull(without, "box:1", image);
    expect(without.call("GET", "/images/box:1/json").status).toBe(200);
    expect(damaged()).toEqual([]);
  });

  test("layers that a crash left without an image are dropped", () => {
    const world = new ImageWorld({ chains: [...chainsOf(new ImageWorld()), ...image.chains] });
    expect(new Set(world.dropped())).toEqual(new Set(image.chains));
  });

  test("progress comes at most every 100 ms; from 1.52 on without a bar", () => {
    const world = new ImageWorld();
    const id = world.ask("POST", "/v1.52/images/create?fromImage=box&tag=1");
    world.succeed(world.take("resolve").op, resolved(image.manifest));
    world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
    const layer = world.take("layer");
    for (let current = 1; current <= 60; current++) {
      world.progress(layer.op, "downloading", current * 10, 1000);
      world.sleep(10);
    }
    const amounts = world.lines(id).filter((line) => line["status"] === "Downloading");
    expect(amounts.map((line) => line["progressDetail"])).toEqual(
      [10, 110, 210, 310, 410, 510].map((current) => ({ current, total: 1000 })),
    );
    expect(amounts.every((line) => !("progress" in line))).toBe(true);
  });

  test("a client that does not read gets only its credit, and then the newest lines", () => {
    const world = new ImageWorld({ reading: false });
    const id = world.ask("POST", "/v1.41/images/create?fromImage=box&tag=1");
    world.succeed(world.take("resolve").op, resolved(image.manifest));
    world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
    const layer = world.take("layer");
    for (let current = 1; current <= 6000; current++) {
      world.sleep(100);
      world.progress(layer.op, "downloading", current, 6000);
    }
    expect(world.answer(id).unread).toBeGreaterThan(400_000);
    expect(world.answer(id).unread).toBeLessThan(1 << 20);
    const sent = world.lines(id).length;
    world.read(id);
    const late = world.lines(id).slice(sent);
    expect(late.map((line) => line["progressDetail"])).toEqual([{ current: 6000, total: 1000 }]);
  });
});

describe("existing content", () => {
  const image = makeImage(["x", "y"]);

  test("is not requested again: up to date, or with a new name", () => {
    const world = new ImageWorld();
    pull(world, "box:1", image);
    for (const [tag, status] of [
      ["1", "Image is up to date"],
      ["2", "Downloaded newer image"],
    ]) {
      const id = world.ask("POST", `/images/create?fromImage=docker.io/library/box&tag=${tag}&platform=linux/s390x`);
      world.succeed(world.take("resolve").op, resolved(image.manifest));
      expect(world.said(id).slice(0, 3)).toEqual([
        `Pulling from library/box ${tag}`,
        `Digest: ${image.digest}`,
        `Status: ${status} for box:${tag}`,
      ]);
      expect(world.said(id)[3]).toMatch(/^WARNING: .* wanted linux\/s390x, actual: linux\/amd64$/);
      expect(world.open()).toEqual([]);
    }
  });

  test("layers of another image already exist", () => {
    const world = new ImageWorld();
    pull(world, "box:1", image);
    const more = makeImage(["z"], { on: image });
    const id = world.ask("POST", "/images/create?fromImage=more&tag=1");
    world.succeed(world.take("resolve").op, resolved(more.manifest));
    world.succeed(world.take("blob").op, { tag: "bytes", val: more.config });
    const [x, y, z] = more.blobs.map(shortId);
    expect(world.said(id).slice(1)).toEqual([`Already exists ${x}`, `Already exists ${y}`, `Pulling fs layer ${z}`]);
    expect(world.take("layer").val.chain).toBe(more.chains[2]);
    expect(world.open()).toEqual([]);
  });
});

describe("an index", () => {
  const own = makeImage(["own"]);
  const arm = makeImage(["arm"], { architecture: "arm64" });
  const attestation = makeImage(["said"], { architecture: "unknown" });
  const index = makeIndex([
    [{ os: "unknown", architecture: "unknown" }, attestation],
    [{ os: "linux", architecture: "arm64", variant: "v8" }, arm],
    [{ os: "linux", architecture: "amd64" }, own],
  ]);

  test.each([
    ["", own],
    ["&platform=linux/arm64", arm],
  ])("its entry for the machine or the requested platform%s", (query, image) => {
    const world = new ImageWorld();
    const id = world.ask("POST", `/images/create?fromImage=x&tag=1${query}`);
    world.succeed(world.take("resolve").op, resolved(index, INDEX));
    expect(world.said(id)).toEqual(["Pulling from library/x 1"]);
    const { op, val } = world.take("resolve");
    expect(val.reference).toBe(image.digest);
    world.succeed(op, resolved(image.manifest));
    world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
    world.succeed(world.take("layer").op, { tag: "size", val: 1n });
    expect(world.said(id).slice(-2)).toEqual([`Digest: ${digestOf(index)}`, "Status: Downloaded newer image for x:1"]);
  });

  test("within an index is followed; no matching entry is an error in the stream", () => {
    const world = new ImageWorld();
    const outer = encode(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: INDEX,
        manifests: [{ mediaType: INDEX, digest: digestOf(index), size: index.length }],
      }),
    );
    const id = world.ask("POST", "/images/create?fromImage=x&tag=1&platform=linux/mips64le");
    world.succeed(world.take("resolve").op, resolved(outer, INDEX));
    world.succeed(world.take("resolve").op, resolved(index, INDEX));
    const error = "no matching manifest for linux/mips64le in the manifest list entries";
    expect(world.lines(id).at(-1)).toEqual({ errorDetail: { message: error }, error });
    expect(world.answer(id).over).toBe(true);
  });
});
