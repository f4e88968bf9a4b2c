// The limits of images, as seen by the core: what is there already is kept, whatever they are.

import { expect, test } from "vitest";
import { BUSYBOX_CHAIN } from "../support/fixtures.js";
import { encode, ImageWorld, makeImage } from "../support/image-world.js";
import { load } from "./begun.js";
import { begin, pull } from "./pull/pulls.js";

const DEEP = makeImage(["one", "two", "three"]);

test.each([3, 2 ** 31, 2 ** 32 - 1])("an image of three layers is pulled if %d are allowed", (layerLimit) => {
  const world = new ImageWorld({ limits: { layerLimit } });
  pull(world, "deep:1", DEEP);
  expect(world.call("GET", "/images/deep:1/json").json).toMatchObject({ Id: DEEP.id });
});

test("an image that is deeper than a lowered limit is listed, used, named and removed", () => {
  const before = new ImageWorld();
  load(before, DEEP, ["deep:1"]);
  const chains = [BUSYBOX_CHAIN, ...DEEP.chains];
  const world = new ImageWorld({ records: before.records, chains, limits: { layerLimit: 2 } });
  expect(world.call("GET", "/images/json").json).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ Id: DEEP.id })]),
  );
  expect(world.call("POST", "/images/deep:1/tag?repo=other").status).toBe(201);
  expect(world.call("POST", "/containers/create", { Image: "deep:1", Cmd: ["x"] }).status).toBe(201);
  const id = begin(world, "deep:2", makeImage(["four"], { on: DEEP }));
  expect(world.said(id).at(-1)).toBe("max depth exceeded: 4 layers are more than 2, as max-image-layers allows");
  expect(world.call("GET", "/images/deep:1/json").json).toMatchObject({ Id: DEEP.id });
  expect(world.call("DELETE", `/images/${DEEP.id}?force=1`).status).toBe(200);
  expect(world.call("GET", "/images/deep:1/json").status).toBe(404);
});

test("a Dockerfile is no document of an image: its size is not told by the setting for those", () => {
  const world = new ImageWorld({ limits: { documentLimit: 2 << 20 } });
  const id = world.ask("POST", "/build", encode("tar"));
  world.done(world.take("mount").op);
  world.done(world.take("extract").op);
  world.succeed(world.take("read-file").op, { tag: "bytes", val: encode("") });
  const limit = BigInt(2 << 20);
  world.failAs(world.take("read-file").op, { tag: "too-large", val: { what: "member", name: "/Dockerfile", limit } });
  expect(world.answer(id)).toMatchObject({ status: 500 });
  expect(JSON.parse(world.answer(id).text)).toEqual({ message: "/Dockerfile is larger than 2097152 bytes" });
});
