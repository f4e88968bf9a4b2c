// POST /images/load, as seen by the core.

import { createHash } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import type { failures } from "../../../hosts/shared/host.js";
import { ImageWorld, digestOf, encode, INDEX, makeImage, makeIndex } from "../support/image-world.js";
import type { Json } from "../support/image-world.js";
import { answerList, beginLoad, filesOf, flush, load } from "./begun.js";
import { begin as beginPull } from "./pull/pulls.js";

let world: ImageWorld;
beforeEach(() => {
  world = new ImageWorld();
});

describe("load", () => {
  const image = makeImage(["one", "two"]);

  test("an archive of docker save: lines layer after layer, tags, then the archive is dropped", () => {
    const id = world.ask("POST", "/images/load?quiet=0", encode("tar"));
    const { op, val } = world.take("ingest");
    expect(val.request).toBe(id);
    world.succeed(op, { tag: "ingested", val: filesOf(image) });
    const list = world.take("read");
    expect(list.val).toEqual({ archive: val.archive, path: "manifest.json", limit: 4 << 20 });
    answerList(world, list.op, [
      { Config: "c.json", RepoTags: ["box:1", "r.example/box:2"], Layers: ["0.tar", "1.tar"] },
    ]);
    const config = world.take("read");
    expect(config.val.path).toBe("c.json");
    world.succeed(config.op, { tag: "bytes", val: image.config });
    expect(world.open()).toEqual(["layer", "layer"]);
    for (const at of [0, 1]) {
      const layer = world.take("layer");
      expect(layer.val).toMatchObject({
        chain: image.chains[at],
        diffId: image.diffIds[at],
        source: { tag: "archived", val: { archive: val.archive, path: `${at}.tar` } },
      });
      world.sleep(200);
      world.progress(layer.op, "extracting", 1000, 2000);
      world.succeed(layer.op, { tag: "size", val: 5n });
    }
    const dropped = world.take("drop-archive");
    expect(dropped.val).toBe(val.archive);
    expect(world.answer(id).over).toBe(false);
    world.done(dropped.op);
    const flushed = world.take("flush-layers");
    expect(flushed.val).toEqual(image.chains);
    expect(world.said(id).join()).not.toContain("Loaded image");
    world.done(flushed.op);
    const short = image.diffIds.map((diffId) => diffId.slice(7, 19));
    const amounts = world.lines(id).filter((line) => line["status"] === "Loading layer");
    expect(amounts.map((line) => [line["id"], line["progressDetail"]])).toEqual(
      short.flatMap((layer) => [0, 1000, 2000].map((current) => [layer, amount(current, 2000)])),
    );
    expect(world.said(id).slice(-2)).toEqual(["Loaded image: box:1\n", "Loaded image: r.example/box:2\n"].map(trimmed));
    expect(world.answer(id)).toMatchObject({ status: 200, over: true });
    expect(world.call("GET", "/images/box:1/json").json).toMatchObject({
      Id: image.id,
      RepoTags: ["box:1", "r.example/box:2"],
      RepoDigests: [],
      Size: 10,
    });
  });

  test("names of members may begin with ./, which is removed", () => {
    const id = beginLoad(world, image, ["box:1"], "quiet=0", (name) => `./${name}`);
    expect(world.take("layer").val).toMatchObject({ source: { tag: "archived", val: { path: "0.tar" } } });
    expect(world.lines(id).map(({ progressDetail }) => progressDetail)).toEqual([amount(0, 2000)]);
  });

  test("existing layers are not unpacked, and not mentioned", () => {
    load(world, image, ["box:1"]);
    const more = makeImage(["three"], { on: image });
    const id = beginLoad(world, more, ["more:1"], "quiet=0");
    expect(world.take("layer").val).toMatchObject({ chain: more.chains[2], parent: image.chains[1] });
    expect(world.lines(id)).toHaveLength(1);
  });

  test("a tag that moves, and images without any", () => {
    load(world, image, ["box:1"]);
    const other = makeImage(["other"]);
    const moved = load(world, other, ["box:1"]);
    expect(world.said(moved)).toEqual(
      [
        `The image box:1 already exists, renaming the old one with ID ${image.id} to empty string`,
        "Loaded image: box:1",
      ].map(trimmed),
    );
    expect(world.call("GET", `/v1.43/images/${image.id}/json`).json).toMatchObject({ RepoTags: [] });
    const unnamed = load(world, makeImage(["unnamed"]), null);
    expect(world.said(unnamed)).toEqual([`Loaded image ID: ${makeImage(["unnamed"]).id}`]);
  });

  test("an OCI image layout, an index in its index", () => {
    const arm = makeImage(["arm"], { architecture: "arm64" });
    const inner = makeIndex([
      [{ os: "linux", architecture: "arm64" }, arm],
      [{ os: "linux", architecture: "amd64" }, image],
    ]);
    const outer = {
      schemaVersion: 2,
      manifests: [
        {
          mediaType: INDEX,
          digest: digestOf(inner),
          size: inner.length,
          annotations: { "io.containerd.image.name": "docker.io/library/oci:1" },
        },
      ],
    };
    const id = world.ask("POST", "/images/load", encode("tar"));
    world.succeed(world.take("ingest").op, { tag: "ingested", val: [{ path: "index.json", size: 1n }] });
    const path = (digest: string): string => `blobs/${digest.replace(":", "/")}`;
    for (const [name, bytes] of [
      ["index.json", encode(JSON.stringify(outer))],
      [path(digestOf(inner)), inner],
      [path(image.digest), image.manifest],
      [path(image.id), image.config],
    ] as const) {
      const { op, val } = world.take("read");
      expect(val.path).toBe(name);
      world.succeed(op, { tag: "bytes", val: bytes });
    }
    for (const blob of image.blobs) {
      const { op, val } = world.take("layer");
      expect(val.source.val).toMatchObject({ path: path(blob.digest) });
      world.succeed(op, { tag: "size", val: 1n });
    }
    flush(world);
    expect(world.said(id)).toEqual(["Loaded image: oci:1"]);
  });

  describe("an OCI image layout by SHA-512", () => {
    const by = (algorithm: string, bytes: Uint8Array): string =>
      `${algorithm}:${createHash(algorithm).update(bytes).digest("hex")}`;
    const path = (digest: string): string => `blobs/${digest.replace(":", "/")}`;
    const manifestOf = (config: string): Uint8Array => {
      const layers = image.blobs.map(({ size }, at) => ({ digest: by("sha512", encode(String(at))), size }));
      return encode(
        JSON.stringify({ schemaVersion: 2, config: { digest: config, size: image.config.length }, layers }),
      );
    };
    /** Answers the index, and the documents behind it as far as they are read. */
    const read = (entry: string, ...documents: Uint8Array[]): bigint => {
      const id = world.ask("POST", "/images/load", encode("tar"));
      world.succeed(world.take("ingest").op, { tag: "ingested", val: [{ path: "index.json", size: 1n }] });
      const index = { schemaVersion: 2, manifests: [{ mediaType: MANIFEST, digest: entry, size: 1 }] };
      for (const bytes of [encode(JSON.stringify(index)), ...documents]) {
        world.succeed(world.take("read").op, { tag: "bytes", val: bytes });
      }
      return id;
    };
    const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
    const said = (id: bigint): unknown => world.lines(id).at(-1)?.["error"];

    test.each(["sha384", "sha512"])("%s: each document is what its digest says", (algorithm) => {
      const manifest = manifestOf(by(algorithm, image.config));
      const id = read(by(algorithm, manifest), manifest, image.config);
      for (const at of image.blobs.keys()) {
        const { op, val } = world.take("layer");
        expect(val.source.val).toMatchObject({ path: path(by("sha512", encode(String(at)))) });
        world.succeed(op, { tag: "size", val: 1n });
      }
      flush(world);
      expect(world.said(id)).toEqual([`Loaded image ID: ${image.id}`]);
    });

    test("other documents are refused", () => {
      const manifest = manifestOf(by("sha512", image.config));
      const digest = by("sha512", encode("another"));
      expect(said(read(digest, manifest))).toBe(`invalid archive: digest of ${digest} does not match`);
      const other = manifestOf(digest);
      expect(said(read(by("sha512", other), other, image.config))).toBe(
        `invalid archive: digest of ${digest} does not match`,
      );
    });

    test("an unknown algorithm is refused by name", () => {
      const unknown = `blake3:${"a".repeat(64)}`;
      expect(said(read(unknown))).toBe(`invalid archive: unsupported digest algorithm: ${unknown}`);
      const manifest = manifestOf(unknown);
      expect(said(read(digestOf(manifest), manifest))).toBe(
        `invalid manifest: unsupported digest algorithm: "${unknown}"`,
      );
    });
  });

  describe("layers that are unpacked at the same time", () => {
    const five = makeImage(["a", "b", "c", "d", "e"]);
    /** `LAYER bytes so far`, with the layer's index. */
    const told = (id: bigint): string[] =>
      world
        .lines(id)
        .filter(({ status }) => status === "Loading layer")
        .map(({ id: short, progressDetail }) => {
          const at = five.diffIds.findIndex((diffId) => diffId.slice(7, 19) === short);
          return `${at} ${(progressDetail as { current?: number }).current ?? 0}`;
        });
    const begun = (count: number): bigint[] => Array.from({ length: count }, () => world.take("layer").op);
    const there = (op: bigint | undefined): void => world.succeed(op!, { tag: "size", val: 1n });

    test("are three at most: the next one begins when the lowest is complete", () => {
      const id = beginLoad(world, five, ["five:1"]);
      const ops = begun(3);
      expect(world.open()).toEqual([]);
      there(ops[1]);
      there(ops[2]);
      expect(world.open()).toEqual([]);
      there(ops[0]);
      expect(world.open()).toEqual(["layer", "layer"]);
      for (const op of begun(2)) there(op);
      flush(world);
      expect(world.said(id)).toEqual(["Loaded image: five:1"]);
      expect(world.dropped()).toEqual([]);
      world.call("DELETE", "/images/five:1");
      expect(world.dropped()).toEqual(five.chains.toReversed());
    });

    test("have their lines in the order of the layers", () => {
      const id = beginLoad(world, five, ["five:1"], "quiet=0");
      const [base, second, third] = begun(3);
      world.sleep(200);
      world.progress(second!, "extracting", 500, 2000);
      there(third);
      expect(told(id)).toEqual(["0 0"]);
      world.progress(base!, "extracting", 700, 2000);
      there(base);
      expect(told(id)).toEqual(["0 0", "0 700", "0 2000", "1 0"]);
      world.sleep(200);
      world.progress(second!, "extracting", 900, 2000);
      there(second);
      expect(told(id).slice(4)).toEqual(["1 900", "1 2000", "2 0", "2 2000", "3 0"]);
    });

    test("fail in the order of the layers, and leave nothing behind", () => {
      const records = new Set(world.records.keys());
      const id = beginLoad(world, five, ["five:1"], "quiet=0");
      const [base, second, third] = begun(3);
      world.failAs(second!, CUT);
      expect(told(id)).toEqual(["0 0"]);
      expect(world.answer(id).over).toBe(false);
      there(base);
      expect(told(id)).toEqual(["0 0", "0 2000", "1 0"]);
      expect(world.lines(id).at(-1)).toMatchObject({ error: BROKEN_TAR });
      expect(world.answer(id).over).toBe(true);
      expect(world.take("abandon").val).toBe(third);
      expect(world.dropped()).toEqual([five.chains[0]]);
      world.done(world.take("drop-archive").op);
      // It was complete before the host heard of that.
      there(third);
      expect(world.dropped()).toEqual([five.chains[2]]);
      expect(world.open()).toEqual([]);
      expect(new Set(world.records.keys())).toEqual(records);
    });

    test("when the lowest fails, those above it that are there are dropped, the top first", () => {
      const id = beginLoad(world, five, ["five:1"]);
      const [base, second, third] = begun(3);
      there(second);
      there(third);
      world.failAs(base!, CUT);
      expect(world.said(id)).toEqual([BROKEN_TAR]);
      expect(world.dropped()).toEqual([five.chains[2], five.chains[1]]);
      world.done(world.take("drop-archive").op);
      expect(world.open()).toEqual([]);
    });

    test("another load has what it needs from its own archive when the first one fails", () => {
      const pair = makeImage(["pair 1", "pair 2"]);
      const broken = beginLoad(world, pair, ["pair:1"]);
      const layers = [world.take("layer"), world.take("layer")];
      const whole = beginLoad(world, pair, ["pair:2"]);
      expect(world.open()).toEqual([]);
      world.failAs(layers[0]!.op, CUT);
      expect(world.said(broken)).toEqual([BROKEN_TAR]);
      const { op, val: dropped } = world.take("drop-archive");
      world.done(op);
      const base = world.take("layer");
      expect(base.val.chain).toBe(pair.chains[0]);
      expect(base.val.source.val).not.toMatchObject({ archive: dropped });
      there(base.op);
      // The first archive is gone, so the upper layer may not be found in it.
      world.failAs(layers[1]!.op, { tag: "no-such", val: { what: "member", name: "1.tar" } });
      const upper = world.take("layer");
      expect(upper.val.source).toEqual({ tag: "archived", val: { ...base.val.source.val, path: "1.tar" } });
      there(upper.op);
      flush(world);
      expect(world.said(whole)).toEqual(["Loaded image: pair:2"]);
    });

    test("another load keeps a layer that ends the first one, whose upper layer had failed before", () => {
      const three = makeImage(["three 1", "three 2", "three 3"]);
      const broken = beginLoad(world, three, ["three:1"]);
      const [base, second, third] = begun(3);
      const whole = beginLoad(world, three, ["three:2"]);
      world.failAs(third!, CUT);
      const own = world.take("layer");
      expect(own.val.source.val).toMatchObject({ path: "2.tar" });
      there(base);
      expect(world.answer(broken).over).toBe(false);
      there(second);
      expect(world.said(broken)).toEqual([BROKEN_TAR]);
      world.done(world.take("drop-archive").op);
      there(own.op);
      flush(world);
      expect(world.said(whole)).toEqual(["Loaded image: three:2"]);
      expect(world.dropped()).toEqual([]);
    });
  });

  describe("layers that are not on disk yet", () => {
    const pair = makeImage(["low", "high"]);
    const FULL: failures.Failure = { tag: "call", val: { call: "syncfs", path: "", inside: false, error: "ENOSPC" } };
    const unpacked = (): void => {
      for (const { op } of [world.take("layer"), world.take("layer")]) world.succeed(op, { tag: "size", val: 1n });
    };

    test("are flushed all at once, after the archive is dropped", () => {
      beginLoad(world, pair, ["pair:1"]);
      unpacked();
      expect(world.open()).toEqual(["drop-archive"]);
      world.failAs(world.take("drop-archive").op, FULL);
      expect(world.take("flush-layers").val).toEqual(pair.chains);
      expect(world.open()).toEqual([]);
    });

    test("are dropped, the top first, if the flush fails", () => {
      const records = new Set(world.records.keys());
      const id = beginLoad(world, pair, ["pair:1"]);
      unpacked();
      world.done(world.take("drop-archive").op);
      world.failAs(world.take("flush-layers").op, FULL);
      expect(world.said(id).at(-1)).toContain("no space left on device");
      expect(world.answer(id).over).toBe(true);
      expect(world.dropped()).toEqual(pair.chains.toReversed());
      expect(world.open()).toEqual([]);
      expect(new Set(world.records.keys())).toEqual(records);
    });

    test("are flushed at once for a build, a pull or whoever else does not wait", () => {
      const first = beginLoad(world, pair, ["pair:1"]);
      world.succeed(world.take("layer").op, { tag: "size", val: 1n });
      const other = makeImage(["low"]);
      const pulling = beginPull(world, "low:1", other);
      const { op, val } = world.take("flush-layers");
      expect(val).toEqual([pair.chains[0]]);
      expect(world.answer(pulling).over).toBe(false);
      world.done(op);
      expect(world.answer(pulling).over).toBe(true);
      world.succeed(world.take("layer").op, { tag: "size", val: 1n });
      world.done(world.take("drop-archive").op);
      const rest = world.take("flush-layers");
      expect(rest.val).toEqual([pair.chains[1]]);
      world.done(rest.op);
      expect(world.said(first)).toEqual(["Loaded image: pair:1"]);
    });

    test("are shared by two loads: whoever has all of its own first flushes them for both", () => {
      const more = makeImage(["top"], { on: pair });
      const first = beginLoad(world, pair, ["pair:1"]);
      world.succeed(world.take("layer").op, { tag: "size", val: 1n });
      const second = beginLoad(world, more, ["more:1"]);
      const [high, top] = [world.take("layer"), world.take("layer")];
      world.succeed(high.op, { tag: "size", val: 1n });
      world.done(world.take("drop-archive").op);
      const flushing = world.take("flush-layers");
      expect(flushing.val).toEqual(pair.chains);
      world.succeed(top.op, { tag: "size", val: 1n });
      world.done(world.take("drop-archive").op);
      const rest = world.take("flush-layers");
      expect(rest.val).toEqual([more.chains[2]]);
      world.done(rest.op);
      expect(world.answer(second).over).toBe(false);
      world.done(flushing.op);
      expect(world.said(first)).toEqual(["Loaded image: pair:1"]);
      expect(world.said(second)).toEqual(["Loaded image: more:1"]);
      expect(world.dropped()).toEqual([]);
    });

    test("stay for another load when the first one fails", () => {
      const more = makeImage(["top"], { on: pair });
      const broken = beginLoad(world, more, ["more:1"]);
      const layers = [world.take("layer"), world.take("layer"), world.take("layer")];
      const whole = beginLoad(world, pair, ["pair:1"]);
      world.succeed(layers[0]!.op, { tag: "size", val: 1n });
      world.failAs(layers[2]!.op, CUT);
      world.succeed(layers[1]!.op, { tag: "size", val: 1n });
      expect(world.said(broken)).toEqual([BROKEN_TAR]);
      expect(world.dropped()).toEqual([]);
      world.done(world.take("drop-archive").op);
      flush(world);
      expect(world.said(whole)).toEqual(["Loaded image: pair:1"]);
    });

    test("do not keep a layer waiting that needs one further down", () => {
      const three = makeImage(["low", "high", "top"]);
      const id = beginLoad(world, three, ["three:1"]);
      const [low, high, top] = [world.take("layer"), world.take("layer"), world.take("layer")];
      world.succeed(high.op, { tag: "size", val: 1n });
      world.failAs(top.op, { tag: "no-such", val: { what: "layer", name: three.chains[0]! } });
      expect(world.open()).toEqual([]);
      world.succeed(low.op, { tag: "size", val: 1n });
      const again = world.take("layer");
      expect(again.val.chain).toBe(three.chains[2]);
      world.succeed(again.op, { tag: "size", val: 1n });
      flush(world);
      expect(world.said(id)).toEqual(["Loaded image: three:1"]);
    });

    test("of each image but the last are flushed before its line, and the archive stays", () => {
      const [one, two] = [makeImage(["one"]), makeImage(["two"])];
      const id = world.ask("POST", "/images/load?quiet=1", encode("tar"));
      world.succeed(world.take("ingest").op, { tag: "ingested", val: filesOf(pair) });
      answerList(world, world.take("read").op, [
        { Config: "c.json", RepoTags: ["one:1"], Layers: ["0.tar"] },
        { Config: "c.json", RepoTags: ["two:1"], Layers: ["1.tar"] },
      ]);
      world.succeed(world.take("read").op, { tag: "bytes", val: one.config });
      world.succeed(world.take("layer").op, { tag: "size", val: 1n });
      expect(world.open()).toEqual(["flush-layers"]);
      world.done(world.take("flush-layers").op);
      expect(world.said(id)).toEqual(["Loaded image: one:1"]);
      world.succeed(world.take("read").op, { tag: "bytes", val: two.config });
      world.succeed(world.take("layer").op, { tag: "size", val: 1n });
      flush(world);
      expect(world.said(id)).toEqual(["Loaded image: one:1", "Loaded image: two:1"]);
      expect(world.open()).toEqual([]);
    });
  });

  const CUT: failures.Failure = { tag: "damaged", val: { what: "cut", said: "" } };
  const OTHER: failures.Failure = { tag: "mismatch", val: { what: "diff-id", wanted: image.diffIds[1]!, found: "x" } };
  const BROKEN_TAR = "Error processing tar file(exit status 1): unexpected EOF";
  const MISSING: failures.Failure = { tag: "no-such", val: { what: "member", name: "c.json" } };

  test.each<[string, string, failures.Failure, string]>([
    ["a body that breaks off", "ingest", CUT, BROKEN_TAR],
    ["no manifest", "files", CUT, "invalid archive: does not contain a manifest.json"],
    ["a missing config", "read", MISSING, '"c.json" does not exist'],
    ["a wrong DiffID", "layer", OTHER, `invalid diffID for layer 1: expected "${image.diffIds[1]}", got "x"`],
    ["a broken layer", "layer", CUT, BROKEN_TAR],
  ])("%s ends the stream; nothing is left behind", (_what, step, failure, error) => {
    const records = new Set(world.records.keys());
    const id = world.ask("POST", "/images/load", encode("tar"));
    const ingest = world.take("ingest");
    if (step === "ingest") world.failAs(ingest.op, failure);
    else if (step === "files") world.succeed(ingest.op, { tag: "ingested", val: [{ path: "x", size: 1n }] });
    else {
      world.succeed(ingest.op, { tag: "ingested", val: filesOf(image) });
      answerList(world, world.take("read").op, [{ Config: "c.json", RepoTags: null, Layers: ["0.tar", "1.tar"] }]);
      const config = world.take("read");
      if (step === "read") world.failAs(config.op, failure);
      else {
        world.succeed(config.op, { tag: "bytes", val: image.config });
        world.succeed(world.take("layer").op, { tag: "size", val: 1n });
        world.failAs(world.take("layer").op, failure);
        expect(world.dropped()).toEqual([image.chains[0]]);
      }
    }
    expect(world.lines(id)).toEqual([{ errorDetail: { message: error }, error }]);
    expect(world.answer(id)).toMatchObject({ status: 200, over: true });
    expect(world.take("drop-archive").val).toBe(ingest.val.archive);
    expect(world.open()).toEqual([]);
    expect(new Set(world.records.keys())).toEqual(records);
  });

  test.each([
    ["null", "invalid manifest, manifest cannot be null (but can be [])"],
    ["{}", "invalid archive: manifest.json is no list of images"],
  ])("an invalid list: %s", (list, error) => {
    const id = world.ask("POST", "/images/load", encode("tar"));
    world.succeed(world.take("ingest").op, { tag: "ingested", val: filesOf(image) });
    world.succeed(world.take("read").op, { tag: "bytes", val: encode(list) });
    expect(world.said(id)).toEqual([error]);
    world.done(world.take("drop-archive").op);
  });

  test("of an image that the machine cannot run", () => {
    const id = world.ask("POST", "/images/load", encode("tar"));
    world.succeed(world.take("ingest").op, { tag: "ingested", val: filesOf(image) });
    answerList(world, world.take("read").op, [{ Config: "c.json", RepoTags: null, Layers: ["0.tar", "1.tar"] }]);
    const config = encode(new TextDecoder().decode(image.config).replace('"linux"', '"windows"'));
    world.succeed(world.take("read").op, { tag: "bytes", val: config });
    expect(world.said(id)).toEqual(["cannot load windows image on linux"]);
  });

  test("a list that does not fit the config", () => {
    const id = world.ask("POST", "/images/load", encode("tar"));
    world.succeed(world.take("ingest").op, { tag: "ingested", val: filesOf(image) });
    answerList(world, world.take("read").op, [{ Config: "c.json", RepoTags: null, Layers: ["0.tar"] }]);
    world.succeed(world.take("read").op, { tag: "bytes", val: image.config });
    expect(world.said(id)).toEqual(["invalid manifest, layers length mismatch: expected 1, got 2"]);
  });

  test("no body at all", () => {
    const id = world.ask("POST", "/images/load");
    expect(world.said(id)).toEqual(["Error processing tar file(exit status 1): unexpected EOF"]);
  });
});

function amount(current: number, total: number): Json {
  return current === 0 ? { total } : { current, total };
}

function trimmed(text: string): string {
  return text.trim();
}
