// Beginnings of layers that an engine left when it ended, as seen by the core: who goes on with them, and how long they stay.

import { describe, expect, test } from "vitest";
import { BUSYBOX_CHAIN } from "../../support/fixtures.js";
import { ImageWorld, makeImage } from "../../support/image-world.js";
import { answered, FULL_DISK, OTHER_BYTES } from "../../../support/registry/registry-failures.js";
import { begin } from "./pulls.js";

const image = makeImage(["only"]);
const CHAIN = image.chains[0]!;
const OTHER = makeImage(["other"]).chains[0]!;

describe("the beginning of a layer that an engine left when it ended", () => {
  test("is the next fetch's: wrong bytes may come from it, so they are fetched once more", () => {
    const world = new ImageWorld({ rests: { [CHAIN]: 1 } });
    expect(world.open()).toEqual([]);
    const id = begin(world, "x:1", image);
    world.failAs(world.take("layer").op, OTHER_BYTES);
    world.wait(5);
    world.succeed(world.take("layer").op, { tag: "size", val: 1n });
    expect(world.said(id).at(-1)).toBe("Status: Downloaded newer image for x:1");
    expect(world.call("POST", "/images/prune").status).toBe(200);
    expect(world.open()).toEqual([]);
  });

  test("goes with a fetch that fails, or that nobody wants any more", () => {
    const world = new ImageWorld({ rests: { [CHAIN]: 1, [OTHER]: 1 } });
    begin(world, "x:1", image);
    world.failAs(world.take("layer").op, answered(403));
    expect(world.dropped()).toEqual([CHAIN]);
    const left = begin(world, "x:2", makeImage(["other"]));
    const { op } = world.take("layer");
    world.hangUp(left);
    world.done(world.take("abandon").op);
    world.failAs(op, { tag: "interrupted", val: "given-up" });
    expect(world.dropped()).toEqual([OTHER]);
  });

  test("stays for a day: it goes at the next start, or when another layer is fetched", () => {
    const world = new ImageWorld({ rests: { [CHAIN]: 20, [OTHER]: 25 } });
    expect(world.dropped()).toEqual([OTHER]);
    world.sleep(5 * 3_600_000);
    begin(world, "x:1", makeImage(["another"]));
    expect(world.dropped()).toEqual([CHAIN]);
  });

  test("goes with a prune of all images, and with no other", () => {
    const world = new ImageWorld({ rests: { [CHAIN]: 1 } });
    world.call("POST", `/images/prune?filters=${encodeURIComponent('{"label":["x"]}')}`);
    expect(world.open()).toEqual([]);
    world.call("POST", "/images/prune");
    expect(world.dropped()).toEqual([CHAIN]);
  });

  test("goes when a layer finds no room on the disk", () => {
    const world = new ImageWorld({ rests: { [OTHER]: 1 } });
    const id = begin(world, "x:1", image);
    world.failAs(world.take("layer").op, FULL_DISK);
    expect(world.answer(id).over).toBe(true);
    expect(world.dropped()).toEqual([OTHER]);
  });

  test("of a layer that is there is left alone: dropping it would drop the layer", () => {
    const world = new ImageWorld({ rests: { [BUSYBOX_CHAIN]: 100 } });
    world.call("POST", "/images/prune");
    expect(world.open()).toEqual([]);
  });
});
