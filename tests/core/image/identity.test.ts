// Where an image comes from, as `GET /images/{name}/json` tells since 1.53.

import { expect, test } from "vitest";
import { keysOf } from "../../support/records/kept-records.js";
import { record } from "../support/recordings.js";
import { ImageWorld, makeImage, resolved } from "../support/image-world.js";

const image = makeImage(["one"]);
/** Each but the first hundred puts out an older one. */
const PULLS = 1000;

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

test("the newest hundred of them, each told from the others", () => {
  const world = new ImageWorld();
  pull(world, "x");
  const names = Array.from({ length: PULLS }, (_, at) => `r.example/x${at}`);
  for (const name of names) {
    pull(world, name);
    world.call("DELETE", `/images/${name}:1`);
  }
  expect(identityOf(world, "1.53")).toEqual({ Pull: names.slice(-100).map((Repository) => ({ Repository })) });
  expect(world.records.get(`image/${image.id}`)!.length).toBeLessThan(100 * "r.example/x999".length + 500);
});

test("its record is written once by its first pull, with the repository", () => {
  const [recording] = record(() => pull(new ImageWorld(), "x"));
  const written = recording!.steps.flatMap(({ outputs }) => keysOf(outputs.records));
  expect(written.filter((key) => key === `image/${image.id}`)).toHaveLength(1);
});

test("nothing of one that was there from the start", () => {
  const { json } = new ImageWorld().call("GET", "/v1.55/images/busybox/json");
  expect(json).not.toHaveProperty("Identity");
});
