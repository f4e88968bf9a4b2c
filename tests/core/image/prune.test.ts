// POST /images/prune, as seen by the core.

import { beforeEach, describe, expect, test } from "vitest";
import { digestOf, encode, ImageWorld, makeImage } from "../support/image-world.js";
import type { Json, MadeImage } from "../support/image-world.js";
import { commit, load, run } from "./begun.js";

const ALL = { dangling: ["false"], "label!": ["of=busybox"] };
const MANY = 3_000;

let world: ImageWorld;
beforeEach(() => {
  world = new ImageWorld();
  world.call("DELETE", "/images/busybox?force=1");
  world.dropped();
});

describe("prune of images", () => {
  test("removes only untagged images; one with children stays, and counts when it goes", () => {
    const base = makeImage(["1"], { config: { Labels: { a: "b" } } });
    const heir = makeImage(["2"], { on: base });
    load(world, base, null);
    load(world, heir, ["heir:1"]);
    expect(prune({ label: ["other"] })).toEqual({ ImagesDeleted: null, SpaceReclaimed: 0 });
    expect(prune({})).toEqual({ ImagesDeleted: [{ Deleted: base.id }], SpaceReclaimed: 0 });
    expect(world.dropped()).toEqual([]);
    expect(prune(ALL)).toEqual({
      ImagesDeleted: [
        { Untagged: "heir:1" },
        { Deleted: heir.id },
        { Deleted: heir.chains[1] },
        { Deleted: heir.chains[0] },
      ],
      SpaceReclaimed: 14,
    });
    expect(world.dropped()).toEqual([heir.chains[1], heir.chains[0]]);
    expect([...world.records.keys()].filter((key) => /^(image|config|reference|layer)/.test(key))).toEqual([]);
  });

  test("keeps images of containers, running or not, with their parents", () => {
    const image = makeImage(["1"]);
    const other = makeImage(["3"]);
    load(world, image, ["parent:1"]);
    load(world, other, ["used:1"]);
    world.call("POST", "/containers/create?name=idle", { Image: "used:1", Cmd: ["x"] });
    run(world, "parent:1");
    const made = commit(world, "container=runs");
    expect(prune(ALL)).toMatchObject({ ImagesDeleted: [{ Deleted: made }, {}], SpaceReclaimed: 3 });
    const tags = (world.call("GET", "/images/json").json as Json[]).map((item) => item["RepoTags"]);
    expect(tags.toSorted()).toEqual([["parent:1"], ["used:1"]]);
  });

  test("events: one per removed image, then one of the prune; refused below 1.25", () => {
    load(world, makeImage(["1"]), ["a:1", "b:1"]);
    expect(world.call("POST", "/v1.24/images/prune")).toEqual({
      status: 400,
      json: { message: "POST /images/prune requires minimum API version 1.25" },
    });
    const events = world.ask("GET", `/events?filters=${encodeURIComponent('{"type":["image"]}')}`);
    prune(ALL);
    const said = world.answer(events).text.trim().split("\n");
    const actions = said.map((line) => (JSON.parse(line) as { Action: string }).Action);
    expect(actions).toEqual(["untag", "untag", "delete", "prune"]);
    expect(JSON.parse(said.at(-1)!)).toMatchObject({ Actor: { ID: "", Attributes: { reclaimed: "7" } } });
  });

  test.each([
    [{ name: ["x"] }, "invalid filter 'name'"],
    [{ dangling: ["perhaps"] }, "invalid filter 'dangling=[perhaps]'"],
    [{ dangling: ["true", "false"] }, "invalid filter 'dangling=[true false]'"],
    [{ until: ["1m", "2m"] }, "more than one until filter specified"],
  ])("%j is refused", (filters, message) => {
    expect(world.call("POST", target(filters))).toEqual({ status: 400, json: { message } });
  });

  test(`${MANY} generations go at once: no stack grows with them`, () => {
    const images = Array.from({ length: MANY }, (_, at) => makeImage([], { config: { Labels: { at: `${at}` } } }));
    world = new ImageWorld({ records: images.flatMap((image, at) => recordsOf(image, images[at - 1])), chains: [] });
    const { ImagesDeleted } = prune({});
    expect(ImagesDeleted).toEqual(images.map(({ id }) => ({ Deleted: id })).toReversed());
    expect([...world.records.keys()].filter((key) => /^(image|config)/.test(key))).toEqual([]);
  });
});

function target(filters: unknown): string {
  return `/images/prune?filters=${encodeURIComponent(JSON.stringify(filters))}`;
}

function prune(filters: unknown): Json {
  const { status, json } = world.call("POST", target(filters));
  expect(status).toBe(200);
  return json as Json;
}

function recordsOf(image: MadeImage, parent: MadeImage | undefined): [string, Uint8Array][] {
  const record = parent === undefined ? {} : { parent: parent.id };
  return [
    [`config/${digestOf(image.config)}`, image.config],
    [`image/${image.id}`, encode(JSON.stringify(record))],
  ];
}
