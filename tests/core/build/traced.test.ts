// POST /build with `version=2`, as seen by the core.

import { describe, expect, test } from "vitest";
import { decode } from "../../../hosts/buildkit/messages/codec.js";
import { statusResponse } from "../../../hosts/buildkit/messages/control.js";
import { answered } from "../../support/registry/registry-failures.js";
import { messagesOf } from "../../support/buildkit/protocol.js";
import { digestOf, encode, ImageWorld, makeImage, resolved } from "../support/image-world.js";
import { sendDefinition, sendFiles } from "../support/session-files.js";
import { beginBuild } from "./beginning.js";

interface Line {
  id?: string;
  aux?: unknown;
  error?: string;
  stream?: string;
}

const QUERY = "version=2&networkmode=none";

/** A client's session. It gives files, but no credentials unless `more` says so. */
function openSession(world: ImageWorld, more = ""): bigint {
  const headers = {
    Upgrade: "h2c",
    "X-Docker-Expose-Session-Uuid": "s",
    "X-Docker-Expose-Session-Grpc-Method": `/moby.filesync.v1.FileSync/DiffCopy${more}`,
  };
  return world.ask("POST", "/session", undefined, headers);
}

function inSession(world: ImageWorld, query = "", headers = {}): bigint {
  return world.ask("POST", `/build?${QUERY}&session=s&remote=client-session${query}`, undefined, headers);
}

const linesOf = (world: ImageWorld, id: bigint): Line[] => world.lines(id) as Line[];

interface Told {
  name: string;
  completed?: object;
  error?: string;
}

/** Names of the vertices that the client was told of, in order. */
function vertices(world: ImageWorld, id: bigint): string[] {
  return [...new Set(told(world, id).map(({ name }) => name))];
}

/** `text`: a part of the stream. */
function told(world: ImageWorld, id: bigint, text = world.answer(id).text): Told[] {
  const { decode } = messagesOf("StatusResponse");
  const lines = text.split("\r\n").filter((line) => line !== "");
  return lines
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line.id === "moby.buildkit.trace")
    .flatMap(({ aux }) => (decode(Buffer.from(aux as string, "base64"))["vertexes"] ?? []) as Told[]);
}

/** The only step of the Dockerfile, which writes nothing. */
function runTrue(world: ImageWorld): void {
  while (world.open().includes("mount")) world.done(world.take("mount").op);
  const { op, val } = world.takeLaunch();
  world.succeed(op, { tag: "launched", val: { pid: 7, at: world.now() } });
  world.exited(val.container, 1);
  const empty = { diffId: digestOf(encode("")), size: 0n, empty: true };
  world.succeed(world.take("commit").op, { tag: "committed", val: empty });
  world.done(world.take("drop-archive").op);
  world.done(world.takeProcess("reap"));
  for (const tag of ["unmount", "drop-container"] as const) {
    while (world.open().includes(tag)) world.done(world.take(tag).op);
  }
}

describe("a context that is", () => {
  test("the body: the steps are told, and the image last", () => {
    const world = new ImageWorld();
    const id = beginBuild(world, "FROM busybox\nENV A=1\nENV B=2\n", `${QUERY}&t=made`);
    expect(vertices(world, id)).toEqual([
      "[internal] load metadata for docker.io/library/busybox:latest",
      "[1/1] FROM docker.io/library/busybox:latest",
      "exporting to image",
    ]);
    expect(world.answer(id).over).toBe(true);
    const [last] = linesOf(world, id).slice(-1);
    expect(last).toMatchObject({ id: "moby.image.id", aux: { ID: expect.stringMatching(/^sha256:/) as string } });
    expect((world.call("GET", "/images/made/json").json as { Id: string }).Id).toBe((last!.aux as { ID: string }).ID);
    expect(world.call("GET", "/images/json").json).toHaveLength(2);
  });

  test("in a session that comes later, quietly", () => {
    const world = new ImageWorld();
    const id = inSession(world, "&q=1&t=made");
    expect(world.open()).toEqual([]);
    openSession(world);
    sendDefinition(world, "FROM busybox\nENV A=1\n");
    const [line, ...more] = linesOf(world, id);
    expect([line!.stream, more]).toEqual([expect.stringMatching(/^sha256:[0-9a-f]{64}\n$/), []]);
    expect(world.answer(id).over).toBe(true);
  });

  test("in a session that does not come", () => {
    const world = new ImageWorld();
    const [files, credentials] = [inSession(world), world.ask("POST", `/build?${QUERY}&session=s`, encode("tar"))];
    world.wait(6);
    expect(linesOf(world, files)).toMatchObject([{ error: "no active session for s: context deadline exceeded" }]);
    expect(world.answer(credentials).over).toBe(false);
    expect(world.open()).toEqual(["mount"]);
  });

  test("that is refused ends its session, also one that comes later, but none that another build uses", () => {
    const world = new ImageWorld();
    const refused = (): unknown => world.call("POST", `/build?${QUERY}&session=s&squash=1`).status;
    const session = openSession(world);
    expect([refused(), world.answer(session).over]).toEqual([400, true]);
    refused();
    expect(world.answer(openSession(world)).over).toBe(true);
    const used = openSession(world);
    inSession(world);
    expect([refused(), world.answer(used).over]).toEqual([400, false]);
  });

  test("ends no session that comes later for another build, too", () => {
    const world = new ImageWorld();
    world.call("POST", `/build?${QUERY}&session=s&squash=1`);
    const id = inSession(world);
    const session = openSession(world);
    sendDefinition(world, "FROM busybox\nENV A=1\n");
    expect(world.answer(session).over).toBe(false);
    expect(world.lines(id).some((line) => (line as Line).error !== undefined)).toBe(false);
  });

  test("in no session is refused", () => {
    const world = new ImageWorld();
    expect(world.call("POST", `/build?${QUERY}&remote=client-session`)).toMatchObject({ status: 400 });
  });

  describe("brought by another request", () => {
    const ask = (world: ImageWorld): bigint => world.ask("POST", `/build?${QUERY}&remote=upload-request&buildid=u`);
    const bring = (world: ImageWorld): bigint =>
      world.ask("POST", "/build?version=2&buildid=upload-request:u", encode("tar"));

    test.each([
      ["before the build", true],
      ["after it", false],
    ])("%s is its body; that request is answered once the build is over", (_when, isFirst) => {
      const world = new ImageWorld();
      const early = isFirst ? bring(world) : ask(world);
      const late = isFirst ? ask(world) : bring(world);
      const [id, upload] = isFirst ? [late, early] : [early, late];
      world.done(world.take("mount").op);
      const { op, val } = world.take("extract");
      expect(val.source).toEqual({ tag: "body", val: upload });
      expect(world.answer(upload).over).toBe(false);
      world.failAs(op, { tag: "body-broke", val: "it ended" });
      expect(linesOf(world, id)).toMatchObject([{ error: expect.stringContaining("it ended") as string }]);
      expect(world.answer(upload)).toMatchObject({ status: 200, text: "", over: true });
    });

    test("twice begins the build once; the second one waits for another", () => {
      const world = new ImageWorld();
      const uploads = [bring(world), bring(world)];
      const id = ask(world);
      world.done(world.take("mount").op);
      const { op, val } = world.take("extract");
      expect(val.source).toEqual({ tag: "body", val: uploads[0] });
      expect(world.open()).toEqual([]);
      world.failAs(op, { tag: "body-broke", val: "it ended" });
      expect(linesOf(world, id)).toHaveLength(1);
      world.wait(6);
      expect(uploads.map((upload) => world.answer(upload))).toMatchObject([{ status: 200 }, { status: 500 }]);
    });

    test("begins one of two builds with the same id", () => {
      const world = new ImageWorld();
      const builds = [ask(world), ask(world)];
      const upload = bring(world);
      world.done(world.take("mount").op);
      expect(world.take("extract").val.source).toEqual({ tag: "body", val: upload });
      expect(world.open()).toEqual([]);
      world.wait(6);
      expect(builds.map((build) => world.answer(build).over)).toEqual([false, true]);
      expect(linesOf(world, builds[1]!)).toMatchObject([{ error: "context deadline exceeded" }]);
    });

    test("is waited for five seconds, and so is the build", () => {
      const world = new ImageWorld();
      const id = ask(world);
      const other = world.ask("POST", "/build?version=2&buildid=upload-request:other", encode("tar"));
      world.wait(4);
      expect([world.answer(id).over, world.answer(other).over]).toEqual([false, false]);
      world.wait(2);
      expect(linesOf(world, id)).toMatchObject([{ error: "context deadline exceeded" }]);
      expect(world.answer(other)).toMatchObject({ status: 500 });
    });

    test("is given up with the build that waits for it", () => {
      const world = new ImageWorld();
      const id = ask(world);
      world.hangUp(id);
      const upload = bring(world);
      world.wait(6);
      expect(world.answer(upload)).toMatchObject({ status: 500 });
      expect(world.open()).toEqual([]);
    });
  });
});

describe("a build", () => {
  test("that fails tells why in its stream", () => {
    const world = new ImageWorld();
    openSession(world);
    const id = inSession(world);
    sendDefinition(world, "FROM busybox\nRUN --mount=type=ssh,required true\n");
    expect(world.answer(id).status).toBe(200);
    const words = 'RUN failed: no SSH key "default" forwarded from the client';
    expect(linesOf(world, id).at(-1)!.error).toBe(words);
  });

  test.each(["is cancelled", "is left by its client"])("that %s gives its command up", (how) => {
    const world = new ImageWorld();
    openSession(world);
    const id = inSession(world, "&buildid=b");
    sendFiles(world, "FROM busybox\nRUN true\n");
    while (world.open().includes("mount")) world.done(world.take("mount").op);
    const { op, val } = world.takeLaunch();
    world.succeed(op, { tag: "launched", val: { pid: 7, at: world.now() } });
    if (how === "is cancelled") {
      expect(world.call("POST", "/build/cancel?id=b").status).toBe(200);
      expect(linesOf(world, id).at(-1)).toMatchObject({ error: "context canceled" });
      const [last] = told(world, id).slice(-1);
      expect([last!.name, last!.completed, last!.error]).toEqual([
        "[2/2] RUN true",
        expect.anything(),
        "context canceled",
      ]);
    } else world.hangUp(id);
    world.done(world.takeProcess("signal"));
    world.exited(val.container, 1);
    world.done(world.takeProcess("reap"));
    expect(world.call("POST", "/build/cancel?id=b").status).toBe(200);
  });

  test("keeps no container of a step, whatever its client asks for", () => {
    const world = new ImageWorld();
    const id = beginBuild(world, "FROM busybox\nRUN true\n", `${QUERY}&rm=0`);
    runTrue(world);
    expect(world.answer(id).over).toBe(true);
    expect(world.call("GET", "/containers/json?all=1").json).toEqual([]);
  });

  test("gives each name once", () => {
    const world = new ImageWorld();
    const events = world.ask("GET", `/events?filters=${encodeURIComponent('{"event":["tag"]}')}`);
    beginBuild(world, "FROM busybox\nENV A=1\n", `${QUERY}&t=made&t=other`);
    expect(world.answer(events).text.match(/"Action":"tag"/g)).toHaveLength(2);
  });

  test("finds its own steps, also with images that are named as caches", () => {
    const world = new ImageWorld();
    for (const sources of ["", `&cachefrom=${encodeURIComponent('["nowhere"]')}`, '&cachefrom=["busybox"]']) {
      const id = beginBuild(world, "FROM busybox\nRUN true\n", QUERY + sources);
      if (sources === "") runTrue(world);
      // No registry has it: that is no error.
      if (sources.includes("nowhere")) world.failAs(world.take("resolve").op, answered(404, "MANIFEST_UNKNOWN"));
      expect([sources, world.answer(id).over]).toEqual([sources, true]);
    }
  });
});

describe("a log that waits for its client to read when its command ends", () => {
  const LONG = `FROM busybox\nRUN true ${Array<string>(12)
    .fill("x".repeat(50 * 1024))
    .join(" \\\n")}\n`;

  /** Whether its container is being removed. What only held files goes, too. */
  function isDropped(world: ImageWorld, container: string): boolean {
    const dropped: string[] = [];
    while (world.open().includes("unmount")) world.done(world.take("unmount").op);
    while (world.open().includes("drop-container")) dropped.push(world.take("drop-container").val);
    return dropped.includes(container);
  }

  /** Its client has read nothing. */
  function ended(code: number): { world: ImageWorld; id: bigint; container: string } {
    const world = new ImageWorld({ reading: false });
    const id = beginBuild(world, LONG, QUERY);
    while (world.open().includes("mount")) world.done(world.take("mount").op);
    const { op, val } = world.takeLaunch();
    world.succeed(op, { tag: "launched", val: { pid: 7, at: world.now() } });
    world.exited(val.container, 1, code);
    if (code === 0) {
      const empty = { diffId: digestOf(encode("")), size: 0n, empty: true };
      world.succeed(world.take("commit").op, { tag: "committed", val: empty });
      world.done(world.take("drop-archive").op);
    }
    world.done(world.takeProcess("reap"));
    return { world, id, container: val.container };
  }

  test.each([0, 3])("is told before the end of its step, and then its container goes (exit code %d)", (code) => {
    const { world, id, container } = ended(code);
    world.wait(1);
    const { logs: before, over } = world.answer(id);
    expect([before, over, isDropped(world, container)]).toEqual([[], false, false]);
    for (let time = 0; time < 10 && !world.answer(id).over; time++) world.read(id);
    const { logs, text } = world.answer(id);
    const { at, until } = logs[0]!;
    expect(logs).toMatchObject([{ container }]);
    // What comes before it is the beginning of its step, and what comes after it is the end.
    const names = (from: number, to: number): Told[] => told(world, id, text.slice(from, to));
    expect(names(0, at).at(-1)).toMatchObject({ name: expect.stringContaining("RUN true") as string });
    expect(names(until!, text.length)[0]).toMatchObject({ completed: expect.anything() as object });
    world.wait(1);
    expect([world.answer(id).over, isDropped(world, container)]).toEqual([true, true]);
  });

  test("goes with its client", () => {
    const { world, id, container } = ended(0);
    world.hangUp(id);
    world.wait(1);
    expect([world.answer(id).logs, isDropped(world, container)]).toEqual([[], true]);
  });
});

interface Amount {
  current?: unknown;
}

test("a client that does not read is told the newest amount of each layer, not all of them", () => {
  const world = new ImageWorld({ reading: false });
  const id = beginBuild(world, "FROM r.example/a\n", QUERY);
  const image = makeImage(["one"]);
  world.succeed(world.take("resolve").op, resolved(image.manifest));
  world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
  const { op } = world.take("layer");
  const amounts = 4000;
  for (let at = 1; at <= amounts; at++) {
    world.sleep(1000);
    world.progress(op, "downloading", at, amounts);
  }
  expect(world.answer(id).unread).toBeGreaterThan(512 * 1024);
  while (world.answer(id).unread > 0) world.read(id);
  const told = linesOf(world, id)
    .filter((line) => line.id === "moby.buildkit.trace")
    .flatMap(({ aux }) => (decode(statusResponse, Buffer.from(aux as string, "base64"))["statuses"] ?? []) as Amount[])
    .map(({ current }) => Number(current ?? 0));
  expect(told.length).toBeLessThan(amounts);
  expect(told.at(-1)).toBe(amounts);
});

describe("the header's credentials", () => {
  const config = { "r.example": { username: "u", password: "p" } };
  const header = { "X-Registry-Config": Buffer.from(JSON.stringify(config)).toString("base64url") };

  test("are used if the session gives none", () => {
    const world = new ImageWorld();
    openSession(world);
    inSession(world, "", header);
    sendDefinition(world, "FROM r.example/x\n");
    expect(world.take("resolve").val.credentials).toMatchObject(config["r.example"]);
  });

  test("are not used if the session gives its own", () => {
    const world = new ImageWorld();
    openSession(world, "\nX-Docker-Expose-Session-Grpc-Method: /moby.filesync.v1.Auth/Credentials");
    inSession(world, "", header);
    sendDefinition(world, "FROM r.example/x\n");
    const given = { username: "", password: "", identityToken: "", registryToken: "", meta: "" };
    world.succeed(world.take("find-credentials").op, { tag: "given", val: given });
    expect(world.take("resolve").val.credentials).toBeUndefined();
  });
});
