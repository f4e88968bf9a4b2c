// Layers whose download breaks off, as seen by the core: which failures are retried, when, and the messages about it.

import { describe, expect, test } from "vitest";
import { ImageWorld, makeImage, shortId } from "../../support/image-world.js";
import { begin, chainsOf } from "./pulls.js";
import type { failures } from "../../../../hosts/shared/host.js";
import {
  answered,
  CUT_SHORT,
  exchange,
  FULL_DISK,
  OTHER_BYTES,
  REFUSED,
} from "../../../support/registry/registry-failures.js";

const image = makeImage(["only"]);
const CHAIN = image.chains[0]!;
const OTHER_LAYER: failures.Failure = { tag: "mismatch", val: { what: "diff-id", wanted: "", found: "" } };

describe("a layer that breaks off", () => {
  test("is retried five times, after growing delays that are counted down", () => {
    const world = new ImageWorld();
    const id = begin(world, "x:1", image);
    for (const pause of [5, 10, 15, 20, 25]) {
      world.failAs(world.take("layer").op, CUT_SHORT);
      const before = world.said(id).length - 1;
      world.wait(pause - 1);
      expect(world.open()).toEqual([]);
      world.wait(1);
      expect(world.said(id).slice(before)).toEqual(countdown(pause));
      expect(world.open()).toEqual(["layer"]);
    }
    world.failAs(world.take("layer").op, CUT_SHORT);
    expect(world.said(id).at(-1)).toBe("unexpected EOF");
    expect(world.answer(id).over).toBe(true);
    expect(world.timers).toBe(0);
    // The partial download.
    expect(world.dropped()).toEqual([CHAIN]);
    expect(world.open()).toEqual([]);
  });

  test("is complete at last: lines as without a retry, and nothing is dropped", () => {
    const world = new ImageWorld();
    const id = begin(world, "x:1", image);
    const first = world.take("layer");
    world.progress(first.op, "downloading", 400, 1000);
    world.failAs(first.op, CUT_SHORT);
    world.wait(5);
    const second = world.take("layer");
    expect(second.val).toEqual(first.val);
    world.progress(second.op, "downloading", 600, 1000);
    world.progress(second.op, "verifying", 1000, 1000);
    world.progress(second.op, "downloaded", 1000, 1000);
    world.succeed(second.op, { tag: "size", val: 1n });
    const layer = shortId(image.blobs[0]!);
    const said = world.said(id);
    expect(said.slice(said.indexOf(`Downloading ${layer}`), said.indexOf(`Extracting ${layer}`))).toEqual([
      `Downloading ${layer}`,
      ...countdown(5),
      `Downloading ${layer}`,
      `Verifying Checksum ${layer}`,
      `Download complete ${layer}`,
    ]);
    expect(said.at(-1)).toBe("Status: Downloaded newer image for x:1");
    expect(world.open()).toEqual([]);
  });

  test("keeps its slot among the three downloads", () => {
    const world = new ImageWorld();
    begin(world, "x:1", makeImage(["k", "l", "m", "n"]));
    world.failAs(world.take("layer").op, CUT_SHORT);
    expect(world.open()).toEqual(["layer", "layer"]);
    world.wait(5);
    expect(world.open()).toEqual(["layer", "layer", "layer"]);
  });

  test.each<[string, failures.Failure, number]>([
    ["an error of the registry's server", answered(503), 5],
    ["the registry wants a longer pause", answered(503, "", "", { retryAfter: 7 }), 7],
    ["the registry wants a shorter pause", answered(503, "", "", { retryAfter: 2 }), 5],
    ["too many requests, retry at a time", answered(429, "", "", { retryAfter: 300 }), 300],
    ["too many requests, retry tomorrow", answered(429, "", "", { retryAfter: 301 }), 0],
    ["too many requests", answered(429), 0],
    ["an invalid answer", answered(418), 0],
    ["connection refused", REFUSED, 5],
    ["silence", exchange({ tag: "timeout" }), 5],
    ["a redirect to nowhere", exchange({ tag: "bad-redirect" }), 0],
    ["no credentials", exchange({ tag: "no-credentials" }), 0],
    ["other bytes", OTHER_BYTES, 0],
    ["unknown", answered(404, "BLOB_UNKNOWN"), 0],
    ["forbidden", answered(403), 0],
    ["other credentials required", answered(401), 0],
    ["a full disk", FULL_DISK, 0],
    ["an invalid name", { tag: "malformed", val: { what: "path", text: "a\0" } }, 0],
  ])("%s: %j is retried after %i s, if at all", (_what, failure, pause) => {
    const world = new ImageWorld();
    const id = begin(world, "x:1", image);
    world.failAs(world.take("layer").op, failure);
    expect(world.answer(id).over).toBe(pause === 0);
    if (pause === 0) return expect(world.timers).toBe(0);
    world.wait(pause - 1);
    expect(world.open()).toEqual([]);
    world.wait(1);
    expect(world.open()).toEqual(["layer"]);
  });

  test("and has a wrong digest after it was joined from two answers is fetched again, once", () => {
    const world = new ImageWorld();
    const id = begin(world, "x:1", image);
    fail(world, CUT_SHORT, 5);
    fail(world, OTHER_BYTES, 10);
    world.failAs(world.take("layer").op, OTHER_BYTES);
    expect(world.said(id).at(-1)).toBe("filesystem layer verification failed for digest sha256:0");
    // The host keeps nothing of a corrupt blob.
    expect(world.open()).toEqual([]);
  });

  test("and does not match its image, although its bytes are right, is abandoned", () => {
    const world = new ImageWorld();
    const id = begin(world, "x:1", image);
    fail(world, CUT_SHORT, 5);
    const { op } = world.take("layer");
    world.progress(op, "downloaded", 1000, 1000);
    world.failAs(op, OTHER_LAYER);
    expect(world.said(id).at(-1)).toBe("layers from manifest don't match image configuration");
    expect(world.timers).toBe(0);
  });

  test("that was downloaded and has lost its slot waits for one after its delay", () => {
    const world = new ImageWorld();
    const id = begin(world, "x:1", makeImage(["k", "l", "m", "n", "o"]));
    const first = world.take("layer");
    world.progress(first.op, "downloaded", 1000, 1000);
    expect(world.open()).toEqual(["layer", "layer", "layer"]);
    world.failAs(first.op, CUT_SHORT);
    world.wait(5);
    expect(world.open()).toEqual(["layer", "layer", "layer"]);
    expect(world.said(id).at(-1)).toBe(`Waiting ${shortId(makeImage(["k"]).blobs[0]!)}`);
    for (let left = 3; left > 0; left--) {
      world.progress(world.take("layer").op, "downloaded", 1000, 1000);
      expect(world.open()).toHaveLength(left === 1 ? 2 : 3);
    }
    expect([world.take("layer").val, world.take("layer").val]).toContainEqual(first.val);
  });

  test("that breaks off as its client leaves, leaves nothing behind", () => {
    const world = new ImageWorld();
    const id = begin(world, "x:1", image);
    const { op } = world.take("layer");
    world.hangUp(id);
    world.done(world.take("abandon").op);
    world.failAs(op, CUT_SHORT);
    expect(world.dropped()).toEqual([CHAIN]);
  });

  test("that breaks off as its client leaves, while another client needs it, may be joined from two answers", () => {
    const world = new ImageWorld();
    const id = begin(world, "x:1", image);
    const { op } = world.take("layer");
    world.hangUp(id);
    world.done(world.take("abandon").op);
    const other = begin(world, "x:2", image);
    world.failAs(op, CUT_SHORT);
    fail(world, OTHER_BYTES, 5);
    world.succeed(world.take("layer").op, { tag: "size", val: 1n });
    expect(world.said(other).at(-1)).toBe("Status: Downloaded newer image for x:2");
  });

  test("whose client leaves during a delay is released, and its slot is free", () => {
    const world = new ImageWorld();
    const records = chainsOf(world);
    const id = begin(world, "x:1", image);
    world.failAs(world.take("layer").op, CUT_SHORT);
    world.wait(2);
    world.hangUp(id);
    expect(world.timers).toBe(0);
    expect(world.dropped()).toEqual([CHAIN]);
    expect(chainsOf(world)).toEqual(records);
    begin(world, "x:2", makeImage(["k", "l", "m", "n"]));
    expect(world.open()).toEqual(["layer", "layer", "layer"]);
  });

  test("is shared during its delay, too: one client leaves, the other's continues", () => {
    const world = new ImageWorld();
    const one = begin(world, "x:1", image);
    world.failAs(world.take("layer").op, CUT_SHORT);
    world.wait(2);
    const two = begin(world, "x:2", image);
    expect(world.said(two).at(-1)).toBe(`Retrying in 3 seconds ${shortId(image.blobs[0]!)}`);
    world.hangUp(one);
    expect(world.open()).toEqual([]);
    world.wait(3);
    world.succeed(world.take("layer").op, { tag: "size", val: 1n });
    expect(world.said(two).at(-1)).toBe("Status: Downloaded newer image for x:2");
  });
});

test("a layer that needs files of a delayed lower one is requested again when that exists", () => {
  const world = new ImageWorld();
  const stack = makeImage(["below", "above"]);
  const id = begin(world, "x:1", stack);
  const [below, above] = [world.take("layer"), world.take("layer")];
  world.failAs(below.op, CUT_SHORT);
  world.failAs(above.op, { tag: "no-such", val: { what: "layer", name: stack.chains[0]! } });
  expect(world.answer(id).over).toBe(false);
  expect(world.said(id).at(-1)).toBe(`Waiting ${shortId(stack.blobs[1]!)}`);
  world.wait(5);
  expect(world.open()).toEqual(["layer"]);
  world.succeed(world.take("layer").op, { tag: "size", val: 1n });
  const again = world.take("layer");
  expect(again.val).toEqual(above.val);
  world.succeed(again.op, { tag: "size", val: 1n });
  expect(world.said(id).at(-1)).toBe("Status: Downloaded newer image for x:1");
});

test("a layer above a delayed one is not requested again without clients", () => {
  const world = new ImageWorld();
  const stack = makeImage(["below", "above"]);
  const id = begin(world, "x:1", stack);
  const [below, above] = [world.take("layer"), world.take("layer")];
  begin(world, "x:2", makeImage(["below"]));
  world.hangUp(id);
  expect(world.take("abandon").val).toBe(above.op);
  world.failAs(below.op, CUT_SHORT);
  world.failAs(above.op, { tag: "no-such", val: { what: "layer", name: stack.chains[0]! } });
  world.wait(5);
  world.succeed(world.take("layer").op, { tag: "size", val: 1n });
  expect(world.open()).toEqual([]);
});

test("a layer above an unavailable one is released with it", () => {
  const world = new ImageWorld();
  const stack = makeImage(["below", "above"]);
  const id = begin(world, "x:1", stack);
  const [below, above] = [world.take("layer"), world.take("layer")];
  world.failAs(below.op, CUT_SHORT);
  world.failAs(above.op, { tag: "no-such", val: { what: "layer", name: stack.chains[0]! } });
  world.wait(5);
  world.failAs(world.take("layer").op, OTHER_BYTES);
  world.wait(10);
  world.failAs(world.take("layer").op, answered(403));
  expect(world.said(id).at(-1)).toBe("denied: requested access to the resource is denied");
  expect(world.open()).toEqual([]);
  begin(world, "x:1", stack);
  expect(world.open()).toEqual(["layer", "layer"]);
});

function fail(world: ImageWorld, failure: failures.Failure, pause: number): void {
  world.failAs(world.take("layer").op, failure);
  world.wait(pause);
}

function countdown(from: number): string[] {
  const layer = shortId(image.blobs[0]!);
  return Array.from({ length: from }, (_, passed) => {
    const left = from - passed;
    return `Retrying in ${left} second${left === 1 ? "" : "s"} ${layer}`;
  });
}
