// Builds by BuildKit's calls, as seen by the core.

import { describe, expect, test } from "vitest";
import { answered } from "../../support/registry/registry-failures.js";
import { digestOf, encode, ImageWorld, makeImage, resolved } from "../support/image-world.js";
import { sendDefinition, sendFiles } from "../support/session-files.js";
import { CONTROL, METHOD, ALL, openSession, solve, watch, runStep, drop, direct, commands } from "./solving.js";

const UNIMPLEMENTED = "Grpc-Status: 12";
const EXHAUSTED = "Grpc-Status: 8";
/** Two steps with such a command are more than may be unsent to one watcher. */
const LONG = "x".repeat(55 * 1024);

describe("calls", () => {
  test.each<[string, (world: ImageWorld) => bigint | undefined]>([
    ["on no connection for calls", () => undefined],
    ["on a connection that is none", (world) => openSession(world)],
    [
      "on one that is over",
      (world) => {
        const door = world.openDoor();
        world.hangUp(door);
        return door;
      },
    ],
  ])("%s are requests for a page that is not there", (_which, connect) => {
    const world = new ImageWorld();
    const carrier = connect(world);
    const from = carrier === undefined ? {} : { carrier };
    const { status, text } = world.answer(world.ask("POST", `/grpc/${CONTROL}/Info`, {}, {}, from));
    expect([status, JSON.parse(text)]).toEqual([404, { message: "page not found" }]);
    expect(world.answer(world.makeCall(`${CONTROL}/Info`, {})).status).toBe(200);
  });
});

describe("a build", () => {
  test("waits for its session and is watched from its beginning; the image is its answer", () => {
    const world = new ImageWorld();
    const watching = watch(world);
    const solving = solve(world);
    expect(world.open()).toEqual([]);
    openSession(world);
    sendFiles(world, "FROM busybox\nRUN true\n");
    runStep(world);
    drop(world);
    expect(JSON.parse(world.answer(solving).text)).toMatchObject({
      ExporterResponse: { "containerimage.digest": expect.stringMatching(/^sha256:/) as string },
    });
    expect(world.answer(watching).over).toBe(true);
    expect(world.answer(watching).text).toContain("[2/2] RUN true");
  });

  test("of ten thousand vertices is refused before it begins, as steps and as a raw definition", () => {
    const world = new ImageWorld();
    openSession(world);
    const steps = solve(world);
    sendDefinition(world, `FROM busybox\n${"RUN true\n".repeat(10_000)}`);
    expect(world.answer(steps).text).toContain("a build may have 1000 steps, and this one has more");
    const def = Array.from({ length: 10_000 }, (_, at) => btoa(`vertex ${at}`));
    const raw = solve(world, { Ref: "b", Frontend: "", Definition: { def } });
    expect(world.answer(raw).text).toContain("raw definitions (LLB)");
    drop(world);
    expect(commands(world)).toEqual([]);
  });

  test("does not use up the calls that may wait, while its session is missing", () => {
    const world = new ImageWorld();
    const waiting = Array.from({ length: 1000 }, (_, at) => solve(world, { Ref: `${at}`, Session: `s${at}` }));
    const one = solve(world);
    openSession(world);
    sendDefinition(world, "FROM busybox\n");
    expect(world.answer(one)).toMatchObject({ status: 200, over: true });
    expect(waiting.filter((id) => world.answer(id).over)).toEqual([]);
  });

  test("misses a session that does not come", () => {
    const world = new ImageWorld();
    const solving = solve(world);
    const watching = watch(world, "none");
    world.wait(4);
    expect(world.answer(solving).over).toBe(false);
    world.wait(2);
    expect(world.answer(solving).text).toContain("no active session for s: context deadline exceeded");
    expect(world.answer(watching).text).toContain("no such job none");
  });

  test("waits for its client to read what it watches, and for no other one, nor for one that has left", () => {
    const world = new ImageWorld({ reading: false });
    openSession(world);
    solve(world);
    const [reads, leaves, other] = [watch(world), watch(world), watch(world, "a", world.openDoor())];
    sendFiles(world, `FROM busybox\n${["1", "2", "3"].map((number) => `RUN ${number}${LONG}\n`).join("")}`);
    runStep(world);
    runStep(world);
    const begun = (): boolean => world.open().includes("mount");
    expect(begun()).toBe(false);
    world.read(reads, 200 * 1024);
    expect(begun()).toBe(false);
    world.hangUp(leaves);
    expect(begun()).toBe(true);
    expect(world.answer(other).text).toContain("RUN 2x");
  });

  test("tells late watchers what has happened, no faster than they read", () => {
    const world = new ImageWorld({ reading: false });
    openSession(world);
    solve(world);
    const steps = Array.from({ length: 20 }, (_, at) => `RUN ${at}${LONG}\n`);
    sendFiles(world, `FROM busybox\n${steps.join("")}`);
    for (const _step of steps.slice(1)) runStep(world);
    const late = watch(world, "a", world.openDoor());
    expect(world.answer(late).text.length).toBeLessThan(640 * 1024);
    expect(world.answer(late).text).not.toContain("RUN 15x");
    runStep(world);
    drop(world);
    expect(world.answer(late).over).toBe(false);
    while (!world.answer(late).over) world.read(late);
    for (let number = 0; number < steps.length; number++) {
      const told = new RegExp(`"name":"[^"]*RUN ${number}x+","started":"[^"]*"(,"completed")?`, "g");
      expect([...world.answer(late).text.matchAll(told)].map(([, completed]) => completed !== undefined)).toEqual([
        true,
      ]);
    }
  });

  test("does not tell a client that does not read every amount of a pull, but goes on once it reads", () => {
    const world = new ImageWorld({ reading: false });
    openSession(world);
    solve(world);
    const own = watch(world);
    sendDefinition(world, "FROM r.example/a\nENV a=1\n");
    const image = makeImage(["one"]);
    world.succeed(world.take("resolve").op, resolved(image.manifest));
    world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
    const { op } = world.take("layer");
    const comes = (bytes: number): void => {
      world.sleep(1000);
      world.progress(op, "downloading", bytes, 5000);
    };
    for (let bytes = 1; bytes <= 4000; bytes++) comes(bytes);
    expect(world.answer(own).unread).toBeGreaterThan(512 * 1024);
    expect(world.answer(own).unread).toBeLessThan(513 * 1024);
    while (world.answer(own).unread > 0) world.read(own);
    comes(4001);
    expect(world.answer(own).text.includes(`"current":4001`)).toBe(true);
  });

  test("tells of each image that stages begin with only once", () => {
    const world = new ImageWorld();
    openSession(world);
    solve(world);
    const watching = watch(world);
    sendFiles(world, "FROM busybox AS one\nENV A=1\nFROM busybox\nRUN --mount=from=one,target=/one true\n");
    const { text } = world.answer(watching);
    const told = [...text.matchAll(/"name":"\[internal\] load metadata for ([^"]*)","started":"[^"]*"}/g)];
    expect(told.map(([, name]) => name)).toEqual(["docker.io/library/busybox:latest"]);
  });

  test.each([
    ["COPY . /\n", true],
    ['ADD ["a", "/"]\n', true],
    ["RUN --mount=target=/m true\n", true],
    ["RUN --mount=type=cache,target=/m true\n", false],
    ["COPY <<A /\nA\n", false],
    ["COPY --from=busybox /a /\n", false],
    ["ADD https://web.example/a /\n", false],
    ["ONBUILD COPY . /\n", false],
    ["ONBUILD COPY . /\nFROM one\n", true],
    ["COPY . /\nFROM busybox\n", false],
  ])("with %j: the context is fetched: %s", (instructions, isFetched) => {
    const world = new ImageWorld();
    openSession(world);
    solve(world);
    sendDefinition(world, `FROM busybox AS one\n${instructions}`);
    expect(world.open().includes("extract")).toBe(isFetched);
  });

  test.each([
    ["--chown=5:6 ", true],
    ["", false],
  ])("gives the directory that ADD %sunpacks a tar into to the owner: %s", (owner, ownsPlace) => {
    const world = new ImageWorld();
    openSession(world);
    solve(world);
    sendFiles(world, `FROM busybox\nADD ${owner}t.tar /x\n`);
    const files = [{ path: "t.tar", directory: false, pattern: 0 }];
    world.succeed(world.take("choose").op, { tag: "chosen", val: { files, digest: digestOf(encode("files")) } });
    world.done(world.take("mount").op);
    world.failAs(world.take("stat").op, { tag: "no-such", val: { what: "member", name: "/x" } });
    if (owner !== "") {
      const { op } = world.take("make-directory");
      const val = { name: "/", size: 0n, modified: 0n, linkTarget: "", place: "/", readOnly: false };
      world.succeed(op, { tag: "stat", val: { ...val, mode: 0o040755 } });
    }
    expect(world.take("copy").val).toMatchObject({ what: { val: { unpack: "/x", ownsPlace } } });
  });

  test("fetches the context once its image's triggers need it", () => {
    const world = new ImageWorld();
    openSession(world);
    solve(world, { Exporter: "moby", ExporterAttrs: { name: "base" } });
    sendDefinition(world, "FROM busybox\nONBUILD COPY . /\n");
    drop(world);
    solve(world);
    sendDefinition(world, "FROM base\n");
    world.done(world.take("extract").op);
    expect(world.take("choose").val.patterns).toEqual([""]);
  });

  test("is not there for a dry run, which fetches no files", () => {
    const world = new ImageWorld();
    openSession(world);
    const solving = solve(world);
    world.done(world.take("mount").op);
    world.done(world.take("mount").op);
    world.failAs(world.take("extract").op, { tag: "imagined", val: { what: "member", name: "f" } });
    expect(world.answer(solving).text).toContain("a dry run cannot build");
  });
});

describe("calls of a build that come before it", () => {
  test("find it over if one of them ends it, and nothing of it goes on", () => {
    const world = new ImageWorld();
    openSession(world);
    const [returned, late, watching] = [direct(world, "Return"), direct(world, "Ping"), watch(world)];
    const solving = solve(world);
    expect(world.answer(solving)).toMatchObject({ status: 200, over: true });
    expect(world.answer(returned)).toMatchObject({ status: 200, over: true });
    expect(world.answer(late).text).toContain("no such job a");
    expect(world.answer(watching)).toMatchObject({ status: 200, over: true });
    if (world.open().includes("mount")) world.done(world.take("mount").op);
    expect(commands(world)).toEqual([]);
  });

  test("learn that it is refused", () => {
    const world = new ImageWorld();
    const [early, watching] = [direct(world, "Ping"), watch(world)];
    solve(world, { Exporter: "cake" });
    expect(world.answer(early).text).toContain("no such job a");
    expect(world.answer(watching)).toMatchObject({ status: 200, over: true });
  });
});

describe("calls of a build that come when it is over", () => {
  test.each([
    ["refused", { Exporter: "cake" }],
    ["of a raw definition", { Frontend: "", Definition: { def: ["AA=="] } }],
    ["without a record", { Internal: true, Frontend: "cake" }],
  ])("do not wait for one that was %s", (_which, message) => {
    const world = new ImageWorld();
    openSession(world);
    const early = [watch(world), direct(world, "Ping")];
    expect(world.answer(solve(world, message))).toMatchObject({ status: 501, over: true });
    for (const [watching, ping] of [early, [watch(world), direct(world, "Ping")]]) {
      expect(world.answer(watching!)).toMatchObject({ status: 200, over: true });
      expect(world.answer(ping!).text).toContain("no such job a");
    }
    expect(world.answer(watch(world, "another")).over).toBe(false);
  });

  test("wait for one that ended before a hundred others did", () => {
    const world = new ImageWorld();
    for (let at = 0; at <= 100; at++) solve(world, { Ref: `${at}`, Exporter: "cake" });
    expect([0, 1, 100].map((at) => world.answer(watch(world, `${at}`)).over)).toEqual([false, true, true]);
  });
});

describe("a build that ends while it works", () => {
  test.each([
    ["returned", {}, 200],
    ["with an error", { error: { code: 2, message: "enough" } }, 500],
  ])("%s: its step is given up", (_how, message, status) => {
    const world = new ImageWorld();
    openSession(world);
    const solving = solve(world, { Frontend: "" });
    const asking = direct(world, "Solve", { Frontend: "dockerfile.v0", FrontendOpt: { "force-network-mode": "none" } });
    sendFiles(world, "FROM busybox\nRUN true\n");
    while (world.open().includes("mount")) world.done(world.take("mount").op);
    const { op, val } = world.takeLaunch();
    world.succeed(op, { tag: "launched", val: { pid: 7, at: world.now() } });
    direct(world, "Return", message);
    expect(world.answer(asking).text).toContain("context canceled");
    expect(world.answer(solving)).toMatchObject({ status, over: true });
    // What it has written by now is kept.
    world.succeed(world.take("keep-log").op, { tag: "size", val: 0n });
    world.done(world.takeProcess("signal"));
    world.exited(val.container, 1);
    world.done(world.takeProcess("reap"));
    drop(world);
    expect([commands(world), world.call("GET", "/containers/json?all=1").json]).toEqual([[], []]);
  });

  test("does not begin with a session that comes later", () => {
    const world = new ImageWorld();
    const solving = solve(world);
    direct(world, "Return", { error: { code: 2, message: "enough" } });
    expect(JSON.parse(world.answer(solving).text)).toEqual({ message: "enough" });
    openSession(world);
    expect(world.open()).toEqual([]);
  });
});

describe("the client's credentials", () => {
  const asked = (world: ImageWorld, image: string): void => {
    openSession(world, ALL);
    solve(world);
    sendFiles(world, `FROM ${image}\n`);
  };

  test("are asked for by the name that clients have for the Hub, and none are needed", () => {
    const world = new ImageWorld();
    asked(world, "hello");
    const { op, val } = world.take("find-credentials");
    expect(val.registry).toBe("registry-1.docker.io");
    const none = { username: "", password: "", identityToken: "", registryToken: "", meta: "" };
    world.succeed(op, { tag: "given", val: none });
    expect(world.take("resolve").val.credentials).toBeUndefined();
  });

  test("are not asked for if the client does not offer them, or the image is here", () => {
    const world = new ImageWorld();
    asked(world, "busybox");
    expect(world.open()).not.toContain("find-credentials");
    const other = new ImageWorld();
    openSession(other);
    solve(other);
    sendFiles(other, "FROM hello\n");
    expect(other.take("resolve").val.credentials).toBeUndefined();
  });

  test("are not waited for without limit: the pull goes on without them", () => {
    const world = new ImageWorld();
    asked(world, "r.example/x");
    const { op, val } = world.take("find-credentials");
    world.wait(59);
    expect([val.registry, commands(world)]).toEqual(["r.example", []]);
    world.wait(2);
    expect(world.take("abandon").val).toBe(op);
    expect(world.take("resolve").val.credentials).toBeUndefined();
    world.failAs(op, { tag: "interrupted", val: "given-up" });
    expect(commands(world)).toEqual([]);
  });

  test("are refused if they are far too long", () => {
    const world = new ImageWorld();
    openSession(world, ALL);
    const solving = solve(world);
    sendFiles(world, "FROM r.example/x\n");
    const none = { username: "u", password: "x".repeat(64 * 1024), identityToken: "", registryToken: "", meta: "" };
    world.succeed(world.take("find-credentials").op, { tag: "given", val: none });
    expect(world.answer(solving).text).toContain("credentials for r.example: they are longer than 65536 characters");
  });

  test("are waited for only until the build ends, which fails if the client refuses", () => {
    const world = new ImageWorld();
    openSession(world, ALL);
    const left = solve(world);
    sendFiles(world, "FROM r.example/x\n");
    const { op } = world.take("find-credentials");
    world.hangUp(left);
    expect(world.take("abandon").val).toBe(op);
    const refused = solve(world);
    sendFiles(world, "FROM r.example/x\n");
    world.failAs(world.take("find-credentials").op, { tag: "body-broke", val: "locked" });
    expect(world.answer(refused).text).toContain("failed to get credentials for r.example: locked");
  });
});

describe("limits", () => {
  test("of an error: its beginning and its end are sent, and its lines if the Dockerfile is small", () => {
    const failed = (dockerfile: string): { message: string; details?: unknown[] } => {
      const world = new ImageWorld();
      openSession(world);
      const solving = solve(world);
      sendFiles(world, dockerfile);
      while (world.open().includes("mount")) world.done(world.take("mount").op);
      const { op, val } = world.takeLaunch();
      world.succeed(op, { tag: "launched", val: { pid: 7, at: world.now() } });
      world.exited(val.container, 1, 3);
      return JSON.parse(world.answer(solving).text) as { message: string };
    };
    expect(failed("FROM busybox\nRUN x\n")).toMatchObject({ details: [{ value: {} }] });
    const { message, details } = failed(`FROM busybox\nRUN ${"x".repeat(40_000)}\n`);
    expect(message.length).toBeLessThan(5000);
    expect(message).toMatch(/^process "\/bin\/sh -c x+ … x+" did not complete successfully: exit code: 3$/);
    expect(details).toBeUndefined();
  });

  test.each([
    ["unknown instruction: RUUN (did you mean RUN?)", "FROM busybox\n\nRUUN a \\\n b\n", 3, 4],
    ["ENV must have two arguments", "FROM busybox\nENV a\nRUN b\n", 2, 2],
    ["no build stage in current context", "# a\nENV a=b\nFROM busybox\n", 2, 2],
    ["unknown flag: --chmd", "FROM busybox\nCOPY --chmd=1 <<A /b\nc\nA\n", 2, 4],
    ["base name ($none) should not be blank", "FROM busybox AS a\n\nFROM $none\nENV A=1\n", 3, 3],
    ["failed to parse platform a/b/c/d", "# a\nFROM --platform=a/b/c/d busybox\n", 2, 2],
    ["failed to parse platform a/b/c/d", "# a\nFROM --platform=a/b/c/d scratch\n", 2, 2],
    ["a stage name already used", "FROM busybox AS a\nFROM busybox AS a\n", 2, 2],
  ])("an error in the Dockerfile has its lines: %s", (said, dockerfile, line, endLine) => {
    const world = new ImageWorld();
    openSession(world);
    const solving = solve(world);
    sendDefinition(world, dockerfile);
    const { message, details } = JSON.parse(world.answer(solving).text) as { message: string; details: unknown[] };
    expect(message).toContain(said);
    expect(details).toEqual([
      {
        type: "github.com/moby/buildkit/errdefs.Source+json",
        value: {
          info: { filename: "Dockerfile", data: Buffer.from(dockerfile).toString("base64") },
          ranges: [{ start: { line }, end: { line: endLine } }],
        },
      },
    ]);
  });

  test.each([
    ["a target", { target: "bulid" }, "FROM busybox AS build\nENV A=1\n"],
    ["an image", {}, "FROM busybox AS build\nENV A=1\nFROM bulid\nENV B=1\n"],
  ])("%s that is not there, but is like the name of a stage, is told with that name", (_what, given, dockerfile) => {
    const world = new ImageWorld();
    openSession(world);
    const solving = solve(world, { FrontendAttrs: { "force-network-mode": "none", ...given } });
    sendDefinition(world, dockerfile);
    if (world.open().includes("resolve")) world.failAs(world.take("resolve").op, answered(404, "MANIFEST_UNKNOWN"));
    expect(world.answer(solving).text).toContain("(did you mean build?)");
  });

  test("of calls that wait for something that is missing", () => {
    const world = new ImageWorld();
    const waiting = Array.from({ length: 1000 }, (_, at) => watch(world, `none-${at}`));
    const one = world.answer(watch(world, "none"));
    expect([one.headers.includes(EXHAUSTED), one.text]).toEqual([true, expect.stringContaining("too many calls wait")]);
    expect(world.answer(watch(world, "none", world.openDoor())).over).toBe(false);
    expect(waiting.filter((id) => world.answer(id).over)).toEqual([]);
    world.hangUp(waiting[0]!);
    expect(world.answer(watch(world, "other")).over).toBe(false);
  });

  test("of those who watch one build", () => {
    const world = new ImageWorld();
    solve(world);
    for (let number = 0; number < 100; number++) expect(world.answer(watch(world)).status).toBe(200);
    expect(world.answer(watch(world)).headers).toContain(EXHAUSTED);
  });
});

test("a context may be an archive that the client uploads, or at an address", () => {
  const world = new ImageWorld();
  const session = openSession(world, { [METHOD]: "/moby.upload.v1.Upload/Pull" });
  const asked = (context: string): bigint => solve(world, { Ref: context, FrontendAttrs: { context } });
  const id = asked("http://buildkit-session/abc");
  world.done(world.take("mount").op);
  const { op, val } = world.take("extract");
  expect(val.source).toEqual({ tag: "upload", val: { session, path: "/abc" } });
  world.failAs(op, { tag: "body-broke", val: "it ended" });
  expect(world.answer(id).text).toContain("it ended");

  asked("https://web.example/x.tar");
  while (world.open().includes("mount")) world.done(world.take("mount").op);
  expect(world.take("download").val.source).toMatchObject({ address: "https://web.example/x.tar" });
});

test("an archive of a session that offers none is an error", () => {
  const world = new ImageWorld();
  openSession(world);
  const id = solve(world, { FrontendAttrs: { context: "http://buildkit-session/abc" } });
  expect(world.answer(id).text).toContain("the session has no archive /abc: it offers none");
});

test("what is not built is refused by name", () => {
  const world = new ImageWorld();
  const refused = (more: object): { headers: string; text: string } => world.answer(solve(world, more));
  expect(refused({ Exporter: "cake" })).toMatchObject({ headers: expect.stringContaining(UNIMPLEMENTED) as string });
  expect(refused({ Frontend: "gateway.v0" }).text).toContain("gateway.v0");
  const options: [string, string, string][] = [
    ["context", "https://user:password@web.example/x.tar", "a context at an address with a user"],
    ["context", "input:other", "a context that is neither"],
    ["requestid", "frontend.other", "unsupported request frontend.other"],
    ["hostname", "other", "the option hostname is"],
    ["attest:sbom", "", "the attestation sbom is"],
  ];
  for (const [name, value, said] of options) {
    expect(refused({ FrontendAttrs: { [name]: value } })).toMatchObject({
      headers: expect.stringContaining(UNIMPLEMENTED) as string,
      text: expect.stringContaining(said) as string,
    });
  }
  expect(refused({ FrontendAttrs: { "shm-size": "x" } }).headers).not.toContain(UNIMPLEMENTED);
});

test("a name that is not valid is refused before anything is built", () => {
  const world = new ImageWorld();
  openSession(world);
  const { status, text } = world.answer(solve(world, { Exporter: "moby", ExporterAttrs: { name: "a:1,B" } }));
  expect([status, text]).toEqual([400, expect.stringContaining("failed to parse B: invalid reference format")]);
  expect(world.open()).toEqual([]);
});
