// Load, list, inspect, tag, delete, commit and login, seen from the core.

import { beforeEach, describe, expect, test } from "vitest";
import { BUSYBOX_CHAIN } from "./fixtures.js";
import { digestOf, encode, ImageWorld, INDEX, makeImage, makeIndex } from "./image-world.js";
import type { Json, MadeImage } from "./image-world.js";

let world: ImageWorld;
beforeEach(() => {
  world = new ImageWorld();
});

describe("load", () => {
  const image = makeImage(["one", "two"]);

  test("an archive of docker save: layers one after the other, tags, then the archive is dropped", () => {
    const id = world.ask("POST", "/images/load?quiet=0", encode("tar"));
    const { op, val } = world.take("ingest");
    expect(val.request).toBe(id);
    world.succeed(op, { tag: "ingested", val: filesOf(image) });
    const list = world.take("read");
    expect(list.val).toEqual({ archive: val.archive, path: "manifest.json" });
    answerList(list.op, [{ Config: "c.json", RepoTags: ["box:1", "r.example/box:2"], Layers: ["0.tar", "1.tar"] }]);
    const config = world.take("read");
    expect(config.val.path).toBe("c.json");
    world.succeed(config.op, { tag: "bytes", val: image.config });
    for (const at of [0, 1]) {
      expect(world.open()).toEqual(["layer"]);
      const layer = world.take("layer");
      expect(layer.val).toMatchObject({
        chain: image.chains[at],
        diffId: image.diffIds[at],
        source: { tag: "archived", val: { archive: val.archive, path: `${at}.tar` } },
      });
      world.sleep(200);
      world.progress(layer.op, "extracting", 1000, 2000);
      world.succeed(layer.op, { tag: "size", val: 5n });
    }
    expect(world.take("drop-archive").val).toBe(val.archive);
    const short = image.diffIds.map((diffId) => diffId.slice(7, 19));
    const amounts = world.lines(id).filter((line) => line["status"] === "Loading layer");
    expect(amounts.map((line) => [line["id"], line["progressDetail"]])).toEqual(
      short.flatMap((layer) => [0, 1000, 2000].map((current) => [layer, amount(current, 2000)])),
    );
    expect(world.said(id).slice(-2)).toEqual(["Loaded image: box:1\n", "Loaded image: r.example/box:2\n"].map(trimmed));
    expect(world.answer(id)).toMatchObject({ status: 200, over: true });
    expect(world.call("GET", "/images/box:1/json").json).toMatchObject({
      Id: image.id,
      RepoTags: ["box:1", "r.example/box:2"],
      RepoDigests: [],
      Size: 10,
    });
  });

  test("layers that are there already are not unpacked, and not spoken of", () => {
    load(image, ["box:1"]);
    const more = makeImage(["three"], { on: image });
    const id = beginLoad(more, ["more:1"], "quiet=0");
    expect(world.take("layer").val).toMatchObject({ chain: more.chains[2], parent: image.chains[1] });
    expect(world.lines(id)).toHaveLength(1);
  });

  test("a tag that moves, and images without any", () => {
    load(image, ["box:1"]);
    const other = makeImage(["other"]);
    const moved = load(other, ["box:1"]);
    expect(world.said(moved)).toEqual(
      [
        `The image box:1 already exists, renaming the old one with ID ${image.id} to empty string`,
        "Loaded image: box:1",
      ].map(trimmed),
    );
    expect(world.call("GET", `/v1.43/images/${image.id}/json`).json).toMatchObject({ RepoTags: [] });
    const unnamed = load(makeImage(["unnamed"]), null);
    expect(world.said(unnamed)).toEqual([`Loaded image ID: ${makeImage(["unnamed"]).id}`]);
  });

  test("an OCI image layout, an index in its index", () => {
    const arm = makeImage(["arm"], { architecture: "arm64" });
    const inner = makeIndex([
      [{ os: "linux", architecture: "arm64" }, arm],
      [{ os: "linux", architecture: "amd64" }, image],
    ]);
    const outer = {
      schemaVersion: 2,
      manifests: [
        {
          mediaType: INDEX,
          digest: digestOf(inner),
          size: inner.length,
          annotations: { "io.containerd.image.name": "docker.io/library/oci:1" },
        },
      ],
    };
    const id = world.ask("POST", "/images/load", encode("tar"));
    world.succeed(world.take("ingest").op, { tag: "ingested", val: [{ path: "index.json", size: 1n }] });
    const path = (digest: string): string => `blobs/${digest.replace(":", "/")}`;
    for (const [name, bytes] of [
      ["index.json", encode(JSON.stringify(outer))],
      [path(digestOf(inner)), inner],
      [path(image.digest), image.manifest],
      [path(image.id), image.config],
    ] as const) {
      const { op, val } = world.take("read");
      expect(val.path).toBe(name);
      world.succeed(op, { tag: "bytes", val: bytes });
    }
    for (const blob of image.blobs) {
      const { op, val } = world.take("layer");
      expect(val.source.val).toMatchObject({ path: path(blob.digest) });
      world.succeed(op, { tag: "size", val: 1n });
    }
    expect(world.said(id)).toEqual(["Loaded image: oci:1"]);
  });

  test.each([
    [
      "a body that breaks off",
      "ingest",
      "corrupt",
      "unexpected EOF",
      "Error processing tar file(exit status 1): unexpected EOF",
    ],
    ["no manifest", "files", "", "", "invalid archive: does not contain a manifest.json"],
    ["a config that is not there", "read", "not-found", '"c.json" does not exist', '"c.json" does not exist'],
    [
      "a wrong DiffID",
      "layer",
      "corrupt",
      'invalid diffID for layer: got "x"',
      `invalid diffID for layer 1: expected "${image.diffIds[1]}", got "x"`,
    ],
    [
      "a broken layer",
      "layer",
      "corrupt",
      "unexpected EOF",
      "Error processing tar file(exit status 1): unexpected EOF",
    ],
  ] as const)("%s ends the stream; nothing is left", (_what, step, kind, message, error) => {
    const records = new Set(world.records.keys());
    const id = world.ask("POST", "/images/load", encode("tar"));
    const ingest = world.take("ingest");
    if (step === "ingest") world.fail(ingest.op, kind, message);
    else if (step === "files") world.succeed(ingest.op, { tag: "ingested", val: [{ path: "x", size: 1n }] });
    else {
      world.succeed(ingest.op, { tag: "ingested", val: filesOf(image) });
      answerList(world.take("read").op, [{ Config: "c.json", RepoTags: null, Layers: ["0.tar", "1.tar"] }]);
      const config = world.take("read");
      if (step === "read") world.fail(config.op, kind, message);
      else {
        world.succeed(config.op, { tag: "bytes", val: image.config });
        world.succeed(world.take("layer").op, { tag: "size", val: 1n });
        world.fail(world.take("layer").op, kind, message);
        expect(world.dropped()).toEqual([image.chains[0]]);
      }
    }
    expect(world.lines(id)).toEqual([{ errorDetail: { message: error }, error }]);
    expect(world.answer(id)).toMatchObject({ status: 200, over: true });
    expect(world.take("drop-archive").val).toBe(ingest.val.archive);
    expect(world.open()).toEqual([]);
    expect(new Set(world.records.keys())).toEqual(records);
  });

  test.each([
    ["null", "invalid manifest, manifest cannot be null (but can be [])"],
    ["{}", "invalid archive: manifest.json is no list of images"],
  ])("a list that is none: %s", (list, error) => {
    const id = world.ask("POST", "/images/load", encode("tar"));
    world.succeed(world.take("ingest").op, { tag: "ingested", val: filesOf(image) });
    world.succeed(world.take("read").op, { tag: "bytes", val: encode(list) });
    expect(world.said(id)).toEqual([error]);
    world.done(world.take("drop-archive").op);
  });

  test("of what a machine cannot run", () => {
    const id = world.ask("POST", "/images/load", encode("tar"));
    world.succeed(world.take("ingest").op, { tag: "ingested", val: filesOf(image) });
    answerList(world.take("read").op, [{ Config: "c.json", RepoTags: null, Layers: ["0.tar", "1.tar"] }]);
    const config = encode(new TextDecoder().decode(image.config).replace('"linux"', '"windows"'));
    world.succeed(world.take("read").op, { tag: "bytes", val: config });
    expect(world.said(id)).toEqual(["cannot load windows image on linux"]);
  });

  test("a list that does not fit the config", () => {
    const id = world.ask("POST", "/images/load", encode("tar"));
    world.succeed(world.take("ingest").op, { tag: "ingested", val: filesOf(image) });
    answerList(world.take("read").op, [{ Config: "c.json", RepoTags: null, Layers: ["0.tar"] }]);
    world.succeed(world.take("read").op, { tag: "bytes", val: image.config });
    expect(world.said(id)).toEqual(["invalid manifest, layers length mismatch: expected 1, got 2"]);
  });

  test("no body at all", () => {
    const id = world.ask("POST", "/images/load");
    expect(world.said(id)).toEqual(["Error processing tar file(exit status 1): unexpected EOF"]);
  });
});

describe("list and inspect", () => {
  const old = makeImage(["o"], { created: "2020-01-02T03:04:05.5Z", config: { Labels: { a: "b" }, Cmd: ["x"] } });
  const young = makeImage(["y"], { created: "2025-01-01T00:00:00Z", on: old });

  beforeEach(() => {
    load(old, ["r.example/old:1", "r.example/old:2"]);
    load(young, ["young:latest"]);
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
    const items = list(filters) as { RepoTags: string[] }[];
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
    load(makeImage(["young's heir"]), ["young:latest"]);
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

  test("inspect by every name, and what there is none of", () => {
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

  test("inspect leaves out what newer versions leave out", () => {
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

describe("tag", () => {
  test("a new name, a moved name; both outlive a restart", () => {
    const other = makeImage(["other"]);
    load(other, ["other:1"]);
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

describe("delete", () => {
  const image = makeImage(["1", "2"]);

  test("untagged, then deleted from the top down; shared layers stay", () => {
    load(image, ["going:1"]);
    const heir = makeImage(["3"], { on: image });
    load(heir, ["heir:1"]);
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

  test("one of several names; with the last tag of a repository its digest goes as well", () => {
    load(image, ["a:1", "a:2", "b:1"]);
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

  test("an image that a container uses", () => {
    load(image, ["used:1"]);
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

  test("a running container cannot be forced; by name only the name goes", () => {
    load(image, ["used:1"]);
    const container = run("used:1").slice(0, 12);
    expect(world.call("DELETE", `/images/${image.id}?force=1`)).toEqual({
      status: 409,
      json: {
        message: `conflict: unable to delete ${short(image)} (cannot be forced) - image is being used by running container ${container}`,
      },
    });
    expect(world.call("DELETE", "/images/used:1?force=1").json).toEqual([{ Untagged: "used:1" }]);
    expect(world.call("GET", `/images/${image.id}/json`).status).toBe(200);
  });

  test("children stand against it; a child takes untagged parents along, unless noprune", () => {
    for (const [query, deleted] of [
      ["", 2],
      ["?noprune=1", 1],
    ] as const) {
      world = new ImageWorld();
      load(image, ["parent:1"]);
      run("parent:1", "made");
      commit("container=made&repo=child&tag=1");
      expect(world.call("DELETE", `/images/${image.id}`).json).toEqual({
        message: `conflict: unable to delete ${short(image)} (cannot be forced) - image has dependent child images`,
      });
      expect(world.call("DELETE", "/images/parent:1?force=1").json).toEqual([{ Untagged: "parent:1" }]);
      expect(world.call("GET", "/images/json").json).toHaveLength(2);
      remove("made");
      const records = world.call("DELETE", `/images/child:1${query}`).json as Json[];
      const ids = records.filter((record) => String(record["Deleted"] ?? "").length > 0).length;
      expect(ids).toBe(deleted === 2 ? 2 + 3 : 1 + 1);
      expect(world.call("GET", `/images/${image.id}/json`).status).toBe(deleted === 2 ? 404 : 200);
    }
  });
});

describe("commit", () => {
  const image = makeImage(["base"], { config: { Cmd: ["sh"], Env: ["PATH=/bin"], Labels: { of: "image" } } });
  beforeEach(() => load(image, ["base:1"]));

  test("a running container is paused meanwhile; its changes become the top layer", () => {
    const container = run("base:1", "made");
    const id = world.ask("POST", "/commit?container=made&repo=new&tag=2&comment=why&author=me");
    world.done(world.takeProcess("pause"));
    expect(world.call("GET", "/containers/made/json").json).toMatchObject({ State: { Paused: true } });
    const { op, val } = world.take("commit");
    expect(val.container).toBe(container);
    const diffId = digestOf(encode("changes"));
    world.succeed(op, { tag: "committed", val: { diffId, size: 3n, empty: false } });
    const layer = world.take("layer");
    const chain = digestOf(encode(`${image.chains[0]} ${diffId}`));
    expect(layer.val).toEqual({
      chain,
      parent: image.chains[0],
      diffId,
      source: { tag: "archived", val: { archive: val.archive, path: "layer.tar" } },
    });
    world.succeed(layer.op, { tag: "size", val: 3n });
    expect(world.take("drop-archive").val).toBe(val.archive);
    expect(world.answer(id).over).toBe(false);
    world.done(world.takeProcess("resume"));
    const { Id } = JSON.parse(world.answer(id).text) as { Id: string };
    expect(world.answer(id).status).toBe(201);
    expect(world.call("GET", "/v1.41/images/new:2/json").json).toMatchObject({
      Id,
      Parent: image.id,
      Comment: "why",
      Author: "me",
      Container: container,
      DockerVersion: "0.1.0",
      Config: { Cmd: ["x"], Env: ["PATH=/bin"], Labels: { of: "image" }, Image: "base:1" },
      ContainerConfig: { Cmd: ["x"] },
      RootFS: { Layers: [image.diffIds[0], diffId] },
      Size: 10,
    });
    const config = JSON.parse(new TextDecoder().decode(world.records.get(`config/${Id}`))) as { history: Json[] };
    expect(config.history.slice(1)).toEqual([
      { created: expect.any(String), author: "me", created_by: "x", comment: "why" },
    ]);
    expect(world.call("GET", "/containers/made/json").json).toMatchObject({ State: { Paused: false, Running: true } });
    const layers = new ImageWorld({
      records: world.records,
      chains: [BUSYBOX_CHAIN, image.chains[0] as string, chain],
    });
    expect(layers.dropped()).toEqual([]);
    expect(layers.call("GET", "/images/new:2/json").status).toBe(200);
  });

  test("events: pause, tag, commit, unpause", () => {
    run("base:1", "made");
    const reader = world.ask("GET", "/v1.41/events");
    commit("container=made&repo=new&comment=why");
    const events = world
      .answer(reader)
      .text.trimEnd()
      .split("\n")
      .map((text) => JSON.parse(text) as { Action: string; Actor: { Attributes: Json } });
    expect(events.map((event) => event.Action)).toEqual(["pause", "tag", "commit", "unpause"]);
    expect(events[2]?.Actor.Attributes).toMatchObject({ comment: "why", imageRef: "new:latest" });
  });

  test("without a pause, without changes: no new layer", () => {
    run("base:1", "made");
    const id = world.ask("POST", "/commit?container=made&pause=0");
    const { op } = world.take("commit");
    world.succeed(op, { tag: "committed", val: { diffId: `sha256:${"0".repeat(64)}`, size: 0n, empty: true } });
    const { Id } = JSON.parse(world.answer(id).text) as { Id: string };
    expect(world.call("GET", `/images/${Id}/json`).json).toMatchObject({ RootFS: { Layers: image.diffIds } });
    const config = JSON.parse(new TextDecoder().decode(world.records.get(`config/${Id}`))) as { history: Json[] };
    expect(config.history[1]).toMatchObject({ empty_layer: true });
  });

  test("a body wins, the container fills its gaps, changes come on top", () => {
    run("base:1", "made");
    const changes = [
      'CMD ["cat", "/x"]',
      'ENV A=1 B="two words" C=$A\nENV OLD old way',
      "LABEL x='y z' \\\n  w=v",
      "EXPOSE 80 53/udp 100-102",
      "VOLUME /data /more",
      "WORKDIR sub/../dir",
      "USER someone",
      "STOPSIGNAL SIGINT",
      "HEALTHCHECK --interval=5s --retries=2 CMD curl -f http://localhost",
      "ONBUILD RUN make",
    ];
    const query = changes.map((change) => `changes=${encodeURIComponent(change)}`).join("&");
    const Id = commit(`container=made&${query}`, { Env: ["FROM=body"], Labels: { x: "body" } });
    const config = JSON.parse(new TextDecoder().decode(world.records.get(`config/${Id}`))) as { config: Json };
    expect(config.config).toMatchObject({
      Cmd: ["cat", "/x"],
      Env: ["FROM=body", "A=1", "B=two words", "C=", "OLD=old way", "PATH=/bin"],
      Labels: { x: "y z", w: "v", of: "image" },
      ExposedPorts: { "80/tcp": {}, "53/udp": {}, "100/tcp": {}, "101/tcp": {}, "102/tcp": {} },
      Volumes: { "/data": {}, "/more": {} },
      WorkingDir: "/dir",
      User: "someone",
      StopSignal: "SIGINT",
      Healthcheck: { Test: ["CMD-SHELL", "curl -f http://localhost"], Interval: 5_000_000_000, Retries: 2 },
      OnBuild: ["RUN make"],
      Hostname: "",
    });
  });

  test("an entrypoint takes the command away that belonged to another", () => {
    run("base:1", "made");
    const Id = commit(`container=made&changes=${encodeURIComponent("ENTRYPOINT top -b")}`);
    const config = JSON.parse(new TextDecoder().decode(world.records.get(`config/${Id}`))) as { config: Json };
    expect(config.config).toMatchObject({ Entrypoint: ["/bin/sh", "-c", "top -b"], Cmd: null });
  });

  test("what fails is undone, and the container goes on", () => {
    run("base:1", "made");
    const id = world.ask("POST", "/commit?container=made");
    world.done(world.takeProcess("pause"));
    world.fail(world.take("commit").op, "exhausted", "no space left on device");
    world.take("drop-archive");
    world.done(world.takeProcess("resume"));
    expect(world.answer(id)).toMatchObject({ status: 500, over: true });
    expect(world.call("GET", "/containers/made/json").json).toMatchObject({ State: { Status: "running" } });
  });

  test("a crash while it is held still: after the restart it goes on", () => {
    const container = run("base:1", "made");
    world.ask("POST", "/commit?container=made");
    const chains = [BUSYBOX_CHAIN, image.chains[0] as string];
    const running = [container];
    // Before the pause was heard of, and after.
    for (const heard of [false, true]) {
      if (heard) world.done(world.takeProcess("pause"));
      const again = new ImageWorld({ records: world.records, chains, running });
      again.done(again.takeProcess("resume"));
      expect(again.call("GET", "/containers/made/json").json).toMatchObject({ State: { Status: "running" } });
      expect([...again.records.keys()].filter((key) => key.startsWith("commit/"))).toEqual([]);
    }
  });

  test("a container that ends while it is committed", () => {
    const container = run("base:1", "made");
    const id = world.ask("POST", "/commit?container=made");
    world.done(world.takeProcess("pause"));
    world.exited(container, 1);
    world.succeed(world.take("commit").op, {
      tag: "committed",
      val: { diffId: `sha256:${"0".repeat(64)}`, size: 0n, empty: true },
    });
    expect(world.answer(id).status).toBe(201);
  });

  test.each([
    ["repo=x", 400, 'invalid name or ID supplied: ""'],
    ["container=nope", 404, "No such container: nope"],
    ["container=made&repo=UPPER", 400, /must be lowercase/],
    ["container=made&changes=RUN+true", 400, "run is not a valid change command"],
    ["container=made&changes=EXPOSE+http", 400, "invalid containerPort: http"],
    ["container=made&changes=ENV+A", 400, "ENV must have two arguments"],
  ])("%s is refused", (query, status, message) => {
    run("base:1", "made");
    expect(world.call("POST", `/commit?${query}`, {})).toEqual({
      status,
      json: { message: typeof message === "string" ? message : expect.stringMatching(message) },
    });
  });
});

describe("login", () => {
  const login = { username: "me", password: "secret", serveraddress: "https://r.example:5000/v2/" };

  test("accepted, with or without a token", () => {
    const id = world.ask("POST", "/auth", login);
    const { op, val } = world.take("login");
    expect(val).toMatchObject({
      endpoint: { authority: "r.example:5000", insecure: false },
      credentials: { username: "me", password: "secret" },
    });
    world.succeed(op, { tag: "token", val: "" });
    expect(JSON.parse(world.answer(id).text)).toEqual({ Status: "Login Succeeded" });
    for (const [version, token, json] of [
      ["1.51", "", { IdentityToken: "", Status: "Login Succeeded" }],
      ["1.52", "t", { IdentityToken: "t", Status: "Login Succeeded" }],
    ] as const) {
      const other = world.ask("POST", `/v${version}/auth`, login);
      world.succeed(world.take("login").op, { tag: "token", val: token });
      expect(JSON.parse(world.answer(other).text)).toEqual(json);
    }
    expect([...world.records.values()].some((value) => new TextDecoder().decode(value).includes("secret"))).toBe(false);
  });

  test.each(["", "https://index.docker.io/v1/", "docker.io"])("the Hub is %j", (serveraddress) => {
    world.ask("POST", "/auth", { ...login, serveraddress });
    expect(world.take("login").val.endpoint.authority).toBe("registry-1.docker.io");
  });

  test.each([
    ["unauthorized", 401],
    ["denied", 403],
    ["unreachable", 500],
    ["registry", 500],
  ] as const)("%s is a %d", (kind, status) => {
    const id = world.ask("POST", "/auth", login);
    world.fail(world.take("login").op, kind, "told");
    expect([world.answer(id).status, JSON.parse(world.answer(id).text)]).toEqual([status, { message: "told" }]);
  });

  test.each([[{ username: 1 }], [{ ...login, serveraddress: "no host" }]])("%j is a 400", (body) => {
    expect(world.call("POST", "/auth", body).status).toBe(400);
  });
});

function filesOf(image: MadeImage): { path: string; size: bigint }[] {
  const layers = image.diffIds.map((_, at) => ({ path: `${at}.tar`, size: 2000n }));
  return [{ path: "manifest.json", size: 1n }, { path: "c.json", size: 1n }, ...layers];
}

function answerList(op: bigint, list: Json[]): void {
  world.succeed(op, { tag: "bytes", val: encode(JSON.stringify(list)) });
}

/** Loads an archive as far as its layers. */
function beginLoad(image: MadeImage, tags: string[] | null, query = "quiet=1"): bigint {
  const id = world.ask("POST", `/images/load?${query}`, encode("tar"));
  world.succeed(world.take("ingest").op, { tag: "ingested", val: filesOf(image) });
  const Layers = image.diffIds.map((_, at) => `${at}.tar`);
  answerList(world.take("read").op, [{ Config: "c.json", RepoTags: tags, Layers }]);
  world.succeed(world.take("read").op, { tag: "bytes", val: image.config });
  return id;
}

function load(image: MadeImage, tags: string[] | null): bigint {
  const id = beginLoad(image, tags);
  while (world.open().includes("layer")) world.succeed(world.take("layer").op, { tag: "size", val: 7n });
  world.done(world.take("drop-archive").op);
  expect(world.answer(id).over).toBe(true);
  return id;
}

/** A container that runs. Its id. */
function run(image: string, name = "runs"): string {
  const HostConfig = { NetworkMode: "none" };
  const { json } = world.call("POST", `/containers/create?name=${name}`, { Image: image, Cmd: ["x"], HostConfig });
  const start = world.ask("POST", `/containers/${name}/start`);
  world.done(world.take("mount").op);
  world.succeed(world.takeProcess("launch"), { tag: "launched", val: { pid: 7, at: world.now() } });
  expect(world.answer(start).status).toBe(204);
  return (json as { Id: string }).Id;
}

/** Kills and removes. */
function remove(name: string): void {
  const { json } = world.call("GET", `/containers/${name}/json`);
  const id = world.ask("DELETE", `/containers/${name}?force=1`);
  world.done(world.takeProcess("signal"));
  world.exited((json as { Id: string }).Id, 1);
  world.done(world.takeProcess("reap"));
  world.done(world.take("unmount").op);
  while (world.open().includes("drop-container")) world.done(world.take("drop-container").op);
  expect(world.answer(id).status).toBe(204);
}

/** Commits a running container with changes. The image's id. */
function commit(query: string, body?: Json): string {
  const id = world.ask("POST", `/commit?${query}`, body);
  world.done(world.takeProcess("pause"));
  const diffId = digestOf(encode("changes"));
  world.succeed(world.take("commit").op, { tag: "committed", val: { diffId, size: 3n, empty: false } });
  world.succeed(world.take("layer").op, { tag: "size", val: 3n });
  world.done(world.take("drop-archive").op);
  world.done(world.takeProcess("resume"));
  expect(world.answer(id).status).toBe(201);
  return (JSON.parse(world.answer(id).text) as { Id: string }).Id;
}

function list(filters: unknown): Json[] {
  return world.call("GET", `/images/json?filters=${encodeURIComponent(JSON.stringify(filters))}`).json as Json[];
}

function amount(current: number, total: number): Json {
  return current === 0 ? { total } : { current, total };
}

function short(image: MadeImage): string {
  return image.id.slice(7, 19);
}

function trimmed(text: string): string {
  return text.trim();
}
