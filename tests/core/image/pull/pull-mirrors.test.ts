// A pull of what a mirror has only in part, as seen by the core.

import { expect, test } from "vitest";
import { ImageWorld, makeImage, resolved, shortId } from "../../support/image-world.js";
import { answered, CUT_SHORT, exchange, FULL_DISK } from "../../../support/registry/registry-failures.js";

const image = makeImage(["base", "middle", "top"]);
const [base, middle, top] = image.blobs.map((blob) => shortId(blob));
const SIZE = { tag: "size", val: 1n } as const;

/** A pull from the mirror that has asked for the layers. */
function begun(): { world: ImageWorld; id: bigint } {
  const world = new ImageWorld({ registryMirrors: ["https://mirror.example"] });
  const id = world.ask("POST", "/images/create?fromImage=x&tag=1");
  documents(world);
  return { world, id };
}

function documents(world: ImageWorld): void {
  world.succeed(world.take("resolve").op, resolved(image.manifest));
  world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
}

function sourceOf(layer: ReturnType<typeof asked>): string {
  return layer.val.source.tag === "registry" ? layer.val.source.val.from.endpoint.authority : "";
}

function asked(world: ImageWorld) {
  return world.take("layer");
}

test("what the mirror gave is kept, and what it still sends is waited for", () => {
  const { world, id } = begun();
  const [first, second, third] = [asked(world), asked(world), asked(world)];
  world.succeed(first.op, SIZE);
  world.failAs(second.op, answered(404, "BLOB_UNKNOWN"));
  expect(world.open()).toEqual(["resolve"]);
  documents(world);
  const again = asked(world);
  expect([sourceOf(again), again.val.chain]).toEqual(["registry-1.docker.io", image.chains[1]]);
  expect(world.open()).toEqual([]);
  world.succeed(third.op, SIZE);
  world.succeed(again.op, SIZE);
  const said = world.said(id);
  const start = said.lastIndexOf("Pulling from library/x 1");
  expect(said.slice(start + 1, start + 4)).toEqual([
    `Already exists ${base}`,
    `Pulling fs layer ${middle}`,
    `Pulling fs layer ${top}`,
  ]);
  expect(said.at(-1)).toBe("Status: Downloaded newer image for x:1");
  expect(world.dropped()).toEqual([]);
});

test("what the mirror gave is dropped if the registry does not have the image", () => {
  const { world, id } = begun();
  const [first, second, third] = [asked(world), asked(world), asked(world)];
  world.succeed(first.op, SIZE);
  world.failAs(second.op, answered(404, "BLOB_UNKNOWN"));
  world.failAs(world.take("resolve").op, answered(404, "MANIFEST_UNKNOWN"));
  expect(world.said(id).at(-1)).toContain("manifest for x:1 not found");
  expect(world.take("abandon").val).toBe(third.op);
  expect(world.dropped()).toEqual([image.chains[0]]);
});

test("a client that disconnects meanwhile leaves nothing", () => {
  const { world, id } = begun();
  const [first, second, third] = [asked(world), asked(world), asked(world)];
  world.succeed(first.op, SIZE);
  world.failAs(second.op, answered(404, "BLOB_UNKNOWN"));
  const again = world.take("resolve");
  world.hangUp(id);
  expect([world.take("abandon").val, world.take("abandon").val]).toEqual([again.op, third.op]);
  expect(world.dropped()).toEqual([image.chains[0]]);
});

test("a layer that pauses for the mirror is asked of the registry at once", () => {
  const { world } = begun();
  const [first, second] = [asked(world), asked(world), asked(world)];
  world.failAs(first.op, CUT_SHORT);
  world.failAs(second.op, answered(404, "BLOB_UNKNOWN"));
  expect(world.timers).toBe(1);
  documents(world);
  expect([sourceOf(asked(world)), sourceOf(asked(world))].sort()).toEqual([
    "registry-1.docker.io",
    "registry-1.docker.io",
  ]);
  expect(world.timers).toBe(0);
});

test("a layer that the mirror breaks off after the registry is asked, is asked of the registry at once", () => {
  const { world } = begun();
  const [first, second] = [asked(world), asked(world), asked(world)];
  world.failAs(second.op, answered(404, "BLOB_UNKNOWN"));
  documents(world);
  expect(sourceOf(asked(world))).toBe("registry-1.docker.io");
  world.failAs(first.op, CUT_SHORT);
  expect(world.timers).toBe(0);
  const again = asked(world);
  expect([sourceOf(again), again.val.chain]).toEqual(["registry-1.docker.io", image.chains[0]]);
});

test("a document is not asked for again for a client that has left", () => {
  const world = new ImageWorld();
  const id = world.ask("POST", "/images/create?fromImage=x&tag=1");
  const { op } = world.take("resolve");
  world.hangUp(id);
  expect(world.take("abandon").val).toBe(op);
  world.failAs(op, answered(503));
  expect([world.open(), world.timers]).toEqual([[], 0]);
});

test("no other registry is asked if the disk is full", () => {
  const { world, id } = begun();
  world.failAs(asked(world).op, FULL_DISK);
  expect(world.open()).not.toContain("resolve");
  expect(world.said(id).at(-1)).toContain("no space left on device");
});

test("a mirror that cannot give the manifest now is not waited for, the registry is", () => {
  const world = new ImageWorld({ registryMirrors: ["https://mirror.example"] });
  const id = world.ask("POST", "/images/create?fromImage=x&tag=1");
  world.failAs(world.take("resolve").op, answered(503));
  world.failAs(world.take("resolve").op, answered(429, "", "", { retryAfter: 7 }));
  world.wait(6);
  expect(world.open()).toEqual([]);
  world.wait(1);
  const { op, val } = world.take("resolve");
  expect(val.endpoint.authority).toBe("registry-1.docker.io");
  world.failAs(op, answered(429, "", "", { retryAfter: 31 }));
  expect(world.answer(id)).toMatchObject({ over: true });
  expect(world.timers).toBe(0);
});

test("the seconds of a long pause are told, also before the first line; then a failure is the last line", () => {
  const world = new ImageWorld();
  const id = world.ask("POST", "/images/create?fromImage=x&tag=1");
  world.failAs(world.take("resolve").op, answered(429, "", "", { retryAfter: 5 }));
  expect(world.said(id)).toEqual(["Retrying in 5 seconds 1"]);
  for (let second = 0; second < 5; second++) world.wait(1);
  const told = [5, 4, 3, 2].map((left) => `Retrying in ${left} seconds 1`);
  expect(world.said(id)).toEqual([...told, "Retrying in 1 second 1"]);
  world.failAs(world.take("resolve").op, answered(404, "MANIFEST_UNKNOWN", "manifest unknown"));
  expect(world.answer(id)).toMatchObject({ status: 200, over: true });
  expect(world.said(id).at(-1)).toContain("manifest for x:1 not found");
  expect(world.timers).toBe(0);
});

test("a short pause before the first line is silent: a failure keeps its status", () => {
  const world = new ImageWorld();
  const id = world.ask("POST", "/images/create?fromImage=x&tag=1");
  for (const pause of [1, 3]) {
    world.failAs(world.take("resolve").op, answered(503, "", "", { retryAfter: pause }));
    world.wait(pause);
  }
  world.failAs(world.take("resolve").op, answered(503));
  expect(world.answer(id)).toMatchObject({ status: 500, over: true });
});

test("a pull that is given up in a pause asks nobody any more", () => {
  const world = new ImageWorld();
  const id = world.ask("POST", "/images/create?fromImage=x&tag=1");
  world.failAs(world.take("resolve").op, answered(429, "", "", { retryAfter: 5 }));
  world.wait(2);
  world.hangUp(id);
  expect([world.timers, world.open()]).toEqual([0, []]);
});

test("a redirect to nowhere is final", () => {
  const world = new ImageWorld();
  const id = world.ask("POST", "/images/create?fromImage=x&tag=1");
  world.failAs(world.take("resolve").op, exchange({ tag: "bad-redirect" }));
  expect(world.answer(id)).toMatchObject({ status: 500, over: true });
});
