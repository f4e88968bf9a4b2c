// POST /build, as seen by the core: what is in the cache, what may be removed meanwhile, and limits.

import { beforeEach, describe, expect, test } from "vitest";
import type { engine, failures } from "../../../hosts/shared/host.js";
import { answerList, filesOf } from "../image/begun.js";
import { digestOf, encode, ImageWorld, makeImage } from "../support/image-world.js";
import type { Json, MadeImage } from "../support/image-world.js";
import { beginBuild, CACHED } from "./beginning.js";

const MISSING: failures.Failure = { tag: "no-such", val: { what: "member", name: "/f" } };

let world: ImageWorld;
beforeEach(() => {
  world = new ImageWorld();
});

function begin(dockerfile: string, query = ""): bigint {
  return beginBuild(world, dockerfile, query);
}

/** A build that needs no files: the id of its image. */
function build(dockerfile: string, query = ""): string {
  const id = begin(dockerfile, query);
  const made = world.lines(id).findLast((line) => "aux" in line)?.["aux"] as { ID: string } | undefined;
  if (made === undefined) throw new Error(world.answer(id).text);
  return made.ID;
}

function choose(files: engine.ChosenFile[]): void {
  world.succeed(world.take("choose").op, { tag: "chosen", val: { files, digest: digestOf(encode("files")) } });
}

/** Answers the second half of a COPY. */
function copy(): void {
  copyUntilLayer();
  world.succeed(world.take("layer").op, { tag: "size", val: 3n });
}

/** The same, until the layer is to be made. */
function copyUntilLayer(): void {
  world.done(world.take("mount").op);
  world.failAs(world.take("stat").op, MISSING);
  world.done(world.take("copy").op);
  const val = { diffId: digestOf(encode("copied")), size: 3n, empty: false };
  world.succeed(world.take("commit").op, { tag: "committed", val });
}

function documentOf(image: string): Json {
  return JSON.parse(new TextDecoder().decode(world.records.get(`config/${image}`))) as Json;
}

/** The image comes from an archive that says that `parent` is its parent. */
function load(document: Json, parent: string): string {
  const config = encode(JSON.stringify(document));
  const { diff_ids: diffIds } = document["rootfs"] as { diff_ids: string[] };
  const image: MadeImage = { ...makeImage([]), config, diffIds, id: digestOf(config) };
  const id = world.ask("POST", "/images/load?quiet=1", encode("tar"));
  world.succeed(world.take("ingest").op, { tag: "ingested", val: filesOf(image) });
  const Layers = diffIds.map((_, at) => `${at}.tar`);
  answerList(world, world.take("read").op, [{ Config: "c.json", RepoTags: ["loaded:1"], Layers, Parent: parent }]);
  world.succeed(world.take("read").op, { tag: "bytes", val: config });
  const isNew = world.open().includes("layer");
  while (world.open().includes("layer")) world.succeed(world.take("layer").op, { tag: "size", val: 7n });
  while (world.open().includes("drop-archive")) world.done(world.take("drop-archive").op);
  if (isNew) world.done(world.take("flush-layers").op);
  expect(world.said(id).at(-1)).toBe("Loaded image: loaded:1");
  return image.id;
}

describe("the cache", () => {
  test.each(["FROM scratch\nCMD a\n", "FROM busybox\nENV A=1\n"])("what was built here: %j", (dockerfile) => {
    const made = build(dockerfile);
    const again = begin(dockerfile);
    expect(world.said(again)).toContain(CACHED);
    expect(build(dockerfile)).toBe(made);
  });

  test.each(["FROM scratch\nCMD a\n", "FROM busybox\nENV A=1\n"])("not what was loaded: %j", (dockerfile) => {
    const made = build(dockerfile);
    const { Parent } = world.call("GET", `/v1.41/images/${made}/json`).json as { Parent: string };
    const document = documentOf(made);
    expect(world.call("DELETE", `/images/${made}`).status).toBe(200);
    // The same history and config, of an earlier time: nothing else tells them apart.
    const loaded = load({ ...document, created: "2025-01-01T00:00:00Z" }, Parent);
    expect(world.call("GET", `/v1.41/images/${loaded}/json`).json).toMatchObject({ Parent });
    expect(world.said(begin(dockerfile))).not.toContain(CACHED);
  });

  test.each<[string, (document: Json) => Json]>([
    ["config", (document) => ({ ...document, config: { ...(document["config"] as Json), Entrypoint: ["evil"] } })],
    ["platform", (document) => ({ ...document, architecture: "riscv64" })],
    ["layers", (document) => ({ ...document, rootfs: { type: "layers", diff_ids: [digestOf(encode("other"))] } })],
    ["author", (document) => ({ ...document, author: "other" })],
  ])("not what has another %s, even if the client trusts it", (_what, change) => {
    const dockerfile = "FROM busybox\nENV A=1\n";
    const made = build(dockerfile);
    const { Parent } = world.call("GET", `/v1.41/images/${made}/json`).json as { Parent: string };
    const document = documentOf(made);
    expect(world.call("DELETE", `/images/${made}`).status).toBe(200);
    const trusted = `cachefrom=${encodeURIComponent('["loaded:1"]')}`;
    load({ ...document, created: "2025-01-01T00:00:00Z" }, Parent);
    expect(world.said(begin(dockerfile, trusted))).toContain(CACHED);
    load({ ...change(document), created: "2025-01-02T00:00:00Z" }, Parent);
    expect(world.said(begin(dockerfile, trusted))).not.toContain(CACHED);
  });

  test.each<[string, string | null, boolean]>([
    ["of a foreign image that the client trusts", null, true],
    ["not of a foreign image with another beginning", "other", false],
  ])("%s", (_what, first, isFound) => {
    const dockerfile = "FROM busybox\nENV A=1\nENV B=2\n";
    const made = build(dockerfile);
    const document = documentOf(made);
    expect(world.call("DELETE", `/images/${made}`).status).toBe(200);
    const history = structuredClone(document["history"]) as Json[];
    if (first !== null) history[0]!["created_by"] = first;
    load({ ...document, history, created: "2025-01-01T00:00:00Z" }, "");
    const said = world.said(begin(dockerfile, `cachefrom=${encodeURIComponent('["loaded:1"]')}`));
    expect(said.filter((line) => line === CACHED)).toHaveLength(isFound ? 2 : 0);
  });

  test("goes on after a restart", () => {
    const dockerfile = "FROM busybox\nENV A=1\n";
    build(dockerfile);
    world = new ImageWorld({ records: world.records });
    expect(world.said(begin(dockerfile))).toContain(CACHED);
  });
});

test("what is copied from an image is known from the last time: then no file system is mounted for it", () => {
  const dockerfile = "FROM scratch\nCOPY --from=busybox f g /d/\n";
  const id = begin(dockerfile);
  world.done(world.take("mount").op);
  const files = ["f", "g"].map((path, pattern) => ({ path, directory: false, pattern }));
  choose(files);
  copy();
  expect(world.said(id).at(-1)).toMatch(/^Successfully built/);
  const again = begin(dockerfile);
  expect(world.said(again)).toContain(CACHED);
  expect(world.said(again).at(-1)).toMatch(/^Successfully built/);
  // Without the cache, the step is done: the files are needed now.
  begin(dockerfile, "nocache=1");
  expect(world.open().filter((tag) => tag === "choose")).toEqual([]);
  world.done(world.take("mount").op);
  world.failAs(world.take("stat").op, MISSING);
  world.done(world.take("mount").op);
  expect(world.take("copy").val).toMatchObject({ what: { val: { files: [{ path: "f" }, { path: "g" }] } } });
});

test("choices from images are forgotten by their size, and the least recently used first", () => {
  /** Whether the host was asked. */
  const asks = (pattern: string, length: number): boolean => {
    const id = begin(`FROM scratch\nCOPY --from=busybox ${pattern} /d/\n`);
    if (!world.open().includes("mount")) return false;
    world.done(world.take("mount").op);
    choose([{ path: "f".repeat(length), directory: false, pattern: 0 }]);
    if (!world.said(id).includes(CACHED)) copy();
    return true;
  };
  expect([asks("large", 20_000), asks("large", 20_000)]).toEqual([true, true]);
  expect([asks("a", 1), asks("b", 1), asks("a", 1)]).toEqual([true, true, false]);
  for (let at = 0; at < 31; at++) expect(asks(`before-${at}`, 16_384)).toBe(true);
  expect(asks("a", 1)).toBe(false);
  expect(asks("after", 16_384)).toBe(true);
  expect([asks("a", 1), asks("b", 1)]).toEqual([false, true]);
});

describe("images that a client removes meanwhile", () => {
  test("come back with the next step", () => {
    const id = begin("FROM busybox\nENV A=1\nCOPY f /f\nENV B=2\n");
    choose([{ path: "f", directory: false, pattern: 0 }]);
    expect(world.call("POST", "/images/prune").json).toMatchObject({
      ImagesDeleted: [{ Deleted: expect.any(String) }],
    });
    copy();
    expect(world.said(id).at(-1)).toMatch(/^Successfully built/);
    const made = world.lines(id).flatMap(({ aux }) => (aux === undefined ? [] : [(aux as { ID: string }).ID]));
    const history = world.call("GET", `/images/${made.at(-1)}/history`).json as { Id: string }[];
    expect(history.slice(0, 3).map(({ Id }) => Id)).not.toContain("<missing>");
  });

  test("a command runs on its image", () => {
    const id = begin("FROM busybox\nENV A=1\nCOPY f /f\nRUN x\n");
    choose([{ path: "f", directory: false, pattern: 0 }]);
    copyUntilLayer();
    // Nothing but the build needs the image of the first step, and no name keeps it.
    world.call("POST", "/images/prune");
    world.succeed(world.take("layer").op, { tag: "size", val: 3n });
    expect(world.said(id).at(-1)).toMatch(/^---> Running in/);
  });
});

test("a pattern that matches nothing beside a here-document", () => {
  const id = begin("FROM busybox\nCOPY no* <<EOF /f\ntext\nEOF\n");
  choose([]);
  copy();
  expect(world.said(id).at(-1)).toMatch(/^Successfully built/);
});

describe("limits", () => {
  test("hundreds of stages that need no host", () => {
    const stages = Array.from(
      { length: 300 },
      (_, at) => `FROM ${at === 0 ? "scratch" : `s${at - 1}`} AS s${at}\nCMD ${at}`,
    );
    const id = begin(stages.join("\n"), "q=1");
    expect(world.said(id)).toEqual([expect.stringMatching(/^sha256:/)]);
  });

  test("too many instructions", () => {
    const id = begin(`FROM scratch\n${"CMD a\n".repeat(1000)}`);
    expect(world.answer(id).status).toBe(400);
    expect(JSON.parse(world.answer(id).text)).toEqual({
      message: "a build may have 1000 steps, and this one has more",
    });
  });

  test("too many triggers", () => {
    build(`FROM busybox\n${"ONBUILD ENV A=1\n".repeat(900)}`, "t=many:1");
    const id = begin(`FROM many:1\n${"CMD a\n".repeat(100)}`);
    expect(world.said(id).at(-1)).toBe("a build may have 1000 steps, and this one has more");
  });

  test("images that are too large", () => {
    // A line of a Dockerfile is not that long, but variables make it so.
    const half = `FROM scratch\nENV A=${"a".repeat(60_000)}\nENV B=${"$A".repeat(8)}\n`;
    const large = begin(`${half}ENV C=$B$B$B\nENV D=$B\n`);
    expect(world.said(large).at(-1)).toBe(
      "the config of the image is larger than 4194304 bytes, as max-document-size allows",
    );
    const many = begin(`${half}${"CMD a\n".repeat(100)}`);
    expect(world.said(many).at(-1)).toBe("the configs of the steps' images are larger than 67108864 bytes together");
  });
});

describe("a quiet build", () => {
  test("tells only the id", () => {
    const id = begin("FROM busybox\nCMD a\n", "q=1");
    expect(world.lines(id)).toEqual([{ stream: expect.stringMatching(/^sha256:[0-9a-f]{64}\n$/) }]);
  });

  test("shows what happened if it fails", () => {
    const id = begin("FROM busybox\nENV A=1\nRUN --device=d x\n", "q=1");
    expect(world.said(id)).toEqual([
      "Step 1/3 : FROM busybox",
      expect.stringMatching(/^---> /),
      "Step 2/3 : ENV A=1",
      expect.stringMatching(/^---> /),
      "Step 3/3 : RUN --device=d x",
      "RUN --device is not built yet",
    ]);
  });
});

test.each([
  ["buildargs", '{"A":1}', "error reading build args: json: cannot unmarshal number into Go value of type string"],
  [
    "buildargs",
    '["A"]',
    "error reading build args: json: cannot unmarshal array into Go value of type map[string]*string",
  ],
  ["labels", '["a"]', "error reading labels: json: cannot unmarshal array into Go value of type map[string]string"],
  ["labels", '{"a":{}}', "error reading labels: json: cannot unmarshal object into Go value of type string"],
  ["cachefrom", "{}", "error reading cache-from: json: cannot unmarshal object into Go value of type []string"],
  ["cachefrom", "[true]", "error reading cache-from: json: cannot unmarshal bool into Go value of type string"],
  [
    "ulimits",
    '"x"',
    "error reading ulimit settings: json: cannot unmarshal string into Go value of type []*units.Ulimit",
  ],
  ["ulimits", "[1]", "error reading ulimit settings: json: cannot unmarshal number into Go value of type units.Ulimit"],
])("the parameter %s=%s is refused", (name, value, message) => {
  const answer = world.call("POST", `/build?${name}=${encodeURIComponent(value)}`, encode("tar"));
  expect(answer).toEqual({ status: 400, json: { message } });
});

test("parameters that are null, or have nulls", () => {
  const query = `buildargs=${encodeURIComponent('{"A":null}')}&labels=null&cachefrom=null&ulimits=null`;
  expect(documentOf(build("FROM busybox\nENV A=1\n", query))["config"]).toMatchObject({
    Env: expect.arrayContaining(["A=1"]),
  });
});

test.each([
  [1, true],
  [2, false],
  [126, true],
])("the exit code %i of a program may come from the image's platform: %s", (code, says) => {
  const id = begin("FROM scratch\nLABEL a=b\nRUN x\n", "platform=linux/s390x&networkmode=none");
  world.done(world.take("mount").op);
  const { op, val } = world.takeLaunch();
  world.succeed(op, { tag: "launched", val: { pid: 7, at: world.now() } });
  world.exited(val.container, 1, code);
  expect(world.said(id).at(-1)).toContain(`returned a non-zero code: ${code}`);
  expect(/begin the stage with FROM --platform/.test(world.said(id).at(-1)!)).toBe(says);
});
