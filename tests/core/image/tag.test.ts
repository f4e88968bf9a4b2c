// POST /images/NAME/tag, as seen by the core.

import { beforeEach, describe, expect, test } from "vitest";
import { BUSYBOX_CHAIN } from "../support/fixtures.js";
import { ImageWorld, makeImage } from "../support/image-world.js";
import { load } from "./begun.js";

let world: ImageWorld;
beforeEach(() => {
  world = new ImageWorld();
});

describe("tag", () => {
  test("a new name, a moved name; both survive a restart", () => {
    const other = makeImage(["other"]);
    load(world, other, ["other:1"]);
    expect(world.call("POST", "/images/busybox/tag?repo=localhost:5000/my/box&tag=v1").status).toBe(201);
    expect(world.call("POST", "/images/busybox/tag?repo=other&tag=1").status).toBe(201);
    const again = new ImageWorld({ records: world.records, chains: [BUSYBOX_CHAIN, ...other.chains] });
    expect(again.call("GET", "/images/other:1/json").json).toMatchObject({
      RepoTags: ["busybox:latest", "other:1", "localhost:5000/my/box:v1"],
      Metadata: { LastTagTime: "2026-01-01T00:00:00Z" },
    });
    expect(again.call("GET", `/images/${other.id}/json`).json).toMatchObject({ RepoTags: [] });
  });

  test.each([
    ["busybox", "repo=UPPER", 400, /must be lowercase/],
    ["busybox", "repo=a&tag=-bad", 400, /^invalid tag format$/],
    ["busybox", "repo=a//b", 400, /^invalid reference format$/],
    ["busybox", "", 400, /^invalid reference format$/],
    ["busybox", `repo=a@sha256:${"a".repeat(64)}`, 400, /^refusing to create a tag with a digest reference$/],
    ["busybox", "repo=sha256&tag=x", 400, /^refusing to create an ambiguous tag using digest algorithm as name$/],
    ["nothing", "repo=a", 404, /^No such image: nothing:latest$/],
  ])("%s %s is refused", (name, query, status, message) => {
    expect(world.call("POST", `/images/${name}/tag?${query}`)).toEqual({
      status,
      json: { message: expect.stringMatching(message) },
    });
  });
});
