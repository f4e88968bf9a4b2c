// Concurrent pulls and loads, as seen by the core: what is fetched once, and for which requests.

import { describe, expect, test } from "vitest";
import { encode, ImageWorld, makeImage, resolved, shortId } from "../../support/image-world.js";
import type { MadeImage } from "../../support/image-world.js";
import { flush } from "../begun.js";
import { begin, pull } from "./pulls.js";
import { answered, CUT_SHORT, GIVEN_UP, OTHER_BYTES } from "../../../support/registry/registry-failures.js";

describe("two pulls", () => {
  const image = makeImage(["s", "t"]);

  test("share the work, and both are answered", () => {
    const world = new ImageWorld();
    const [one, two] = [begin(world, "x:1", image), begin(world, "x:2", image)];
    expect(world.open()).toEqual(["layer", "layer"]);
    const layers = [world.take("layer"), world.take("layer")];
    world.progress(layers[0]!.op, "downloading", 5, 1000);
    for (const { op } of layers) world.succeed(op, { tag: "size", val: 1n });
    for (const [id, name] of [
      [one, "x:1"],
      [two, "x:2"],
    ] as const) {
      expect(world.said(id)).toContain(`Downloading ${shortId(image.blobs[0]!)}`);
      expect(world.said(id).at(-1)).toBe(`Status: Downloaded newer image for ${name}`);
      expect(world.answer(id).over).toBe(true);
    }
    expect(world.call("GET", "/images/x:2/json").json).toMatchObject({ RepoTags: ["x:1", "x:2"] });
    expect(world.dropped()).toEqual([]);
  });

  test("give their names to one image, also if it comes while the other reads its config", () => {
    const world = new ImageWorld();
    const id = world.ask("POST", "/images/create?fromImage=x&tag=2");
    world.succeed(world.take("resolve").op, resolved(image.manifest));
    const config = world.take("blob");
    pull(world, "x:1", image);
    world.succeed(config.op, { tag: "bytes", val: image.config });
    expect(world.said(id).at(-1)).toBe("Status: Downloaded newer image for x:2");
    expect(world.call("GET", "/images/x:1/json").json).toMatchObject({ RepoTags: ["x:1", "x:2"] });
    world.call("DELETE", "/images/x:1");
    expect(world.call("GET", "/images/x:2/json").json).toMatchObject({ RepoTags: ["x:2"] });
  });

  test("when the registry refuses the credentials of one, the other continues with its own", () => {
    const world = new ImageWorld();
    const single = makeImage(["single"]);
    const [bad, good] = [begin(world, "x:1", single, "bad"), begin(world, "x:2", single, "good")];
    world.failAs(world.take("layer").op, answered(401));
    expect(world.answer(bad).over).toBe(true);
    expect(world.answer(good).over).toBe(false);
    const { op, val } = world.take("layer");
    expect(val.source).toMatchObject({ val: { from: { credentials: { password: "good" } } } });
    world.succeed(op, { tag: "size", val: 1n });
    expect(world.said(good).at(-1)).toBe("Status: Downloaded newer image for x:2");
  });

  test("when what a client passes on is another's, each has its own", () => {
    const world = new ImageWorld();
    const single = makeImage(["passed on"]);
    const [bad, good] = ["bad", "good"].map((meta) => begin(world, "x:1", single, "same", { "X-Meta-Run": meta }));
    world.failAs(world.take("layer").op, answered(401));
    expect([bad, good].map((id) => world.answer(id!).over)).toEqual([true, false]);
    expect(world.take("layer").val.source).toMatchObject({
      val: { from: { credentials: { meta: "X-Meta-Run: good\n" } } },
    });
  });

  test("one client leaves: the other's continues; both leave: the work is abandoned, and can be resumed", () => {
    const world = new ImageWorld();
    const [one, two] = [begin(world, "x:1", image), begin(world, "x:2", image)];
    const [first, second] = [world.take("layer"), world.take("layer")];
    world.hangUp(one);
    expect(world.open()).toEqual([]);
    world.succeed(first.op, { tag: "size", val: 1n });
    expect(world.said(two)).toContain(`Pull complete ${shortId(image.blobs[0]!)}`);
    world.hangUp(two);
    expect(world.take("abandon").val).toBe(second.op);
    expect(world.dropped()).toEqual([image.chains[0]]);
    const three = begin(world, "x:3", image);
    expect(world.open()).toEqual(["layer"]);
    world.succeed(world.take("layer").op, { tag: "size", val: 1n });
    // The host finally cancels the abandoned one, and it is requested again.
    world.failAs(second.op, GIVEN_UP);
    const again = world.take("layer");
    expect(again.val.chain).toBe(image.chains[1]);
    world.succeed(again.op, { tag: "size", val: 1n });
    expect(world.said(three).at(-1)).toBe("Status: Downloaded newer image for x:3");
  });
});

test("a layer that changes its source as its first pull releases a delayed one keeps only one slot", () => {
  const world = new ImageWorld();
  const shared = makeImage(["shared"]);
  const bad = begin(world, "x:1", makeImage(["shared", "own"]), "bad");
  const good = begin(world, "x:2", shared, "good");
  const [layer, own] = [world.take("layer"), world.take("layer")];
  expect(layer.val.chain).toBe(shared.chains[0]);
  world.failAs(own.op, CUT_SHORT);
  world.failAs(layer.op, answered(401));
  expect(world.answer(bad).over).toBe(true);
  expect(world.dropped()).toHaveLength(1);
  const again = world.take("layer");
  expect(again.val.source).toMatchObject({ val: { from: { credentials: { password: "good" } } } });
  // It holds one of the three places, and releases it.
  const many = begin(world, "x:3", makeImage(["k", "l", "m", "n"]));
  expect(world.open()).toEqual(["layer", "layer"]);
  world.succeed(again.op, { tag: "size", val: 1n });
  expect(world.said(good).at(-1)).toBe("Status: Downloaded newer image for x:2");
  expect(world.open()).toEqual(["layer", "layer", "layer"]);
  expect(world.answer(many).over).toBe(false);
});

describe("a pull and a load of the same layer", () => {
  const image = makeImage(["both"]);

  test.each([
    ["pull", "load"],
    ["load", "pull"],
  ] as const)("when the data of the %s is bad, the %s continues with its own", (first, then) => {
    const world = new ImageWorld();
    const ask = { pull: () => begin(world, "x:1", image), load: () => beginLoad(world, image) };
    const [failing, going] = [ask[first](), ask[then]()];
    expect(world.open()).toEqual(["layer"]);
    const bad = world.take("layer");
    expect(bad.val.source.tag).toBe(first === "pull" ? "registry" : "archived");
    world.failAs(bad.op, OTHER_BYTES);
    expect(world.answer(failing).text).toContain("errorDetail");
    expect(world.answer(failing).over).toBe(true);
    expect(world.answer(going).over).toBe(false);
    const good = world.take("layer");
    expect(good.val).toMatchObject({
      chain: image.chains[0],
      source: { tag: then === "pull" ? "registry" : "archived" },
    });
    world.succeed(good.op, { tag: "size", val: 1n });
    if (then === "load") flush(world);
    expect(world.answer(going).over).toBe(true);
    expect(world.answer(going).text).not.toContain("errorDetail");
    expect(world.dropped()).toEqual([]);
    expect(world.call("GET", `/images/${image.id}/json`).status).toBe(200);
  });

  test("a waiting one takes over from one whose client leaves", () => {
    const world = new ImageWorld();
    const pulling = begin(world, "x:1", image);
    const { op } = world.take("layer");
    world.hangUp(pulling);
    world.done(world.take("abandon").op);
    const loading = beginLoad(world, image);
    world.failAs(op, GIVEN_UP);
    const again = world.take("layer");
    expect(again.val.source.tag).toBe("archived");
    world.succeed(again.op, { tag: "size", val: 1n });
    flush(world);
    expect(world.said(loading)).toEqual(["Loaded image: loaded:1"]);
  });
});

/** Loads an image of one layer, until its unpacking is requested. */
function beginLoad(world: ImageWorld, { config }: MadeImage): bigint {
  const id = world.ask("POST", "/images/load", encode("tar"));
  const val = ["manifest.json", "c.json", "0.tar"].map((path) => ({ path, size: 1n }));
  world.succeed(world.take("ingest").op, { tag: "ingested", val });
  const list = [{ Config: "c.json", RepoTags: ["loaded:1"], Layers: ["0.tar"] }];
  world.succeed(world.take("read").op, { tag: "bytes", val: encode(JSON.stringify(list)) });
  world.succeed(world.take("read").op, { tag: "bytes", val: config });
  return id;
}
