// Unit tests of a session's parts: views of bodies, differences, links, credentials, remedies.

import { describe, expect, test } from "vitest";
import { decodeFragment, encodeFragment } from "../../hosts/browser/session/sharing/fragment.js";
import type { Shared } from "../../hosts/browser/session/sharing/shared.js";
import { differences } from "../../hosts/browser/session/view/differences.js";
import { remediesFor } from "../../hosts/browser/session/explain/remedies.js";
import { jsonFault } from "../../hosts/browser/session/explain/remedies-of-requests.js";
import { headerOf, written } from "../../hosts/browser/session/request.js";
import type { WrittenRequest } from "../../hosts/browser/session/request.js";
import { maskedRequest } from "../../hosts/browser/session/sharing/shareable.js";
import { viewOf } from "../../hosts/browser/session/view/views.js";
import { EMPTY_WORLD } from "../../hosts/timeline/fold.js";
import type { World } from "../../hosts/timeline/world.js";

const utf8 = new TextEncoder();

describe("views", () => {
  const head = (type: string, status = 200) => ({ status, headers: [["content-type", type]] as const, at: 0n });
  const pieces = (...all: (string | number[])[]) =>
    all.map((one, at) => ({
      at: BigInt(at),
      bytes: typeof one === "string" ? utf8.encode(one) : Uint8Array.from(one),
    }));
  const LOGS = written("GET", "/v1.41/containers/a/logs?stdout=1");

  test("frames, a split header, and incomplete frames", () => {
    const view = viewOf(
      LOGS,
      head("application/vnd.docker.multiplexed-stream"),
      pieces([1, 0, 0, 0, 0], [0, 0, 2, 104, 105], [2, 0, 0, 0, 0, 0, 0, 3, 111]),
    );
    if (view.kind !== "frames") throw new Error(view.kind);
    expect(view.frames.map(({ stream, bytes, at }) => [stream, new TextDecoder().decode(bytes), at])).toEqual([
      ["stdout", "hi", 1n],
    ]);
    expect([...view.frames[0]!.header]).toEqual([1, 0, 0, 0, 0, 0, 0, 2]);
    expect(view.rest.length).toBe(9);
  });

  test("below 1.42 the bytes, not the type, distinguish frames from a terminal", () => {
    const framed = viewOf(LOGS, head("application/vnd.docker.raw-stream"), pieces([1, 0, 0, 0, 0, 0, 0, 1, 97]));
    const raw = viewOf(LOGS, head("application/vnd.docker.raw-stream"), pieces("hello\r\n"));
    expect([framed.kind, raw.kind]).toEqual(["frames", "terminal"]);
  });

  test("progress: a bar for each layer, lines for the whole, the error", () => {
    const lines = [
      { status: "Pulling from library/alpine", id: "latest" },
      { status: "Pulling fs layer", progressDetail: {}, id: "aaa" },
      { status: "Downloading", progressDetail: { current: 5, total: 10 }, id: "aaa" },
      { status: "Pull complete", progressDetail: {}, id: "bbb" },
      { status: "Status: done" },
      { error: "broken", errorDetail: { message: "broken" } },
    ];
    const text = lines.map((line) => `${JSON.stringify(line)}\r\n`).join("");
    const view = viewOf(written("POST", "/images/create"), head("application/json"), pieces(text, '{"stat'));
    expect(view).toEqual({
      kind: "progress",
      bars: [
        { id: "aaa", status: "Downloading", current: 5, total: 10 },
        { id: "bbb", status: "Pull complete", current: 0, total: 0 },
      ],
      lines: ["Pulling from library/alpine", "Status: done"],
      error: "broken",
    });
  });

  test("events, JSON, text, nothing", () => {
    expect(viewOf(written("GET", "/events"), head("application/json"), pieces('{"a":1}\n{"b"', ":2}\n"))).toEqual({
      kind: "lines",
      values: [{ a: 1 }, { b: 2 }],
    });
    expect(viewOf(written("GET", "/info"), head("application/json"), pieces("{}"))).toMatchObject({
      kind: "json",
      value: {},
    });
    expect(viewOf(written("GET", "/_ping"), head("text/plain"), pieces("OK"))).toEqual({ kind: "text", text: "OK" });
    expect(viewOf(written("GET", "/_ping"), null, [])).toEqual({ kind: "empty" });
  });
});

test("differences, field by field", () => {
  expect(differences('{"a":1,"b":[1,2],"c":{}}', '{"a":2,"b":[1],"d":null}')).toEqual([
    "~ a: 1 → 2",
    "- b[1]: 2",
    "- c: {}",
    "+ d: null",
  ]);
  expect(differences("OK", "OK")).toEqual([]);
});

describe("links", () => {
  const SHARED: Shared = {
    core: "c0ffee",
    seed: 7,
    images: ["busybox:latest"],
    cells: [{ id: "c1", request: written("GET", "/version") }],
    actions: [
      { at: 5n, action: { kind: "send", exchange: 1, cell: "c1", request: written("GET", "/version") } },
      { at: 6n, action: { kind: "inject", fault: { kind: "registry-limited", retryAfter: 5 }, times: null } },
      { at: 7n, action: { kind: "crash" } },
    ],
    until: 9n,
    state: "beef",
  };

  test("a session can be encoded and decoded", async () => {
    const text = await encodeFragment(SHARED);
    expect(text).toMatch(/^1\.[\w-]+$/);
    expect(await decodeFragment(`#${text}`)).toEqual(SHARED);
  });

  async function packed(value: unknown): Promise<string> {
    return encodeFragment(value as Shared);
  }

  test.each([
    ["nothing", async () => "", "holds no session"],
    ["an anchor of another page", async () => "#introduction", "holds no session"],
    ["a newer format", async () => "2.abc", "another version of this page"],
    ["strange characters", async () => "1.a b", "damaged"],
    ["cut off", async () => (await encodeFragment(SHARED)).slice(0, 40), "damaged"],
    ["other data", () => packed({ hello: 1 }), "not a session"],
    [
      "an unknown action",
      () => packed({ ...SHARED, actions: [{ at: 1n, action: { kind: "rm -rf" } }] }),
      "not a session",
    ],
    [
      "an unknown fault",
      () => packed({ ...SHARED, actions: [{ at: 1n, action: { kind: "lift", fault: "toString" } }] }),
      "not a session",
    ],
    ["moments in disorder", () => packed({ ...SHARED, actions: [...SHARED.actions].reverse() }), "not a session"],
    ["actions after the end", () => packed({ ...SHARED, until: 6n }), "not a session"],
    ["too long a text", async () => `1.${"a".repeat(70_000)}`, "too large"],
    ["a bomb", () => packed({ ...SHARED, core: "0".repeat(3_000_000) }), "more than a session can hold"],
  ])("%s is refused with a reason", async (_name, make, why) => {
    await expect(make().then(decodeFragment)).rejects.toThrow(why);
  });

  test("a session too large for a link is not shared", async () => {
    const noise = Array.from({ length: 9000 }, () => Math.random().toString(36)).join("");
    await expect(encodeFragment({ ...SHARED, core: noise })).rejects.toThrow("too large");
  });
});

describe("credentials are not shared", () => {
  const encode = (value: object) => btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_");
  const decode = (value: string) => JSON.parse(atob(value.replaceAll("-", "+").replaceAll("_", "/"))) as unknown;
  const pull = (auth: string): WrittenRequest => ({
    ...written("POST", "/v1.41/images/create?fromImage=r.test/a"),
    headers: [
      ["X-Registry-Auth", auth],
      ["Accept", "*/*"],
    ],
  });

  test("X-Registry-Auth keeps its shape", () => {
    const masked = maskedRequest(pull(encode({ username: "ann", password: "hunter2", serveraddress: "r.test" })));
    expect(decode(headerOf(masked, "X-Registry-Auth")!)).toEqual({
      username: "xxx",
      password: "xxxxxxx",
      serveraddress: "r.test",
    });
    expect(headerOf(masked, "Accept")).toBe("*/*");
  });

  test("so does the body of a login, even if it is not JSON", () => {
    const login = written("POST", "/v1.41/auth", { username: "ann", password: "hunter2" });
    expect(maskedRequest(login).body).not.toMatch(/ann|hunter2/);
    expect(JSON.parse(maskedRequest(login).body)).toEqual({ username: "xxx", password: "xxxxxxx" });
    expect(maskedRequest({ ...login, body: '{"password": "hunter2"' }).body).not.toContain("hunter2");
  });

  test("other headers with credentials, and passwords in addresses", () => {
    const request = {
      ...written("GET", "/x?u=http://ann:hunter2@h"),
      headers: [["Authorization", "Basic aHVudGVyMg=="]] as const,
    };
    const text = JSON.stringify(maskedRequest(request));
    expect(text).not.toMatch(/hunter2|aHVudGVyMg/);
  });

  test("only the public credentials of the simulated registry stay", () => {
    const known = { username: "learner", password: "coracle", serveraddress: "registry.example" };
    expect(maskedRequest(pull(encode(known)))).toEqual(pull(encode(known)));
    const login = written("POST", "/auth", known);
    expect(maskedRequest(login)).toEqual(login);
    const more = pull(encode({ ...known, identitytoken: "secret-token" }));
    expect(headerOf(maskedRequest(more), "X-Registry-Auth")).not.toBe(headerOf(more, "X-Registry-Auth"));
  });

  test("everything else stays unchanged", () => {
    const create = written("POST", "/v1.41/containers/create", { Image: "busybox", Env: ["A=1"] });
    expect(maskedRequest(create)).toEqual(create);
  });
});

describe("remedies", () => {
  const world: World = EMPTY_WORLD;
  const lines = (request: WrittenRequest, status: number, message: string) =>
    remediesFor(request, { kind: "", status, message }, world).map(({ requests }) =>
      requests.map(({ method, target }) => `${method} ${target}`).join(", "),
    );
  const create = written("POST", "/v1.41/containers/create?name=web", { Image: "alpine" });
  const remove = written("DELETE", "/v1.41/containers/web");

  test.each([
    [
      "no image",
      create,
      404,
      "No such image: alpine:3.20",
      "POST /v1.41/images/create?fromImage=alpine&tag=3.20, POST /v1.41/containers/create?name=web",
    ],
    [
      "name in use",
      create,
      409,
      `Conflict. The container name "/web" is already in use by container "${"a".repeat(64)}". You have to remove`,
      "POST /v1.41/containers/create?name=web-2",
    ],
    [
      "name of one letter",
      written("POST", "/v1.41/containers/create?name=f&platform=linux", { Image: "busybox" }),
      400,
      "Invalid container name (f), only [a-zA-Z0-9][a-zA-Z0-9_.-] are allowed",
      "POST /v1.41/containers/create?platform=linux",
    ],
    [
      "unknown filter",
      written("GET", '/v1.41/containers/json?filters={"colour":["red"]}'),
      400,
      "invalid filter 'colour'",
      "GET /v1.41/containers/json",
    ],
    [
      "no container",
      written("POST", "/v1.41/containers/web/start"),
      404,
      "No such container: web",
      "GET /v1.41/containers/json?all=1",
    ],
    ["no container to remove", remove, 404, "No such container: web", ""],
    ["no image to remove", written("DELETE", "/v1.41/images/x"), 404, "No such image: x:latest", ""],
    [
      "less memory and swap than memory",
      written("POST", "/v1.41/containers/web/update", { Memory: 64 }),
      409,
      "Cannot update container a: Memory limit should be smaller than already set memoryswap limit, update the memoryswap at the same time",
      "POST /v1.41/containers/web/update",
    ],
    [
      "the engine's own network",
      written("DELETE", "/v1.41/networks/bridge"),
      403,
      "bridge is a pre-defined network and cannot be removed",
      "",
    ],
    [
      "running",
      remove,
      409,
      'cannot remove container "web": container is running: stop the container before removing or force remove',
      "POST /v1.41/containers/web/stop, DELETE /v1.41/containers/web",
    ],
    [
      "not running",
      written("POST", "/v1.41/containers/web/exec", { Cmd: ["ls"] }),
      409,
      `container ${"a".repeat(64)} is not running`,
      "POST /v1.41/containers/web/start, POST /v1.41/containers/web/exec",
    ],
    [
      "an exec of a container that ended",
      written("POST", `/v1.41/exec/${"b".repeat(64)}/start`, {}),
      409,
      `container ${"a".repeat(64)} is not running`,
      "POST /v1.41/containers/aaaaaaaaaaaa/start",
    ],
    [
      "an exec in a paused container",
      written("POST", `/v1.41/exec/${"b".repeat(64)}/start`, {}),
      409,
      `Container ${"a".repeat(64)} is paused, unpause the container before exec`,
      `POST /v1.41/containers/aaaaaaaaaaaa/unpause, POST /v1.41/exec/${"b".repeat(64)}/start`,
    ],
    [
      "paused",
      written("POST", "/v1.41/containers/web/start"),
      409,
      "cannot start a paused container, try unpause instead",
      "POST /v1.41/containers/web/unpause, POST /v1.41/containers/web/start",
    ],
    [
      "not paused",
      written("POST", "/v1.41/containers/web/unpause"),
      500,
      `Container ${"a".repeat(64)} is not paused`,
      "POST /v1.41/containers/web/pause, POST /v1.41/containers/web/unpause",
    ],
    [
      "restarting",
      written("POST", "/v1.41/containers/web/pause"),
      409,
      `Container ${"a".repeat(64)} is restarting, wait until the container is running`,
      "POST /v1.41/containers/web/pause",
    ],
    ["nothing to do", written("POST", "/v1.41/containers/web/start"), 304, "", ""],
    [
      "too new",
      written("GET", "/v1.99/info"),
      400,
      "client version 1.99 is too new. Maximum supported API version is 1.55",
      "GET /v1.55/info",
    ],
    [
      "too old",
      written("GET", "/v1.2/info"),
      400,
      "client version 1.2 is too old. Minimum supported API version is 1.24, please upgrade",
      "GET /v1.24/info",
    ],
    [
      "newer endpoint",
      written("GET", "/v1.24/distribution/a/json"),
      400,
      "GET /distribution/a/json requires minimum API version 1.30",
      "GET /v1.30/distribution/a/json",
    ],
    [
      "no stream",
      written("GET", "/v1.41/containers/web/logs"),
      400,
      "must specify at least one of 'stdout' or 'stderr'",
      "GET /v1.41/containers/web/logs?stdout=1&stderr=1",
    ],
    [
      "no tag",
      written("POST", "/v1.41/images/create?fromImage=alpine&tag=9"),
      404,
      "manifest for alpine:9 not found: manifest unknown",
      "POST /v1.41/images/create?fromImage=alpine&tag=latest",
    ],
    [
      "image in use",
      written("DELETE", "/v1.41/images/busybox"),
      409,
      'conflict: unable to remove repository reference "busybox:latest" (must force) - container 0123456789ab is using its referenced image ab',
      "DELETE /v1.41/images/busybox?force=1",
    ],
  ])("%s", (_name, request, status, message, first) => {
    expect(lines(request, status, message)[0]).toBe(first);
  });

  test("an update of only the memory is sent with memory and swap", () => {
    const update = written("POST", "/v1.41/containers/web/update", { Memory: 64, CpuShares: 5 });
    const [remedy] = remediesFor(
      update,
      { kind: "", status: 409, message: "Cannot update container a: …, update the memoryswap at the same time" },
      world,
    );
    expect(JSON.parse(remedy!.requests[0]!.body)).toEqual({ Memory: 64, CpuShares: 5, MemorySwap: 128 });
  });

  test("there is no remedy where nothing can be done, and no other container is stopped", () => {
    const containers = ["web", "spare"].map((name) => ({ name }) as World["containers"][number]);
    const told = (request: WrittenRequest, status: number, message: string) =>
      remediesFor(request, { kind: "", status, message }, { ...EMPTY_WORLD, containers }).map(({ label, requests }) => [
        label,
        ...requests.map(({ method, target }) => `${method} ${target}`),
      ]);
    const kill = (name: string) => written("POST", `/v1.41/containers/${name}/kill`);
    const list = ["List the containers", "GET /v1.41/containers/json?all=1"];
    expect(told(kill("web"), 409, `cannot kill container: web: container ${"a".repeat(64)} is not running`)).toEqual([
      [expect.stringContaining("Nothing to do")],
      ["See how it ended", "GET /v1.41/containers/web/json"],
    ]);
    expect(told(kill("gone"), 404, "Cannot kill container: gone: No such container: gone")).toEqual([
      ["Nothing to do: no container has this name"],
      list,
    ]);
    expect(told(kill("wbe"), 404, "No such container: wbe")).toEqual([
      list,
      ["Send it for web", "POST /v1.41/containers/web/kill"],
    ]);
    const read = written("GET", "/v1.41/containers/a/json");
    expect(told(read, 404, "No such container: a").at(-1)).toEqual([
      "Send it for spare",
      "GET /v1.41/containers/spare/json",
    ]);
    const exec = written("POST", "/v1.41/exec/abc/start", {});
    expect(told(exec, 404, "No such exec instance: abc")).toEqual([
      [expect.stringContaining("create a new one")],
      ["List the running containers", "GET /v1.41/containers/json"],
    ]);
    expect(told(exec, 404, "something else")).toEqual([]);
  });

  test("401: the header, with credentials as placeholders", () => {
    const [remedy] = remediesFor(
      written("POST", "/v1.41/images/create?fromImage=r.test/a"),
      { kind: "", status: 401, message: "unauthorized: who are you" },
      world,
    );
    expect(atob(headerOf(remedy!.requests[0]!, "X-Registry-Auth")!)).toBe('{"username":"NAME","password":"PASSWORD"}');
  });

  test("an invalid image reference: how to write one", () => {
    const refused = { kind: "", status: 400, message: "invalid reference format" };
    expect(remediesFor(create, refused, world)[0]!.label).toContain("REGISTRY/NAME:TAG");
  });

  test("501: what is planned; malformed JSON: where it is", () => {
    const [later] = remediesFor(
      written("POST", "/v1.41/containers/a/pause"),
      { kind: "", status: 501, message: "not built yet" },
      world,
    );
    expect(later!.label).toContain("does not support this part of the API yet");
    const [malformed] = remediesFor(
      { ...create, body: '{\n "Image": busybox\n}' },
      { kind: "", status: 400, message: "invalid JSON: x" },
      world,
    );
    expect(malformed!.label).toContain("line 2");
    expect(jsonFault('{"a":')).toContain("ends in the middle");
  });
});
