// GET /images/json and GET /images/NAME/json, as seen by the core.

import { beforeEach, describe, expect, test } from "vitest";
import { ImageWorld, makeImage } from "../support/image-world.js";
import type { Json } from "../support/image-world.js";
import { list, load } from "./begun.js";

let world: ImageWorld;
beforeEach(() => {
  world = new ImageWorld();
});

describe("list and inspect", () => {
  const old = makeImage(["o"], { created: "2020-01-02T03:04:05.5Z", config: { Labels: { a: "b" }, Cmd: ["x"] } });
  const young = makeImage(["y"], { created: "2025-01-01T00:00:00Z", on: old });

  beforeEach(() => {
    load(world, old, ["r.example/old:1", "r.example/old:2"]);
    load(world, young, ["young:latest"]);
  });

  test("newest first, counted as the version counts", () => {
    world.call("POST", "/containers/create?name=user", { Image: "young", Cmd: ["x"] });
    const items = world.call("GET", "/images/json?shared-size=1").json as Json[];
    expect(items.map((item) => item["RepoTags"])).toEqual([
      ["busybox:latest"],
      ["young:latest"],
      ["r.example/old:1", "r.example/old:2"],
    ]);
    expect(items[1]).toEqual({
      Containers: 1,
      Created: 1735689600,
      Id: young.id,
      Labels: null,
      ParentId: "",
      RepoDigests: [],
      RepoTags: ["young:latest"],
      SharedSize: 7,
      Size: 14,
    });
    expect(items[2]).toMatchObject({ Labels: { a: "b" }, Created: 1577934245, SharedSize: 7, Size: 7 });
    const before = world.call("GET", "/v1.41/images/json?shared-size=1").json as Json[];
    expect(before[1]).toMatchObject({ Containers: -1, SharedSize: -1, VirtualSize: 14, RepoDigests: null });
  });

  test.each([
    [{ label: ["a=b"] }, ["r.example/old:1", "r.example/old:2"]],
    [{ label: ["a=c"] }, []],
    [{ reference: ["young"] }, ["young:latest"]],
    [{ reference: ["r.example/*:2"] }, ["r.example/old:2"]],
    [{ reference: ["docker.io/library/young"] }, ["young:latest"]],
    [{ before: ["young"] }, ["r.example/old:1", "r.example/old:2"]],
    [{ since: ["r.example/old:1"] }, ["busybox:latest", "young:latest"]],
    [{ until: ["2024-01-01"] }, ["r.example/old:1", "r.example/old:2"]],
    [{ dangling: ["true"] }, []],
    [{ dangling: { false: true } }, ["busybox:latest", "young:latest", "r.example/old:1", "r.example/old:2"]],
  ])("filters %j", (filters, tags) => {
    const items = list(world, filters) as { RepoTags: string[] }[];
    expect(items.flatMap((item) => item.RepoTags)).toEqual(tags);
  });

  test.each([
    [{ colour: ["x"] }, 400, "invalid filter 'colour'"],
    [{ dangling: ["perhaps"] }, 400, "invalid filter 'dangling=[perhaps]'"],
    [{ before: ["nothing"] }, 404, "No such image: nothing:latest"],
    [{ until: ["soon"] }, 400, 'failed to parse value as time or duration: "soon"'],
  ])("refuses %j", (filters, status, message) => {
    const query = encodeURIComponent(JSON.stringify(filters));
    expect(world.call("GET", `/images/json?filters=${query}`)).toEqual({ status, json: { message } });
  });

  test("an image without names: placeholders up to 1.42, an old filter up to 1.24", () => {
    load(world, makeImage(["young's heir"]), ["young:latest"]);
    const dangling = encodeURIComponent('{"dangling":["true"]}');
    expect(world.call("GET", `/v1.42/images/json?filters=${dangling}`).json).toMatchObject([
      { Id: young.id, RepoTags: ["<none>:<none>"], RepoDigests: ["<none>@<none>"] },
    ]);
    expect(world.call("GET", `/v1.43/images/json?filters=${dangling}`).json).toMatchObject([
      { Id: young.id, RepoTags: [], RepoDigests: [] },
    ]);
    expect(world.call("GET", "/v1.24/images/json?filter=busy*").json).toHaveLength(1);
    expect(world.call("GET", "/v1.25/images/json?filter=busy*").json).toHaveLength(4);
  });

  test("inspect by every name, and of missing images", () => {
    const { json } = world.call("GET", "/v1.41/images/r.example/old:1/json");
    expect(json).toMatchObject({
      Id: old.id,
      RepoTags: ["r.example/old:1", "r.example/old:2"],
      Parent: "",
      Comment: "",
      Created: "2020-01-02T03:04:05.5Z",
      Container: "",
      ContainerConfig: { Hostname: "", Cmd: null },
      DockerVersion: "",
      Config: { Cmd: ["x"], Env: null, Labels: { a: "b" }, Tty: false, Image: "" },
      Architecture: "amd64",
      Os: "linux",
      Size: 7,
      VirtualSize: 7,
      GraphDriver: { Name: "overlay2" },
      RootFS: { Type: "layers", Layers: old.diffIds },
      Metadata: { LastTagTime: "0001-01-01T00:00:00Z" },
    });
    for (const name of [old.id, old.id.slice(7), old.id.slice(7, 12), old.id.slice(0, 17), "r.example/old:2"]) {
      expect(world.call("GET", `/v1.41/images/${name}/json`).json).toEqual(json);
    }
    expect(world.call("GET", `/images/${"0".repeat(64)}/json`)).toEqual({
      status: 404,
      json: { message: `No such image: sha256:${"0".repeat(64)}` },
    });
    expect(world.call("GET", "/images/r.example/old/json").json).toEqual({
      message: "No such image: r.example/old:latest",
    });
    expect(world.call("GET", "/images/-bad/json").status).toBe(400);
  });

  test("inspect omits fields that newer versions omit", () => {
    const keys = (version: string): string[] =>
      Object.keys(world.call("GET", `/v${version}/images/young/json`).json as Json);
    expect(keys("1.43")).toContain("VirtualSize");
    expect(keys("1.44")).not.toContain("VirtualSize");
    expect(keys("1.44")).toContain("ContainerConfig");
    expect(keys("1.45")).not.toContain("Container");
    expect(keys("1.51")).toEqual(expect.arrayContaining(["Parent", "Comment", "DockerVersion", "Author"]));
    expect(keys("1.52").filter((key) => ["Parent", "Comment", "DockerVersion", "Author"].includes(key))).toEqual([]);
    const config = (version: string): Json =>
      (world.call("GET", `/v${version}/images/r.example/old:1/json`).json as { Config: Json }).Config;
    expect(config("1.49")).toHaveProperty("Hostname", "");
    expect(Object.keys(config("1.50"))).toEqual([
      "User",
      "Env",
      "Cmd",
      "Volumes",
      "WorkingDir",
      "Entrypoint",
      "OnBuild",
      "Labels",
    ]);
    expect(config("1.52")).toEqual({ Cmd: ["x"], Labels: { a: "b" } });
  });
});
