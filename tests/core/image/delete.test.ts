// DELETE /images/NAME, as seen by the core.

import { beforeEach, describe, expect, test } from "vitest";
import { BUSYBOX_CHAIN } from "../support/fixtures.js";
import { ImageWorld, makeImage } from "../support/image-world.js";
import type { Json, MadeImage } from "../support/image-world.js";
import { commit, load, run } from "./begun.js";

let world: ImageWorld;
beforeEach(() => {
  world = new ImageWorld();
});

describe("delete", () => {
  const image = makeImage(["1", "2"]);

  test("untagged, then deleted from the top down; shared layers stay", () => {
    load(world, image, ["going:1"]);
    const heir = makeImage(["3"], { on: image });
    load(world, heir, ["heir:1"]);
    expect(world.call("DELETE", "/images/heir:1").json).toEqual([
      { Untagged: "heir:1" },
      { Deleted: heir.id },
      { Deleted: heir.chains[2] },
    ]);
    expect(world.dropped()).toEqual([heir.chains[2]]);
    expect(world.call("DELETE", "/images/going:1").json).toEqual([
      { Untagged: "going:1" },
      { Deleted: image.id },
      { Deleted: image.chains[1] },
      { Deleted: image.chains[0] },
    ]);
    expect(world.dropped()).toEqual([image.chains[1], image.chains[0]]);
    expect(world.call("DELETE", "/images/going:1")).toEqual({
      status: 404,
      json: { message: "No such image: going:1" },
    });
    expect([...world.records.keys()].filter((key) => key.includes(image.id.slice(7)))).toEqual([]);
  });

  test("one of several names; with the last tag of a repository its digest is removed, too", () => {
    load(world, image, ["a:1", "a:2", "b:1"]);
    expect(world.call("DELETE", `/images/${image.id}`)).toEqual({
      status: 409,
      json: {
        message: `conflict: unable to delete ${short(image)} (must be forced) - image is referenced in multiple repositories`,
      },
    });
    expect(world.call("DELETE", "/images/a:1").json).toEqual([{ Untagged: "a:1" }]);
    expect(world.call("DELETE", `/images/${image.id}?force=1`).json).toEqual([
      { Untagged: "a:2" },
      { Untagged: "b:1" },
      { Deleted: image.id },
      { Deleted: image.chains[1] },
      { Deleted: image.chains[0] },
    ]);
  });

  test("an image in use by a container", () => {
    load(world, image, ["used:1"]);
    const { json } = world.call("POST", "/containers/create?name=user", { Image: "used:1", Cmd: ["x"] });
    const container = (json as { Id: string }).Id.slice(0, 12);
    expect(world.call("DELETE", "/images/used:1").json).toEqual({
      message: `conflict: unable to remove repository reference "used:1" (must force) - container ${container} is using its referenced image ${short(image)}`,
    });
    expect(world.call("DELETE", `/images/${image.id}`).json).toEqual({
      message: `conflict: unable to delete ${short(image)} (must be forced) - image is being used by stopped container ${container}`,
    });
    // The layers stay as long as the container.
    expect(world.call("DELETE", "/images/used:1?force=1").json).toEqual([
      { Untagged: "used:1" },
      { Deleted: image.id },
    ]);
    expect(world.dropped()).toEqual([]);
    const again = new ImageWorld({ records: world.records, chains: [BUSYBOX_CHAIN, ...image.chains] });
    expect(again.dropped()).toEqual([]);
    const id = again.ask("DELETE", "/containers/user");
    while (again.open().includes("drop-container")) again.done(again.take("drop-container").op);
    expect(again.answer(id).status).toBe(204);
    expect(again.dropped()).toEqual([image.chains[1], image.chains[0]]);
  });

  test("force does not override a running container; by name only the name goes", () => {
    load(world, image, ["used:1"]);
    const container = run(world, "used:1").slice(0, 12);
    expect(world.call("DELETE", `/images/${image.id}?force=1`)).toEqual({
      status: 409,
      json: {
        message: `conflict: unable to delete ${short(image)} (cannot be forced) - image is being used by running container ${container}`,
      },
    });
    expect(world.call("DELETE", "/images/used:1?force=1").json).toEqual([{ Untagged: "used:1" }]);
    expect(world.call("GET", `/images/${image.id}/json`).status).toBe(200);
  });

  test("children prevent it; untagged parents go with a child, unless noprune is set", () => {
    for (const [query, deleted] of [
      ["", 2],
      ["?noprune=1", 1],
    ] as const) {
      world = new ImageWorld();
      load(world, image, ["parent:1"]);
      run(world, "parent:1", "made");
      commit(world, "container=made&repo=child&tag=1");
      expect(world.call("DELETE", `/images/${image.id}`).json).toEqual({
        message: `conflict: unable to delete ${short(image)} (cannot be forced) - image has dependent child images`,
      });
      expect(world.call("DELETE", "/images/parent:1?force=1").json).toEqual([{ Untagged: "parent:1" }]);
      expect(world.call("GET", "/images/json").json).toHaveLength(2);
      remove(world, "made");
      const records = world.call("DELETE", `/images/child:1${query}`).json as Json[];
      const ids = records.filter((record) => String(record["Deleted"] ?? "").length > 0).length;
      expect(ids).toBe(deleted === 2 ? 2 + 3 : 1 + 1);
      expect(world.call("GET", `/images/${image.id}/json`).status).toBe(deleted === 2 ? 404 : 200);
    }
  });
});

/** Kills and removes. */
function remove(world: ImageWorld, name: string): void {
  const { json } = world.call("GET", `/containers/${name}/json`);
  const id = world.ask("DELETE", `/containers/${name}?force=1`);
  world.done(world.takeProcess("signal"));
  world.exited((json as { Id: string }).Id, 1);
  world.done(world.takeProcess("reap"));
  world.done(world.take("unmount").op);
  while (world.open().includes("drop-container")) world.done(world.take("drop-container").op);
  expect(world.answer(id).status).toBe(204);
}

function short(image: MadeImage): string {
  return image.id.slice(7, 19);
}
