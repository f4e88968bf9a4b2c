// A cache in a directory of the client (`--cache-to type=local`, `--cache-from type=local`), as seen by the core.

import { describe, expect, test } from "vitest";
import { digestOf, encode, ImageWorld } from "../support/image-world.js";
import { BUSYBOX_ID } from "../support/fixtures.js";
import { sendDefinition } from "../support/session-files.js";
import { commands, drop, METHOD, openSession, solve, watch, writeStep } from "./solving.js";

const CONTENT = "/containerd.services.content.v1.Content";
const METHODS = ["/moby.filesync.v1.FileSync/DiffCopy", `${CONTENT}/Read`, `${CONTENT}/Write`];
const OFFERS = { [METHOD]: METHODS.join(`\n${METHOD}: `) };
const DOCKERFILE = "FROM busybox\nENV A=1\nRUN make\nCMD x\n";
const STEPS = "application/vnd.buildkit.cacheconfig.v0";

interface Described {
  mediaType: string;
  digest: string;
  size: number;
}

/** What is in a client's directory: documents; null for a layer. */
interface Directory {
  blobs: Map<string, Uint8Array | null>;
  index: string;
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const responseOf = (world: ImageWorld, id: bigint): Record<string, string> =>
  (JSON.parse(world.answer(id).text) as { ExporterResponse: Record<string, string> }).ExporterResponse;
const imageOf = (world: ImageWorld, id: bigint): string => responseOf(world, id)["containerimage.config.digest"]!;

/** A build up to the point where the client gets the cache. */
function exporting(attributes = {}, dockerfile = DOCKERFILE, offers = OFFERS): { world: ImageWorld; id: bigint } {
  const world = new ImageWorld();
  openSession(world, offers);
  const Cache = { Exports: [{ Type: "local", Attrs: { dest: "/c", ...attributes } }] };
  const id = solve(world, { Cache });
  if (world.answer(id).over) return { world, id };
  sendDefinition(world, dockerfile);
  const runs = dockerfile.split("\n").filter((line) => line.startsWith("RUN"));
  for (const line of runs) writeStep(world, line);
  drop(world);
  return { world, id };
}

function measure(world: ImageWorld): void {
  while (world.open().includes("measure-tar")) world.succeed(world.take("measure-tar").op, { tag: "size", val: 7n });
}

/** The directory after a build on another machine. */
function kept(attributes = {}, dockerfile = DOCKERFILE): Directory & { image: string; descriptor: Described } {
  const { world, id } = exporting(attributes, dockerfile);
  measure(world);
  const { op, val } = world.take("give-blobs");
  expect(val.to.name).toBe("local:/c");
  world.done(op);
  const contents = val.blobs.map(
    ({ digest, content }) => [digest, content.tag === "bytes" ? content.val : null] as const,
  );
  const descriptor = JSON.parse(responseOf(world, id)["cache.manifest"]!) as Described;
  return { blobs: new Map(contents), index: descriptor.digest, image: imageOf(world, id), descriptor };
}

function entriesOf({ blobs, index }: Directory): Described[] {
  return (JSON.parse(text(blobs.get(index)!)) as { manifests: Described[] }).manifests;
}

/** A build on a machine with the base alone, after it has read what it wants of the directory. */
function importing({ blobs, index }: Directory, dockerfile = DOCKERFILE): { world: ImageWorld; id: bigint } {
  const world = new ImageWorld();
  openSession(world, OFFERS);
  const id = solve(world, { Cache: { Imports: [{ Type: "local", Attrs: { src: "/c", digest: index } }] } });
  sendDefinition(world, dockerfile);
  while (world.open().includes("read-document")) {
    const { op, val } = world.take("read-document");
    expect(val.in.name).toBe("local:/c");
    const bytes = blobs.get(val.digest);
    if (bytes) world.succeed(op, { tag: "bytes", val: bytes });
    else world.failAs(op, { tag: "no-such", val: { what: "blob", name: val.digest } });
  }
  return { world, id };
}

/** The layer that is wanted arrives, with this digest. */
function send(world: ImageWorld, instead?: string): void {
  const { op, val } = world.take("receive");
  if (val.source.tag !== "store") throw new Error(`${val.source.tag} is no store`);
  world.succeed(op, { tag: "received", val: instead ?? val.source.val.digest });
}

const runs = (world: ImageWorld): boolean => world.open().includes("mount");

describe("a cache for the client", () => {
  test("has layers, the image that is made of them, and the steps; each blob has its digest", () => {
    const { blobs, descriptor, ...directory } = kept();
    for (const [digest, bytes] of blobs) if (bytes !== null) expect(digestOf(bytes)).toBe(digest);
    const index = "application/vnd.oci.image.index.v1+json";
    expect(descriptor).toEqual({ mediaType: index, digest: directory.index, size: blobs.get(directory.index)!.length });
    const entries = entriesOf({ blobs, ...directory });
    const layer = "application/vnd.oci.image.layer.v1.tar";
    expect(entries.map(({ mediaType }) => mediaType)).toEqual([
      layer,
      layer,
      "application/vnd.oci.image.manifest.v1+json",
      STEPS,
    ]);
    expect(blobs.has(directory.image)).toBe(true);
    const steps = JSON.parse(text(blobs.get(entries[3]!.digest)!)) as { layers: object[]; records: object[] };
    expect(steps.layers).toEqual([
      { blob: entries[0]!.digest, parent: -1 },
      { blob: entries[1]!.digest, parent: 0 },
    ]);
    expect(steps.records).toMatchObject([
      { layers: [{ layer: 0 }] },
      { layers: [{ layer: 1 }], inputs: [[{ link: 0 }]] },
    ]);
  });

  test("has the stages that the result is not made of with mode=max alone", () => {
    const dockerfile = "FROM busybox AS one\nRUN one\nFROM busybox\nRUN two\nRUN --mount=from=one,target=/m three\n";
    const images = (mode: string): number =>
      entriesOf(kept({ mode }, dockerfile)).filter(({ mediaType }) => mediaType.includes("manifest")).length;
    expect([images("min"), images("max")]).toEqual([1, 2]);
  });

  test("of a build with very many stages leaves some of them out, and is one that can be used", () => {
    const stages = Array.from(
      { length: 101 },
      (_, at) => `FROM ${at === 0 ? "busybox" : `s${at - 1}`} AS s${at}\nRUN ${at}\n`,
    );
    const dockerfile = `${stages.join("")}FROM busybox\nRUN last\nRUN --mount=from=s100,target=/m true\n`;
    const directory = kept({ mode: "max" }, dockerfile);
    expect(entriesOf(directory).filter(({ mediaType }) => mediaType.includes("manifest"))).toHaveLength(100);
    expect(importing(directory, dockerfile).world.open()).toContain("receive");
  });

  test.each([
    ["compression=zstd", { compression: "zstd" }],
    ["force-compression=true", { "force-compression": "true" }],
    ["oci-mediatypes=false", { "oci-mediatypes": "false" }],
    ["invalid mode", { mode: "most" }],
    ["no directory", { dest: "" }],
    ["ASCII", { dest: "/ä" }],
  ])("is refused with %s, before anything is built", (words, attributes) => {
    const { world, id } = exporting(attributes);
    expect(world.answer(id).text).toContain(words);
    expect(world.open()).toEqual([]);
  });

  test("of another type is refused with what to do", () => {
    const world = new ImageWorld();
    const id = solve(world, { Cache: { Exports: [{ Type: "registry" }] } });
    expect(world.answer(id).text).toContain(
      "of type registry is not built yet: type=inline puts it into the image, type=local",
    );
  });

  test("ends the build if the client cannot take it, unless that is no error", () => {
    const failed = (attributes: object): string => {
      const { world, id } = exporting(attributes);
      measure(world);
      world.failAs(world.take("give-blobs").op, { tag: "body-broke", val: "no space left on device" });
      expect(commands(world)).toEqual(["drop-archive"]);
      return world.answer(id).text;
    };
    expect(JSON.parse(failed({}))).toEqual({ message: "no space left on device" });
    expect(failed({ "ignore-error": "true" })).toContain("containerimage.config.digest");
  });

  test("is refused to a client that has no stores", () => {
    const { world, id } = exporting({}, DOCKERFILE, { [METHOD]: METHODS[0]! });
    expect(world.answer(id).text).toContain("Content/Write not supported by the client");
  });

  test("is given up if the client leaves", () => {
    const { world, id } = exporting();
    measure(world);
    const { op } = world.take("give-blobs");
    world.hangUp(id);
    expect(commands(world)).toEqual(["drop-archive", "abandon"]);
    world.failAs(op, { tag: "interrupted", val: "given-up" });
    expect(commands(world)).toEqual(["drop-archive", "abandon"]);
  });
});

describe("a cache of the client", () => {
  test("gives the step that it has: only the layer that is missing comes, and the result is the image", () => {
    const directory = kept();
    const { world, id } = importing(directory);
    expect(world.open()).toEqual(["receive"]);
    send(world);
    world.succeed(world.take("layer").op, { tag: "size", val: 1000n });
    world.done(world.take("drop-archive").op);
    drop(world);
    expect(imageOf(world, id)).toBe(directory.image);
    const images = world.call("GET", "/images/json?all=1").json as { Id: string }[];
    expect(images.map(({ Id }) => Id).sort()).toEqual([BUSYBOX_ID, directory.image].sort());
  });

  test.each([
    ["arrives as something else", (world: ImageWorld) => send(world, digestOf(encode("other")))],
    [
      "is not there",
      (world: ImageWorld) => world.failAs(world.take("receive").op, { tag: "body-broke", val: "not found" }),
    ],
    [
      "cannot be unpacked",
      (world: ImageWorld) => {
        send(world);
        world.failAs(world.take("layer").op, { tag: "damaged", val: { what: "cut", said: "" } });
      },
    ],
  ])("is worth nothing if a layer %s: the step is done, and nothing of it stays", (_how, happen) => {
    const { world, id } = importing(kept());
    happen(world);
    expect(world.take("drop-archive").val).toMatch(/^[0-9a-f]{64}$/);
    expect(world.open().includes("layer")).toBe(false);
    writeStep(world, "anew");
    drop(world);
    expect(world.answer(id).status).toBe(200);
  });

  /** The directory with another blob in place of the one at this place of the index. */
  function changed(at: number, change: (document: Record<string, never>) => object): Directory {
    const { blobs, index } = kept();
    const list = JSON.parse(text(blobs.get(index)!)) as { manifests: Described[] };
    const bytes = encode(JSON.stringify(change(JSON.parse(text(blobs.get(list.manifests[at]!.digest)!)) as never)));
    list.manifests[at] = { ...list.manifests[at]!, digest: digestOf(bytes), size: bytes.length };
    const other = encode(JSON.stringify(list));
    return { blobs: new Map([...blobs, [digestOf(bytes), bytes], [digestOf(other), other]]), index: digestOf(other) };
  }

  test.each([
    ["is empty", { blobs: new Map(), index: digestOf(encode("")) } as Directory],
    ["has other steps", changed(3, (steps) => ({ ...steps, records: [] }))],
    ["has an image with other layers", changed(2, (manifest) => ({ ...manifest, layers: [] }))],
    ["is no index", { blobs: new Map([[digestOf(encode("[]")), encode("[]")]]), index: digestOf(encode("[]")) }],
  ])("that %s is passed over with a word, and the step is done", (_how, directory) => {
    const { world, id } = importing(directory);
    expect([world.open().includes("receive"), runs(world)]).toEqual([false, true]);
    writeStep(world, "anew");
    drop(world);
    expect(world.answer(id).status).toBe(200);
  });

  test("of which a document has changed is told by its digest", () => {
    const world = new ImageWorld();
    openSession(world, OFFERS);
    const watching = watch(world);
    solve(world, { Cache: { Imports: [{ Type: "local", Attrs: { src: "/c", digest: digestOf(encode("a")) } }] } });
    sendDefinition(world, DOCKERFILE);
    const { op, val } = world.take("read-document");
    world.failAs(op, { tag: "mismatch", val: { what: "blob", wanted: val.digest, found: "" } });
    expect(world.answer(watching).text).toContain(`the bytes of ${val.digest} are other ones by now`);
    expect(runs(world)).toBe(true);
  });

  test("is passed over if no header can hold the path of its directory", () => {
    const world = new ImageWorld();
    openSession(world, OFFERS);
    const watching = watch(world);
    solve(world, { Cache: { Imports: [{ Type: "local", Attrs: { src: "/ä", digest: digestOf(encode("a")) } }] } });
    sendDefinition(world, DOCKERFILE);
    expect(world.answer(watching).text).toContain("a cache must have a path of ASCII characters");
    expect(runs(world)).toBe(true);
  });

  test("is given up with its build, whatever it waits for", () => {
    const { world, id } = importing(kept());
    const { op } = world.take("receive");
    world.hangUp(id);
    expect(world.take("abandon").val).toBe(op);
    world.failAs(op, { tag: "interrupted", val: "given-up" });
    expect(world.open()).toContain("drop-archive");
    expect(world.open()).not.toContain("layer");
  });
});
