// POST /build with `version=2`, as seen by the core.

import { describe, expect, test } from "vitest";
import { messagesOf } from "../../support/buildkit/protocol.js";
import { encode, ImageWorld } from "../support/image-world.js";
import { sendDefinition, sendFiles } from "../support/session-files.js";
import { beginBuild } from "./beginning.js";

interface Line {
  id?: string;
  aux?: unknown;
  error?: string;
  stream?: string;
}

const QUERY = "version=2&networkmode=none";

/** A client's session. It gives files, but no credentials. */
function openSession(world: ImageWorld): bigint {
  const headers = {
    Upgrade: "h2c",
    "X-Docker-Expose-Session-Uuid": "s",
    "X-Docker-Expose-Session-Grpc-Method": "/moby.filesync.v1.FileSync/DiffCopy",
  };
  return world.ask("POST", "/session", undefined, headers);
}

function inSession(world: ImageWorld, query = ""): bigint {
  return world.ask("POST", `/build?${QUERY}&session=s&remote=client-session${query}`);
}

const linesOf = (world: ImageWorld, id: bigint): Line[] => world.lines(id) as Line[];

/** Names of the vertices that the client was told of, in order. */
function vertices(world: ImageWorld, id: bigint): string[] {
  const { decode } = messagesOf("StatusResponse");
  const told = linesOf(world, id)
    .filter((line) => line.id === "moby.buildkit.trace")
    .flatMap(({ aux }) => (decode(Buffer.from(aux as string, "base64"))["vertexes"] ?? []) as { name: string }[]);
  return [...new Set(told.map(({ name }) => name))];
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

  test("in no session, or brought by another request, is refused", () => {
    const world = new ImageWorld();
    const refused = (query: string): unknown => world.call("POST", `/build?${QUERY}&${query}`);
    expect(refused("remote=client-session")).toMatchObject({ status: 400 });
    expect(refused("remote=upload-request")).toMatchObject({ status: 501 });
    expect(refused("buildid=upload-request:a")).toMatchObject({ status: 501 });
  });
});

describe("a build", () => {
  test("that fails tells why in its stream", () => {
    const world = new ImageWorld();
    openSession(world);
    const id = inSession(world);
    sendDefinition(world, "FROM busybox\nRUN --mount=type=ssh true\n");
    expect(world.answer(id).status).toBe(200);
    expect(linesOf(world, id).at(-1)!.error).toContain("ssh");
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
    } else world.hangUp(id);
    world.done(world.takeProcess("signal"));
    world.exited(val.container, 1);
    world.done(world.takeProcess("reap"));
    expect(world.call("POST", "/build/cancel?id=b").status).toBe(200);
  });
});
