// What becomes of the result of a build by BuildKit: files and archives for the client, pushes, as seen by the core.

import { describe, expect, test } from "vitest";
import { ImageWorld } from "../support/image-world.js";
import { sendDefinition } from "../support/session-files.js";

const CONTROL = "moby.buildkit.v1.Control";
const METHOD = "X-Docker-Expose-Session-Grpc-Method";
const FILES = "/moby.filesync.v1.FileSync/DiffCopy";
const TAKES = `${FILES}\n${METHOD}: /moby.filesync.v1.FileSend/DiffCopy`;
const DOCKERFILE = "FROM busybox\nENV A=1\n";

function openSession(world: ImageWorld, methods = TAKES): bigint {
  const headers = { Connection: "Upgrade", Upgrade: "h2c", [METHOD]: methods, "X-Docker-Expose-Session-Uuid": "s" };
  return world.ask("POST", "/session", undefined, headers);
}

/** A build up to its output. */
function build(world: ImageWorld, exporter: object, methods = TAKES): bigint {
  openSession(world, methods);
  const message = { Ref: "a", Session: "s", Frontend: "dockerfile.v0", ...exporter };
  const id = world.makeCall(`${CONTROL}/Solve`, message);
  sendDefinition(world, DOCKERFILE);
  drop(world);
  return id;
}

/** Drops what the build has dropped. */
function drop(world: ImageWorld): void {
  for (const tag of ["unmount", "drop-container"] as const) {
    while (world.open().includes(tag)) world.done(world.take(tag).op);
  }
}

const answered = (world: ImageWorld, id: bigint): unknown => JSON.parse(world.answer(id).text);
const images = (world: ImageWorld): unknown[] => world.call("GET", "/images/json").json as unknown[];

describe.each([
  ["local", "files"],
  ["tar", "tar"],
])("the files of the result, by type=%s", (Exporter, form) => {
  test("are mounted, sent, and dropped; the image is the builder's cache", () => {
    const world = new ImageWorld();
    const id = build(world, { Exporter });
    const mount = world.take("mount");
    expect(mount.val).toMatchObject({ bare: true, chain: expect.stringMatching(/^sha256:/) as string });
    world.done(mount.op);
    const sent = world.take("send-files");
    expect(sent.val).toMatchObject({ container: mount.val.container, form });
    world.progress(sent.op, "uploading", 1000, 0);
    expect(world.answer(id).over).toBe(false);
    world.done(sent.op);
    expect(world.take("unmount").val).toBe(mount.val.container);
    expect(world.take("drop-container").val).toBe(mount.val.container);
    expect(answered(world, id)).toEqual({ ExporterResponse: {} });
    expect(images(world)).toHaveLength(1);
  });

  test("are dropped if the client says that it cannot take them", () => {
    const world = new ImageWorld();
    const id = build(world, { Exporter });
    world.done(world.take("mount").op);
    world.failAs(world.take("send-files").op, { tag: "body-broke", val: "write /out/a: no space left on device" });
    expect(world.open()).toEqual(["unmount", "drop-container"]);
    expect(answered(world, id)).toEqual({ message: "write /out/a: no space left on device" });
  });

  test.each(["mount", "send-files"] as const)("are given up if the client leaves during %s", (step) => {
    const world = new ImageWorld();
    const id = build(world, { Exporter });
    if (step === "send-files") world.done(world.take("mount").op);
    const { op } = world.take(step);
    world.hangUp(id);
    const abandoned = step === "send-files" ? ["abandon"] : [];
    expect(world.open()).toEqual([...abandoned, "unmount", "drop-container"]);
    world.failAs(op, { tag: "interrupted", val: "given-up" });
    drop(world);
    expect(world.open()).toEqual(abandoned);
  });

  test("are refused to a session that takes none", () => {
    const world = new ImageWorld();
    const id = build(world, { Exporter }, FILES);
    expect(world.answer(id).text).toContain("FileSend/DiffCopy not supported by the client");
    expect(world.open()).toEqual([]);
  });

  test("are refused if the session has ended meanwhile", () => {
    const world = new ImageWorld();
    const session = openSession(world);
    const id = world.makeCall(`${CONTROL}/Solve`, { Ref: "a", Session: "s", Exporter });
    const from = { "buildkit-controlapi-buildid": "a" };
    const asked = world.makeCall("moby.buildkit.v1.frontend.LLBBridge/Solve", { Frontend: "dockerfile.v0" }, from);
    sendDefinition(world, DOCKERFILE);
    drop(world);
    world.hangUp(session);
    const { result } = answered(world, asked) as { result: object };
    world.makeCall("moby.buildkit.v1.frontend.LLBBridge/Return", { result }, from);
    expect(world.answer(id).text).toContain("no active session");
    expect(world.open()).toEqual([]);
  });
});

describe("an archive of the image", () => {
  test.each([
    ["docker", ["manifest.json", "oci-layout", "repositories"]],
    ["oci", ["oci-layout"]],
  ])("by type=%s is sent with the image's names", (Exporter, more) => {
    const world = new ImageWorld();
    const id = build(world, { Exporter, ExporterAttrs: { name: "a:1,b" } });
    world.succeed(world.take("measure-tar").op, { tag: "size", val: 7n });
    const { op, val } = world.take("send-images");
    const names = val.members.map(({ name }) => name);
    expect(names.filter((name) => !name.startsWith("blobs/"))).toEqual(["index.json", ...more]);
    const index = val.members.find(({ name }) => name === "index.json")!.content.val as Uint8Array;
    const { manifests } = JSON.parse(new TextDecoder().decode(index)) as { manifests: Descriptor[] };
    const tags = manifests.map(({ annotations }) => annotations["io.containerd.image.name"]);
    expect(tags).toEqual(["docker.io/library/a:1", "docker.io/library/b:latest"]);
    world.done(op);
    expect(answered(world, id)).toMatchObject({
      ExporterResponse: {
        "containerimage.digest": manifests[0]!.digest,
        "containerimage.config.digest": expect.stringMatching(/^sha256:/) as string,
        "image.name": "docker.io/library/a:1,docker.io/library/b:latest",
      },
    });
    expect(images(world)).toHaveLength(1);
  });

  test("by type=docker goes into the store if the session takes no files", () => {
    const world = new ImageWorld();
    const id = build(world, { Exporter: "docker", ExporterAttrs: { name: "a" } }, FILES);
    expect(world.answer(id).status).toBe(200);
    expect([world.open(), images(world)]).toEqual([[], [expect.anything(), expect.anything()]]);
  });

  test("is given up if the client leaves, and refused if a layer is damaged", () => {
    const left = new ImageWorld();
    const id = build(left, { Exporter: "oci" });
    left.succeed(left.take("measure-tar").op, { tag: "size", val: 7n });
    left.take("send-images");
    left.hangUp(id);
    expect(left.open()).toEqual(["abandon"]);
    const damaged = new ImageWorld();
    const failing = build(damaged, { Exporter: "oci" });
    damaged.failAs(damaged.take("measure-tar").op, { tag: "no-such", val: { what: "layer-tar", name: "x" } });
    expect(damaged.answer(failing)).toMatchObject({ status: 500, over: true });
  });
});

describe("a push", () => {
  const AUTH = `${FILES}\n${METHOD}: /moby.filesync.v1.Auth/Credentials`;
  const given = { username: "u", password: "known", identityToken: "", registryToken: "", meta: "" };

  test("asks the client for its credentials, and uses them", () => {
    const world = new ImageWorld();
    const id = build(world, { Exporter: "image", ExporterAttrs: { name: "reg.example/a", push: "true" } }, AUTH);
    const asked = world.take("find-credentials");
    expect(asked.val.registry).toBe("reg.example");
    world.succeed(asked.op, { tag: "given", val: given });
    const { op, val } = world.take("find-blob");
    expect(val.in.credentials).toMatchObject({ username: "u", password: "known" });
    world.failAs(op, { tag: "interrupted", val: "given-up" });
    world.failAs(world.take("blob-of").op, { tag: "no-such", val: { what: "blob", name: "x" } });
    world.failAs(world.take("upload").op, { tag: "interrupted", val: "given-up" });
    expect(answered(world, id)).toMatchObject({
      message: expect.stringMatching(/^failed to push reg.example\/a:latest: /) as string,
    });
    // The image is there, as it is when `docker push` fails.
    expect(images(world)).toHaveLength(2);
  });

  /** The client has given its credentials. */
  function pushing(world: ImageWorld): bigint {
    const id = build(world, { Exporter: "image", ExporterAttrs: { name: "reg.example/a", push: "true" } }, AUTH);
    world.succeed(world.take("find-credentials").op, { tag: "given", val: given });
    return id;
  }

  test("is given up if the client leaves while it is asked", () => {
    const world = new ImageWorld();
    const id = build(world, { Exporter: "image", ExporterAttrs: { name: "reg.example/a", push: "true" } }, AUTH);
    world.take("find-credentials");
    world.hangUp(id);
    expect(world.open()).toEqual(["abandon"]);
  });

  test("is given up if the client leaves while the registry is asked what it has", () => {
    const world = new ImageWorld();
    const id = pushing(world);
    const { op } = world.take("find-blob");
    world.hangUp(id);
    expect(world.take("abandon").val).toBe(op);
    world.failAs(op, { tag: "interrupted", val: "given-up" });
    expect(world.open()).toEqual([]);
  });

  test("that comes to its end although the client has left is told to nobody", () => {
    const world = new ImageWorld();
    const id = pushing(world);
    world.done(world.take("find-blob").op);
    const val = { digest: "sha256:1", size: 1n, compression: "gzip" as const };
    world.succeed(world.take("blob-of").op, { tag: "sent", val });
    world.done(world.take("find-blob").op);
    const { op } = world.take("publish");
    world.hangUp(id);
    expect(world.take("abandon").val).toBe(op);
    world.done(op);
    expect(world.open()).toEqual([]);
  });

  test("without a name is refused before anything is built", () => {
    const world = new ImageWorld();
    openSession(world);
    const id = world.makeCall(`${CONTROL}/Solve`, {
      Ref: "a",
      Session: "s",
      Exporter: "image",
      ExporterAttrs: { push: "true" },
    });
    expect([world.answer(id).text, world.open()]).toEqual([expect.stringContaining("tag is needed"), []]);
  });
});

test("attributes that would change the result are refused by name", () => {
  const world = new ImageWorld();
  const refused = (Exporter: string, ExporterAttrs: object): string =>
    world.answer(world.makeCall(`${CONTROL}/Solve`, { Ref: "a", Exporter, ExporterAttrs })).text;
  expect(refused("oci", { compression: "zstd" })).toContain("compression=zstd");
  expect(refused("oci", { tar: "false" })).toContain("tar=false");
  expect(refused("image", { "annotation.a": "b" })).toContain("annotation.a");
  expect(refused("image", { name: "a", push: "perhaps" })).toContain("non-bool value specified for push: perhaps");
  const several = { Ref: "a", Exporters: Array.from({ length: 17 }, () => ({ Type: "local" })) };
  expect(world.answer(world.makeCall(`${CONTROL}/Solve`, several)).text).toContain("more than 16 outputs");
});

describe("POST /build with version=2", () => {
  const query = (outputs: object[], more = ""): string =>
    `/build?version=2&networkmode=none&outputs=${encodeURIComponent(JSON.stringify(outputs))}${more}`;
  const inSession = "&session=s&remote=client-session";

  test("sends the files to the session, and tells no image", () => {
    const world = new ImageWorld();
    openSession(world);
    const id = world.ask("POST", query([{ Type: "local", Attrs: {} }], inSession));
    sendDefinition(world, DOCKERFILE);
    drop(world);
    world.done(world.take("mount").op);
    world.done(world.take("send-files").op);
    expect(world.answer(id)).toMatchObject({ status: 200, over: true });
    const lines = world.lines(id) as { id?: string; error?: string }[];
    expect(lines.map((line) => line.id)).not.toContain("moby.image.id");
    expect(lines.some(({ error }) => error !== undefined)).toBe(false);
  });

  test("is given up if its client leaves, and by its id", () => {
    for (const end of [
      (world: ImageWorld, id: bigint) => world.hangUp(id),
      (world: ImageWorld) => void world.call("POST", "/build/cancel?id=b"),
    ]) {
      const world = new ImageWorld();
      openSession(world);
      const id = world.ask("POST", query([{ Type: "tar" }], `${inSession}&buildid=b`));
      sendDefinition(world, DOCKERFILE);
      drop(world);
      world.done(world.take("mount").op);
      world.take("send-files");
      end(world, id);
      expect(world.open()).toEqual(["abandon", "unmount", "drop-container"]);
    }
  });

  test("refuses without a session what a client has to take, and says what to do", () => {
    const world = new ImageWorld();
    const refused = (outputs: object[], more = ""): unknown => world.call("POST", query(outputs, more));
    expect(refused([{ Type: "local" }])).toMatchObject({
      status: 501,
      json: { message: expect.stringContaining("docker save") as string },
    });
    expect(refused([{ Type: "tar" }, { Type: "oci" }], "&session=s")).toMatchObject({ status: 501 });
    expect(refused([{ Type: "registry" }])).toMatchObject({
      status: 400,
      json: { message: expect.stringContaining("tag is needed") as string },
    });
  });
});

interface Descriptor {
  digest: string;
  annotations: Record<string, string>;
}

describe("several outputs", () => {
  const Exporters = [{ Type: "local" }, { Type: "moby", Attrs: { name: "made" } }, { Type: "tar" }];

  test("come one after the other, each with its number; the answer tells of all", () => {
    const world = new ImageWorld();
    const id = build(world, { Exporters });
    for (const output of [0, 2]) {
      expect(world.answer(id).over).toBe(false);
      world.done(world.take("mount").op);
      const { op, val } = world.take("send-files");
      expect([val.output, val.form]).toEqual([output, output === 0 ? "files" : "tar"]);
      world.done(op);
      drop(world);
    }
    expect(answered(world, id)).toMatchObject({ ExporterResponse: { "image.name": "docker.io/library/made:latest" } });
    expect(images(world)).toHaveLength(2);
  });

  test("end with the first that fails", () => {
    const world = new ImageWorld();
    const id = build(world, { Exporters });
    world.done(world.take("mount").op);
    world.failAs(world.take("send-files").op, { tag: "body-broke", val: "no space left on device" });
    expect(answered(world, id)).toEqual({ message: "no space left on device" });
    expect(images(world)).toHaveLength(1);
    drop(world);
    expect(world.open()).toEqual([]);
  });

  test("are given up if the client leaves", () => {
    const world = new ImageWorld();
    const id = build(world, { Exporters });
    world.done(world.take("mount").op);
    const { op } = world.take("send-files");
    world.hangUp(id);
    expect(world.open()).toEqual(["abandon", "unmount", "drop-container"]);
    world.failAs(op, { tag: "interrupted", val: "given-up" });
    expect(world.open()).not.toContain("mount");
  });
});
