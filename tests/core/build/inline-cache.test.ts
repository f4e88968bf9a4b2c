// A cache inside an image of a registry, as seen by the core.

import { expect, test } from "vitest";
import { decode } from "../../../hosts/buildkit/messages/codec.js";
import { statusResponse } from "../../../hosts/buildkit/messages/control.js";
import { digestOf, encode, ImageWorld, resolved } from "../support/image-world.js";
import { BUSYBOX_CHAIN, BUSYBOX_ID } from "../support/fixtures.js";
import { answered } from "../../support/registry/registry-failures.js";
import { beginBuild } from "./beginning.js";
import { drop, writeStep } from "./solving.js";

const MEMBER = "moby.buildkit.cache.v0";
const QUERY = "version=2&networkmode=none";
const ARGUMENT = `&buildargs=${encodeURIComponent('{"BUILDKIT_INLINE_CACHE":"1"}')}`;
const DOCKERFILE = "FROM busybox\nENV A=1\nRUN make\nCMD x\n";
const FROM = `&cachefrom=${encodeURIComponent('["r.example/a:1"]')}`;
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The config of an image that another machine has built, with its cache inside. */
function config(dockerfile = DOCKERFILE, made = "made"): string {
  const world = new ImageWorld();
  const id = beginBuild(world, dockerfile, QUERY + ARGUMENT);
  if (dockerfile.includes("RUN")) writeStep(world, made);
  drop(world);
  return text(world.records.get(`config/${resultOf(world, id)}`)!);
}

function resultOf(world: ImageWorld, id: bigint): string {
  return world.lines(id).find((line) => line["id"] === "moby.image.id")!["aux"]!["ID" as never];
}

/** A build on a machine with the base alone, up to what it does after it has read this config. */
function importing(document: string, dockerfile = DOCKERFILE): { world: ImageWorld; id: bigint } {
  const world = new ImageWorld();
  const id = beginBuild(world, dockerfile, QUERY + FROM);
  offer(world, document);
  return { world, id };
}

/** A registry has an image of the name, with this config. */
function offer(world: ImageWorld, document: string, all = ["base", "made"]): void {
  const bytes = encode(document);
  const names = all.slice(0, (JSON.parse(document) as Rootfs).rootfs.diff_ids.length);
  const layers = names.map((name) => ({
    mediaType: "application/vnd.docker.image.rootfs.diff.tar.gzip",
    digest: digestOf(encode(name)),
    size: 10,
  }));
  const mediaType = "application/vnd.docker.container.image.v1+json";
  const parts = { config: { mediaType, digest: digestOf(bytes), size: bytes.length }, layers };
  const manifest = { schemaVersion: 2, mediaType: "application/vnd.docker.distribution.manifest.v2+json", ...parts };
  world.succeed(world.take("resolve").op, resolved(encode(JSON.stringify(manifest))));
  world.succeed(world.take("blob").op, { tag: "bytes", val: bytes });
}

interface Rootfs {
  rootfs: { diff_ids: string[] };
}

const runs = (world: ImageWorld): boolean => world.open().includes("mount");

test("is waited for if its registry asks for a pause, and the client is told once", () => {
  const world = new ImageWorld();
  const id = beginBuild(world, DOCKERFILE, QUERY + FROM);
  world.failAs(world.take("resolve").op, answered(429, "TOOMANYREQUESTS", "slowly", { retryAfter: 3 }));
  world.wait(3);
  offer(world, config());
  const told = world.lines(id).map(({ aux }) => Buffer.from(String(aux), "base64").toString("latin1"));
  const waits = told.filter((status) => status.includes("the registry asks for a pause"));
  // When it begins, and when it is over.
  expect(waits).toHaveLength(2);
});

test("has a record for each layer, each with the one below", () => {
  const document = JSON.parse(config()) as Record<string, string>;
  const records = JSON.parse(Buffer.from(document[MEMBER]!, "base64").toString()) as object[];
  const digest = expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string;
  const createdAt = expect.any(String) as string;
  expect(records).toEqual([
    { digest, layers: [{ layer: 0, ...(createdIn(document, 0) ? { createdAt } : {}) }] },
    { digest, layers: [{ layer: 1, createdAt }], inputs: [[{ link: 0 }]] },
  ]);
});

function createdIn(document: object, at: number): boolean {
  return "created" in (document as { history: object[] }).history[at]!;
}

test("gives the step that it has: only the layer that is missing is fetched, and the result is the image", () => {
  const made = config();
  const { world, id } = importing(made);
  const layer = world.take("layer");
  expect([layer.val.parent, world.open()]).toEqual([BUSYBOX_CHAIN, []]);
  world.succeed(layer.op, { tag: "size", val: 1000n });
  drop(world);
  expect(resultOf(world, id)).toBe(digestOf(encode(made)));
  const images = world.call("GET", "/images/json?all=1").json as { Id: string; RepoTags: string[] }[];
  expect(images.map(({ Id }) => Id).sort()).toEqual([BUSYBOX_ID, digestOf(encode(made))].sort());
});

test("two stages tell their layers below their own steps", () => {
  const [one, two] = [config(), config(DOCKERFILE.replace("make", "other"), "other")];
  const world = new ImageWorld();
  const names = `&cachefrom=${encodeURIComponent('["r.example/a:1","r.example/b:1"]')}`;
  const stages = "FROM busybox AS one\nENV A=1\nRUN make\nFROM busybox AS two\nENV A=1\nRUN other\n";
  const id = beginBuild(world, `${stages}FROM one\nCOPY --from=two f /\n`, QUERY + names);
  offer(world, one);
  offer(world, two, ["base", "other"]);
  const layers = [world.take("layer"), world.take("layer")];
  layers.forEach(({ op }, at) => world.progress(op, "downloading", at + 1, 10));
  const told = world
    .lines(id)
    .map(({ aux }) => decode(statusResponse, Buffer.from(String(aux), "base64")) as Told)
    .flatMap(({ vertexes = [], statuses = [] }) => [...vertexes, ...statuses]);
  const nameOf = (digest: string): string | undefined => told.find((one) => one.digest === digest)?.name;
  const amounts = told.flatMap(({ vertex, current }) =>
    vertex !== undefined && Number(current ?? 0) > 0 ? [[nameOf(vertex), Number(current)]] : [],
  );
  expect(amounts).toEqual([
    ["[one 2/2] RUN make", 1],
    ["[two 2/2] RUN other", 2],
  ]);
});

interface Piece {
  digest?: string;
  name?: string;
  vertex?: string;
  current?: unknown;
}

interface Told {
  vertexes?: Piece[];
  statuses?: Piece[];
}

test("is worth nothing if its layers are not there: then the step is done", () => {
  const { world, id } = importing(config());
  world.failAs(world.take("layer").op, answered(404, "BLOB_UNKNOWN"));
  expect(runs(world)).toBe(true);
  writeStep(world, "anew");
  drop(world);
  expect(world.answer(id).over).toBe(true);
});

test("a mirror's image is not taken for that of another endpoint: the step is done", () => {
  const made = config();
  const world = new ImageWorld({ registryMirrors: ["http://mirror.example"] });
  const id = beginBuild(world, DOCKERFILE, `${QUERY}&cachefrom=${encodeURIComponent('["a:1"]')}`);
  offer(world, made);
  world.failAs(world.take("layer").op, answered(404, "BLOB_UNKNOWN"));
  offer(world, JSON.stringify({ ...JSON.parse(made), other: 1 }));
  expect([world.open().includes("layer"), runs(world)]).toEqual([false, true]);
  writeStep(world, "anew");
  drop(world);
  expect(world.answer(id).over).toBe(true);
});

test("is no image that clients see, even if nothing of it is to be fetched", () => {
  const { world, id } = importing(config("FROM busybox\nCMD x\n"), "FROM busybox\nCMD x\nENV A=1\n");
  drop(world);
  const images = world.call("GET", "/images/json?all=1").json as { Id: string }[];
  expect(images.map(({ Id }) => Id).sort()).toEqual([BUSYBOX_ID, resultOf(world, id)].sort());
});

test("is not looked at if the history is longer than that of any build", () => {
  const made = JSON.parse(config()) as { history: object[] };
  const rest = Array.from({ length: 10_001 }, () => ({ empty_layer: true }));
  const { world } = importing(JSON.stringify({ ...made, history: [...made.history, ...rest] }));
  expect([world.open().includes("layer"), runs(world)]).toEqual([false, true]);
});

test("is not kept once those before it are too large together", () => {
  const names = ["a", "b", "c", "d", "e"].map((name) => `r.example/${name}:1`);
  const world = new ImageWorld();
  beginBuild(world, DOCKERFILE, `${QUERY}&cachefrom=${encodeURIComponent(JSON.stringify(names))}`);
  const large = (made: string, more = {}): string =>
    JSON.stringify({ ...JSON.parse(made), ...more, padding: "x".repeat(4_000_000) });
  const other = config("FROM busybox\nCMD other\n");
  for (const name of names.slice(1)) offer(world, large(other, { name }));
  offer(world, large(config()));
  expect([world.open().includes("layer"), runs(world)]).toEqual([false, true]);
});

test.each([
  ["none", (made: object) => ({ ...made, [MEMBER]: undefined })],
  ["no text", (made: object) => ({ ...made, [MEMBER]: [{ digest: "x" }] })],
  ["other bytes", (made: object) => ({ ...made, [MEMBER]: "W10=" })],
  [
    "records of another history",
    (made: { history: object[] }) => ({
      ...made,
      history: made.history.map((entry) => ({ ...entry, created_by: "/bin/sh -c make" })),
    }),
  ],
])("is not trusted with %s", (_what, change) => {
  const { world, id } = importing(JSON.stringify(change(JSON.parse(config()) as never)));
  expect([world.open().includes("layer"), runs(world)]).toEqual([false, true]);
  writeStep(world, "anew");
  drop(world);
  expect(world.answer(id).over).toBe(true);
});

test("a client that leaves while layers are fetched ends the build", () => {
  const { world, id } = importing(config());
  const { op } = world.take("layer");
  world.hangUp(id);
  world.failAs(op, answered(404, "BLOB_UNKNOWN"));
  drop(world);
  expect(world.open().filter((tag) => tag !== "abandon")).toEqual([]);
});
