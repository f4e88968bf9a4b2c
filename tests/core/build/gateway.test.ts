// What a client that directs its build asks beside results: the files of a result, and the configs of images.

import { describe, expect, test } from "vitest";
import type { engine } from "../../../hosts/shared/host.js";
import { answered } from "../../support/registry/registry-failures.js";
import { digestOf, encode, ImageWorld, INDEX, makeImage, makeIndex, resolved } from "../support/image-world.js";
import { sendFiles } from "../support/session-files.js";
import { ALL, commands, direct, drop, openSession, runStep, solve } from "./solving.js";

const EXHAUSTED = "Grpc-Status: 8";
const LARGEST = (16 << 20) - 64;

interface Built {
  world: ImageWorld;
  /** The build's own call. */
  solving: bigint;
  /** Id of its result. */
  Ref: string;
}

function built(dockerfile = "FROM busybox\nRUN true\n", reading = true): Built {
  const world = new ImageWorld({ reading });
  openSession(world);
  const solving = solve(world, { Frontend: "" });
  const asking = direct(world, "Solve", { Frontend: "dockerfile.v0", FrontendOpt: { "force-network-mode": "none" } });
  sendFiles(world, dockerfile);
  if (dockerfile.includes("RUN")) runStep(world);
  drop(world);
  const { result } = JSON.parse(world.answer(asking).text) as { result: { ref: { id: string } } };
  return { world, solving, Ref: result.ref.id };
}

/** Answers the first command about a result, which mounts it. */
function mount(world: ImageWorld): string {
  const { op, val } = world.take("mount");
  world.done(op);
  return val.container;
}

describe("a file of a result", () => {
  test("is read from the result's own files, which are mounted once and dropped with the build", () => {
    const { world, solving, Ref } = built();
    const reading = direct(world, "ReadFile", { Ref, FilePath: "etc/motd" });
    const container = mount(world);
    const first = world.take("read-file");
    expect(first.val).toEqual({
      at: { view: { container, places: [] }, path: "/etc/motd", follow: true },
      limit: LARGEST,
    });
    world.succeed(first.op, { tag: "bytes", val: encode("hello") });
    expect(JSON.parse(world.answer(reading).text)).toEqual({ Data: btoa("hello") });
    const again = direct(world, "ReadFile", { Ref, FilePath: "/etc/motd", Range: { Offset: 1, Length: 2 } });
    const second = world.take("read-file");
    expect(second.val).toMatchObject({ part: { offset: 1n, length: 2n } });
    world.succeed(second.op, { tag: "bytes", val: encode("el") });
    expect(JSON.parse(world.answer(again).text)).toEqual({ Data: btoa("el") });
    // A number has too few digits for this length.
    direct(world, "ReadFile", { Ref, FilePath: "/etc/motd", Range: { Offset: 1, Length: "9223372036854775807" } });
    const third = world.take("read-file");
    expect(third.val).toMatchObject({ part: { offset: 1n, length: 2n ** 63n - 1n } });
    world.succeed(third.op, { tag: "bytes", val: encode("ello") });
    drop(world);
    direct(world, "Return", { result: { ref: { id: Ref } } });
    expect(world.answer(solving)).toMatchObject({ status: 200, over: true });
    expect(world.take("unmount").val).toBe(container);
    expect(world.take("drop-container").val).toBe(container);
  });

  test.each([0, 1, 2, 3, 4, 57, 1000])("of %d bytes arrives whole", (length) => {
    const { world, Ref } = built();
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 7) & 255);
    const reading = direct(world, "ReadFile", { Ref, FilePath: "f" });
    mount(world);
    world.succeed(world.take("read-file").op, { tag: "bytes", val: bytes });
    const { Data } = JSON.parse(world.answer(reading).text) as { Data: string };
    expect(Data).toBe(Buffer.from(bytes).toString("base64"));
  });

  test.each<[string, Parameters<ImageWorld["failAs"]>[1], string]>([
    [
      "is not there",
      { tag: "call", val: { call: "lstat", path: "/a/f", inside: true, error: "ENOENT" } },
      "open a/f: no such file or directory",
    ],
    ["is a directory", { tag: "wrong-kind", val: { what: "member", name: "/a/f" } }, "a/f is not a regular file"],
    [
      "is too large",
      { tag: "too-large", val: { what: "member", name: "/a/f", limit: BigInt(LARGEST) } },
      `a/f has more than ${LARGEST} bytes: ask for a part of it`,
    ],
  ])("that %s is an error in the words of the client's path", (_which, failure, said) => {
    const { world, Ref } = built();
    const reading = direct(world, "ReadFile", { Ref, FilePath: "a/f" });
    mount(world);
    world.failAs(world.take("read-file").op, failure);
    expect(JSON.parse(world.answer(reading).text)).toEqual({ message: said });
  });

  test.each([
    ["with a NUL in its path", { FilePath: "a\0b" }, "open a\0b: invalid argument"],
    ["before its beginning", { FilePath: "a", Range: { Offset: -1, Length: 1 } }, "readat a: negative offset"],
    ["of a result that there is not", { Ref: "other", FilePath: "a" }, "no such ref: other"],
    ["of no result", { Ref: "", FilePath: "a" }, "no such ref: "],
  ])("%s is refused without a look", (_which, message, said) => {
    const { world, Ref } = built();
    const reading = direct(world, "ReadFile", { Ref, ...message });
    expect(JSON.parse(world.answer(reading).text)).toEqual({ message: said });
    expect(commands(world)).toEqual([]);
  });

  test("of a result that could not be mounted is looked for again the next time", () => {
    const { world, Ref } = built();
    const failing = direct(world, "StatFile", { Ref, Path: "." });
    world.failAs(world.take("mount").op, { tag: "internal", val: "no room" });
    expect(JSON.parse(world.answer(failing).text)).toEqual({ message: "no room" });
    drop(world);
    direct(world, "StatFile", { Ref, Path: "." });
    expect(commands(world)).toEqual(["mount"]);
  });
});

describe("what a file is", () => {
  test("is told as BuildKit tells it: a mode of Go's, no size of a directory, all digits of the time", () => {
    const { world, Ref } = built();
    const told = (path: string, file: Partial<engine.ListedFile>, asked = path): unknown => {
      const asking = direct(world, "StatFile", { Ref, Path: asked });
      if (world.open().includes("mount")) mount(world);
      const { op, val } = world.take("list-files");
      expect(val).toMatchObject({ at: { path: `/${path}`, follow: true }, inside: false, after: "", limit: 1 });
      world.succeed(op, { tag: "listed", val: [{ ...FILE, ...file }] });
      return JSON.parse(world.answer(asking).text);
    };
    expect(told("a/f", {}, "a/f//")).toEqual(told("a/f", {}));
    expect(told("a/f", {})).toEqual({
      stat: { path: "f", mode: 0o644, uid: 5, gid: 6, size: 7, modTime: "1767225600123456789" },
    });
    const root = { path: ".", mode: 0x8000_0000 + 0o755, uid: 5, gid: 6, modTime: "1767225600123456789" };
    expect(told(".", { name: "", mode: 0o040755 })).toEqual({ stat: root });
    const device = { path: "f", mode: (1 << 26) + (1 << 21) + 0o600, devmajor: 1, devminor: 3 };
    expect(told("null", { mode: 0o020600, size: 0n, major: 1, minor: 3 })).toMatchObject({ stat: device });
    expect(told("su", { mode: 0o104755 })).toMatchObject({ stat: { mode: (1 << 23) + 0o755 } });
  });

  test("that is not there is an error", () => {
    const { world, Ref } = built();
    const asking = direct(world, "StatFile", { Ref, Path: "docker-bake.hcl" });
    mount(world);
    const val = { call: "lstat", path: "/docker-bake.hcl", inside: true, error: "ENOENT" };
    world.failAs(world.take("list-files").op, { tag: "call", val });
    expect(JSON.parse(world.answer(asking).text)).toEqual({
      message: "lstat docker-bake.hcl: no such file or directory",
    });
  });
});

describe("a directory", () => {
  const names = (text: string): string[] => (JSON.parse(text) as Listed).entries.map(({ path }) => path);

  test("is told with the links in it, all pages of it", () => {
    const { world, Ref } = built();
    const asking = direct(world, "ReadDir", { Ref, DirPath: "etc" });
    mount(world);
    const first = world.take("list-files");
    expect(first.val).toMatchObject({ at: { path: "/etc" }, inside: true, after: "", limit: 2000 });
    const page = Array.from({ length: 2000 }, (_, at) => ({ ...FILE, name: `a${String(at).padStart(4, "0")}` }));
    world.succeed(first.op, { tag: "listed", val: page });
    const second = world.take("list-files");
    expect(second.val).toMatchObject({ after: "a1999" });
    const link = { ...FILE, name: "b", mode: 0o120777, target: "a0000", size: 5n };
    world.succeed(second.op, { tag: "listed", val: [link] });
    const { text } = world.answer(asking);
    expect(names(text)).toEqual([...page, link].map(({ name }) => name));
    expect((JSON.parse(text) as Listed).entries.at(-1)).toMatchObject({
      mode: (1 << 27) + 0o777,
      linkname: "a0000",
      size: 5,
    });
  });

  test.each([
    ["", ["a.txt", "b.md", "c.txt"]],
    ["*.txt", ["a.txt", "c.txt"]],
    ["[ab].*", ["a.txt", "b.md"]],
    ["x", []],
  ])("with the pattern %j is told in part", (IncludePattern, wanted) => {
    const { world, Ref } = built();
    const asking = direct(world, "ReadDir", { Ref, DirPath: ".", IncludePattern });
    mount(world);
    const val = ["a.txt", "b.md", "c.txt"].map((name) => ({ ...FILE, name }));
    world.succeed(world.take("list-files").op, { tag: "listed", val });
    expect(names(world.answer(asking).text)).toEqual(wanted);
  });

  test.each([
    ["a/*", 501, "the pattern a/*, which is more than one name, is not built yet"],
    ["**", 501, "the pattern **, which is more than one name, is not built yet"],
    ["!a", 501, "the pattern !a, which is more than one name, is not built yet"],
    ["[", 500, "invalid includepatterns: [[]: syntax error in pattern"],
  ])("with the pattern %j is not told", (IncludePattern, status, message) => {
    const { world, Ref } = built();
    const answer = world.answer(direct(world, "ReadDir", { Ref, DirPath: ".", IncludePattern }));
    expect([answer.status, JSON.parse(answer.text)]).toEqual([status, { message }]);
  });

  test("that is larger than a message is not told", () => {
    const { world, Ref } = built();
    const asking = direct(world, "ReadDir", { Ref, DirPath: "d" });
    mount(world);
    for (let page = 0; !world.answer(asking).over; page++) {
      expect(page).toBeLessThan(50);
      const file = (at: number): engine.ListedFile => ({ ...FILE, name: `${page}-${at}-${"n".repeat(240)}` });
      world.succeed(world.take("list-files").op, {
        tag: "listed",
        val: Array.from({ length: 2000 }, (_, at) => file(at)),
      });
    }
    const { headers, text } = world.answer(asking);
    expect(headers).toContain(EXHAUSTED);
    expect(text).toContain("d has too many files for a message: ask for some by a pattern");
  });
});

describe("questions about a build", () => {
  test("are answered one after the other, and those that wait when it ends are told so", () => {
    const { world, Ref, solving } = built();
    const [first, second, third] = ["a", "b", "c"].map((FilePath) => direct(world, "ReadFile", { Ref, FilePath }));
    mount(world);
    expect(world.open().filter((tag) => tag === "read-file")).toHaveLength(1);
    world.succeed(world.take("read-file").op, { tag: "bytes", val: encode("a") });
    expect(world.answer(first!).over).toBe(true);
    const { op, val } = world.take("read-file");
    expect(val.at.path).toBe("/b");
    world.hangUp(solving);
    expect(world.take("abandon").val).toBe(op);
    for (const waiting of [second, third]) expect(world.answer(waiting!).text).toContain("context canceled");
    world.failAs(op, { tag: "interrupted", val: "given-up" });
    drop(world);
    expect(commands(world)).toEqual([]);
  });

  describe("whose client reads slowly", () => {
    const LONG = 3 << 20;
    const asked = (): Built & { first: bigint; second: bigint } => {
      const found = built(undefined, false);
      const [first, second] = ["a", "b"].map((FilePath) =>
        direct(found.world, "ReadFile", { Ref: found.Ref, FilePath }),
      );
      mount(found.world);
      found.world.succeed(found.world.take("read-file").op, { tag: "bytes", val: new Uint8Array(LONG) });
      return { ...found, first: first!, second: second! };
    };

    test("are sent no more than a piece ahead, and the next one is asked once the answer is read", () => {
      const { world, first, second } = asked();
      let most = 0;
      for (let pieces = 0; !world.answer(first).over; pieces++) {
        expect(pieces).toBeLessThan(20);
        most = Math.max(most, world.answer(first).unread);
        expect(commands(world)).toEqual([]);
        world.read(first);
      }
      expect([most > 100_000, most < 1 << 20]).toEqual([true, true]);
      expect(JSON.parse(world.answer(first).text)).toEqual({ Data: Buffer.alloc(LONG).toString("base64") });
      world.succeed(world.take("read-file").op, { tag: "bytes", val: encode("b") });
      expect(JSON.parse(world.answer(second).text)).toEqual({ Data: btoa("b") });
    });

    test.each([
      [16 * 1024, false],
      [12_000, true],
    ])("are over at once only if the answer is short: %d bytes of a file", (length, isShort) => {
      const { world, Ref } = built(undefined, false);
      for (const FilePath of ["a", "b"]) direct(world, "ReadFile", { Ref, FilePath });
      mount(world);
      world.succeed(world.take("read-file").op, { tag: "bytes", val: new Uint8Array(length) });
      expect(world.open().includes("read-file")).toBe(isShort);
    });

    test("and leaves are over, and those that it has left before their turn are not asked", () => {
      const { world, Ref, first, second } = asked();
      const third = direct(world, "StatFile", { Ref, Path: "c" });
      world.hangUp(second);
      world.read(first, 100_000);
      expect(commands(world)).toEqual([]);
      world.hangUp(first);
      expect(commands(world)).toEqual(["list-files"]);
      world.hangUp(third);
      expect(commands(world)).toEqual(["list-files", "abandon"]);
    });

    test("still get what is being sent when the build ends", () => {
      const { world, Ref, first, second, solving } = asked();
      direct(world, "Return", { result: { ref: { id: Ref } } });
      expect(world.answer(solving)).toMatchObject({ status: 200, over: true });
      expect(world.answer(second).text).toContain("context canceled");
      while (!world.answer(first).over) world.read(first);
      expect(JSON.parse(world.answer(first).text)).toEqual({ Data: Buffer.alloc(LONG).toString("base64") });
      drop(world);
      expect(commands(world)).toEqual([]);
    });
  });

  test("that are too many are refused", () => {
    const { world, Ref } = built();
    const all = Array.from({ length: 102 }, () => direct(world, "StatFile", { Ref, Path: "." }));
    expect(all.filter((id) => world.answer(id).over)).toEqual([all[101]]);
    expect(world.answer(all[101]!).headers).toContain(EXHAUSTED);
  });

  test("whether a result is made are answered by whether there is one", () => {
    const { world, Ref } = built();
    expect(world.answer(direct(world, "Evaluate", { Ref }))).toMatchObject({ status: 200, over: true });
    expect(world.answer(direct(world, "Evaluate", { Ref: "x" })).text).toContain("no such ref: x");
  });

  test("are no questions about a build that is over", () => {
    const { world, Ref } = built();
    direct(world, "Return", { result: { ref: { id: Ref } } });
    for (const method of ["ReadFile", "ReadDir", "StatFile", "Evaluate", "ResolveImageConfig"]) {
      expect(world.answer(direct(world, method, { Ref })).text).toContain("no such job a");
    }
  });

  test("are offered by name", () => {
    const { world } = built();
    const { FrontendAPICaps } = JSON.parse(world.answer(direct(world, "Ping")).text) as {
      FrontendAPICaps: { ID: string }[];
    };
    const offered = FrontendAPICaps.map(({ ID }) => ID);
    expect(offered).toEqual(expect.arrayContaining(["readdir", "readfile", "resolveimage", "statfile"]));
  });
});

describe("the config of an image", () => {
  /** A build that is directed, before it is asked for a result. */
  const begun = (headers?: Record<string, string>): ImageWorld => {
    const world = new ImageWorld();
    openSession(world, headers);
    solve(world, { Frontend: "" });
    return world;
  };
  const config = (told: string): unknown => {
    const { Config } = JSON.parse(told) as { Config: string };
    return JSON.parse(Buffer.from(Config, "base64").toString());
  };

  test("that is here is told without a registry and without a digest", () => {
    const world = begun();
    const { text } = world.answer(direct(world, "ResolveImageConfig", { Ref: "docker.io/library/busybox:latest" }));
    expect(JSON.parse(text)).toEqual({ Config: expect.any(String) as string, Ref: "docker.io/library/busybox:latest" });
    expect(config(text)).toMatchObject({ os: "linux", rootfs: { type: "layers" } });
    expect(commands(world)).toEqual([]);
  });

  test.each([
    ["is not here", { Ref: "r.example/a:1" }],
    ["is to be asked for", { Ref: "busybox", ResolveMode: "pull" }],
    ["is here for another platform", { Ref: "busybox", Platform: { OS: "linux", Architecture: "s390x" } }],
  ])("that %s is fetched, without its layers", (_which, message) => {
    const world = begun();
    const asking = direct(world, "ResolveImageConfig", message);
    const image = makeImage(["one"], { config: { Env: ["A=1"] } });
    world.succeed(world.take("resolve").op, resolved(image.manifest));
    world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
    const { text } = world.answer(asking);
    expect(JSON.parse(text)).toMatchObject({ Digest: image.digest, Ref: message.Ref });
    expect(config(text)).toMatchObject({ config: { Env: ["A=1"] } });
    expect(commands(world)).toEqual([]);
    expect([...world.records.keys()]).not.toContain(`config/${image.id}`);
  });

  test("of an index has the digest of the index, and is of the platform that is asked for", () => {
    const world = begun();
    const Platform = { OS: "linux", Architecture: "arm64" };
    const asking = direct(world, "ResolveImageConfig", { Ref: "r.example/a", Platform });
    const [own, other] = [makeImage(["one"]), makeImage(["two"], { architecture: "arm64" })];
    const index = makeIndex([
      [{ os: "linux", architecture: "amd64" }, own],
      [{ os: "linux", architecture: "arm64" }, other],
    ]);
    world.succeed(world.take("resolve").op, resolved(index, INDEX));
    const second = world.take("resolve");
    expect(second.val.reference).toBe(other.digest);
    world.succeed(second.op, resolved(other.manifest));
    world.succeed(world.take("blob").op, { tag: "bytes", val: other.config });
    expect(JSON.parse(world.answer(asking).text)).toMatchObject({ Digest: digestOf(index) });
    expect(config(world.answer(asking).text)).toMatchObject({ architecture: "arm64" });
  });

  test("is fetched with the client's own credentials", () => {
    const world = begun(ALL);
    direct(world, "ResolveImageConfig", { Ref: "r.example/a" });
    const { op, val } = world.take("find-credentials");
    expect(val.registry).toBe("r.example");
    const given = { username: "me", password: "hidden", identityToken: "", registryToken: "", meta: "" };
    world.succeed(op, { tag: "given", val: given });
    expect(world.take("resolve").val.credentials).toMatchObject({ username: "me", password: "hidden" });
  });

  test("that is being fetched when the build ends is given up", () => {
    const world = begun();
    const asking = direct(world, "ResolveImageConfig", { Ref: "r.example/a" });
    const { op } = world.take("resolve");
    direct(world, "Return", { error: { code: 2, message: "enough" } });
    expect(world.answer(asking).text).toContain("context canceled");
    expect(world.take("abandon").val).toBe(op);
  });

  test.each(["resolve", "blob"] as const)(
    "whose %s comes although the build has ended is not asked for more",
    (last) => {
      const world = begun();
      direct(world, "ResolveImageConfig", { Ref: "r.example/a" });
      const image = makeImage(["one"]);
      const resolving = world.take("resolve").op;
      if (last === "blob") world.succeed(resolving, resolved(image.manifest));
      const reading = last === "blob" ? world.take("blob").op : 0n;
      direct(world, "Return", { error: { code: 2, message: "enough" } });
      world.take("abandon");
      if (last === "blob") world.succeed(reading, { tag: "bytes", val: image.config });
      else world.succeed(resolving, resolved(image.manifest));
      expect(commands(world)).toEqual([]);
    },
  );

  test.each([
    [{ Ref: "A:B:C" }, 500, "invalid reference format"],
    [{ Ref: "a", ResolverType: 1 }, 501, "the config of an image in a layout is not built yet"],
  ])("%j is an error", (message, status, said) => {
    const world = begun();
    const answer = world.answer(direct(world, "ResolveImageConfig", message));
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(said)]);
  });

  test("that no registry has is an error in the registry's words", () => {
    const world = begun();
    const asking = direct(world, "ResolveImageConfig", { Ref: "r.example/a" });
    world.failAs(world.take("resolve").op, answered(404, "MANIFEST_UNKNOWN", "no such manifest"));
    expect(world.answer(asking)).toMatchObject({ status: 404, over: true });
    expect(world.answer(asking).text).toContain("manifest for r.example/a:latest not found");
  });
});

interface Listed {
  entries: { path: string }[];
}

const FILE: engine.ListedFile = {
  name: "f",
  mode: 0o100644,
  owner: 5,
  group: 6,
  size: 7n,
  modified: 1_767_225_600_123_456_789n,
  target: "",
  major: 0,
  minor: 0,
};
