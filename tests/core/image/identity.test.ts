// Where an image comes from, as `GET /images/{name}/json` tells since 1.53.

import { expect, test } from "vitest";
import { ImageWorld, makeImage, resolved } from "../support/image-world.js";

const image = makeImage(["one"]);

function pull(world: ImageWorld, name: string): void {
  world.ask("POST", `/images/create?fromImage=${name}&tag=1`);
  world.succeed(world.take("resolve").op, resolved(image.manifest));
  if (!world.open().includes("blob")) return;
  world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
  world.succeed(world.take("layer").op, { tag: "size", val: 1n });
}

function identityOf(world: ImageWorld, version: string): unknown {
  const { json } = world.call("GET", `/v${version}/images/${image.id}/json`);
  return (json as { Identity?: unknown }).Identity;
}

test("the repositories of its pulls, each once, whatever its names are", () => {
  const world = new ImageWorld();
  pull(world, "x");
  world.call("POST", `/images/x:1/tag?repo=other.example/y&tag=2`);
  expect(identityOf(world, "1.53")).toEqual({ Pull: [{ Repository: "docker.io/library/x" }] });
  pull(world, "r.example:5000/deep/x");
  pull(world, "x");
  const both = ["docker.io/library/x", "r.example:5000/deep/x"].map((Repository) => ({ Repository }));
  expect(identityOf(world, "1.55")).toEqual({ Pull: both });
  expect(identityOf(world, "1.52")).toBeUndefined();
});

test("nothing of one that was there from the start", () => {
  const { json } = new ImageWorld().call("GET", "/v1.55/images/busybox/json");
  expect(json).not.toHaveProperty("Identity");
});
