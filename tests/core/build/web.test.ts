// Files of web servers in builds, as seen by the core: what they are called, what is asked, and what nobody is told.

import { beforeEach, describe, expect, test } from "vitest";
import type { engine, failures } from "../../../hosts/shared/host.js";
import { digestOf, encode, ImageWorld } from "../support/image-world.js";
import { beginBuild, CACHED } from "./beginning.js";

let world: ImageWorld;
beforeEach(() => {
  world = new ImageWorld();
});

const TEXT = "hello\n";
const MISSING: failures.Failure = { tag: "no-such", val: { what: "member", name: "/f" } };

function arrive(more: Partial<engine.Downloaded> = {}, text = TEXT): void {
  const beginning = encode(text);
  const own = {
    digest: digestOf(beginning),
    size: BigInt(beginning.length),
    disposition: "",
    mediaType: "",
    beginning,
  };
  world.succeed(world.take("download").op, { tag: "downloaded", val: { ...own, ...more } });
}

function choose(count: number): void {
  const files = Array.from({ length: count }, (_, at) => ({ path: String(at), directory: false, pattern: at }));
  world.succeed(world.take("choose").op, { tag: "chosen", val: { files, digest: digestOf(encode("files")) } });
}

/** Begins a build of one ADD, and answers until the first file is asked for. */
function begin(add: string): bigint {
  const id = beginBuild(world, `FROM busybox\nADD ${add}\n`, "");
  world.done(world.take("mount").op);
  return id;
}

/** Where the files are put. */
function copied(): (string | undefined)[] {
  world.done(world.take("mount").op);
  world.failAs(world.take("stat").op, MISSING);
  const { what } = world.take("copy").val;
  if (what.tag !== "files") throw new Error("no files are copied");
  return what.val.files.map(({ to }) => (to.name === undefined ? to.path : `${to.path}${to.name}`));
}

describe("the name", () => {
  test.each([
    ["http://a.test/b/c.txt", "", "c.txt"],
    ["http://a.test/b%20c%2Fd?x=/y#/z", "", "d"],
    ["http://a.test/b", "attachment; filename=c", "b"],
    ["http://a.test/", "attachment; filename=c", "c"],
    ["http://a.test", 'inline; filename="a; \\"b\\".txt"', 'a; "b".txt'],
    ["http://a.test/", "attachment; filename=c; filename*=UTF-8''%e2%82%ac.txt", "€.txt"],
    ["http://a.test/", "attachment; filename=../../etc/passwd", "passwd"],
    ["http://a.test/..", "attachment; filename=c", "c"],
  ])("%s with %j is %j", (address, disposition, name) => {
    begin(`${address} /d/`);
    arrive({ disposition });
    choose(1);
    expect(copied()).toEqual([`/d/${name}`]);
  });

  test.each(["", "attachment", "attachment; filename=a/", "attachment; filename=..", "; filename*=latin1''a"])(
    "there is none in %j",
    (disposition) => {
      const id = begin("http://a.test/ /d/");
      arrive({ disposition });
      expect(world.said(id).at(-1)).toBe("ADD failed: cannot determine filename for source http://a.test/");
      expect(world.open()).not.toContain("choose");
    },
  );
});

test("the cache looks at name and bytes of what was fetched, not at the address", () => {
  const build = (address: string, digest: string): string[] => {
    const id = begin(`${address} /d/`);
    arrive({ digest: digestOf(encode(digest)) });
    const files = [{ path: "0", directory: false, pattern: 0 }];
    world.succeed(world.take("choose").op, { tag: "chosen", val: { files, digest: digestOf(encode(digest)) } });
    if (!world.said(id).includes(CACHED)) {
      copied();
      world.sleep(1);
    }
    return world.said(id);
  };
  const id = begin("http://a.test/f /d/");
  arrive();
  choose(1);
  world.done(world.take("mount").op);
  world.failAs(world.take("stat").op, MISSING);
  world.done(world.take("copy").op);
  const val = { diffId: digestOf(encode("copied")), size: 3n, empty: false };
  world.succeed(world.take("commit").op, { tag: "committed", val });
  world.succeed(world.take("layer").op, { tag: "size", val: 3n });
  expect(world.said(id).at(-1)).toMatch(/^Successfully built/);
  expect(build("http://b.test/x/f?new", "files")).toContain(CACHED);
  expect(build("http://a.test/g", "files")).not.toContain(CACHED);
});

test("user and password go to the web server alone; the step tells the query, as in Docker", () => {
  const id = begin("https://me:s3cret@a.test/f?sig=abc /f");
  const { source, limit } = world.take("download").val;
  expect(source).toEqual({ address: "https://a.test/f", credentials: { user: "me:s3cret", query: "?sig=abc" } });
  expect(limit).toBeGreaterThan(0n);
  expect(world.said(id).join("\n")).not.toContain("s3cret");
  expect(world.said(id).at(-1)).toContain("ADD https://xxxxx@a.test/f?sig=abc /f");
});

test.each([
  ["https://me:s3/cr3t@a.test/f", "https://xxxxx@a.test/f"],
  ["https://me:s3#cr3t@a.test/f", "https://xxxxx@a.test/f"],
  ["https://me:s3?cr3t@a.test/f", "https://xxxxx@a.test/f"],
  ["https://me:s3'cr3t'@a.test/f", "https://xxxxx@a.test/f"],
  ['https://me:s3"cr3t"@a.test/f', "https://xxxxx@a.test/f"],
  ["https://me:s3cr3t%40a.test/f", "https://xxxxx%40a.test/f"],
  ["https://me:s3@cr3t@a.test/f@b", "https://xxxxx@a.test/f@b"],
  ["http://npm.test:4873/@scope/p.tgz", "http://npm.test:4873/@scope/p.tgz"],
  ["http://a.test:80/f?mail=a@b", "http://a.test:80/f?mail=a@b"],
  ["https://a.test/a:1@x", "https://a.test/a:1@x"],
])("the step of %s tells %s", (address, shown) => {
  const id = beginBuild(world, `FROM busybox\nADD ${address} /f\n`, "");
  expect(world.said(id).at(-1)).toContain(`: ADD ${shown} /f`);
});

test.each([
  ["an empty continuation line", "ADD https://me:s3cret@a.test/f \\\n\n /f", "Empty continuation line"],
  ["what cannot be substituted", "ADD https://me:s3cret@a.test/${ /f", "failed to process"],
  ["a port", "EXPOSE https://me:s3cret@a.test/f", "xxxxx@a.test/f"],
])("an error or a warning tells no password: %s", (_what, line, told) => {
  const id = beginBuild(world, `FROM busybox\n${line}\n`, "");
  const { text } = world.answer(id);
  expect(text).toContain(told);
  expect(text).not.toContain("s3cret");
});

test.each(["http://npm.test:4873/@scope/p/-/p-1.tgz", "http://a.test:80/f?mail=a@b", "https://a.test/a:1@x"])(
  "%s is an address without a user",
  (address) => {
    begin(`${address} /d/`);
    expect(world.take("download").val.source.address).toBe(address.replace(/[?].*/, ""));
  },
);

test("a path with a bad escape is refused", () => {
  const id = begin("http://a.test/100% /d/");
  expect(world.said(id).at(-1)).toBe('ADD failed: parse "http://a.test/100%": invalid URL escape "%"');
});

test("all files of an instruction share the limit, and each is followed by an empty line", () => {
  const id = begin("http://a.test/f http://a.test/g /d/");
  const first = world.take("download");
  const val = { digest: digestOf(encode(TEXT)), size: 6n, disposition: "", mediaType: "", beginning: encode(TEXT) };
  world.succeed(first.op, { tag: "downloaded", val });
  const second = world.take("download");
  expect(second.val.limit).toBe(first.val.limit - 6n);
  const told = (): number => world.lines(id).filter((line) => (line as { stream?: string }).stream === "\n").length;
  expect(told()).toBe(1);
  world.succeed(second.op, { tag: "downloaded", val });
  expect(told()).toBe(2);
});

test("a client that leaves gives the download up, and the place goes", () => {
  const id = begin("http://a.test/f /f");
  const { op } = world.take("download");
  world.hangUp(id);
  expect(world.take("abandon").val).toBe(op);
  expect(world.open()).toContain("drop-container");
});

describe("a context of a web server", () => {
  const ask = (address: string, query = ""): bigint => {
    const id = world.ask("POST", `/build?remote=${encodeURIComponent(address)}${query}`);
    for (let places = 0; places < 2; places++) world.done(world.take("mount").op);
    return id;
  };

  test("a Dockerfile has no files", () => {
    const id = ask("http://a.test/D");
    arrive({ mediaType: "text/plain; charset=utf-8" });
    world.succeed(world.take("read-file").op, { tag: "bytes", val: encode("FROM busybox\nCMD a\n") });
    expect(world.said(id).at(-1)).toMatch(/^Successfully built/);
  });

  test.each<[string, string, string]>([
    ["application/octet-stream", "FROM busybox\n", "read-file"],
    ["", "FROM busybox\n", "read-file"],
    ["", "\u001f\u008b\u0008", "copy"],
    ["application/x-gzip", "FROM busybox\n", "copy"],
    ["application/x-tar", "\0", "copy"],
  ])("%j that begins with %j: %s", (mediaType, text, next) => {
    ask("http://a.test/x");
    arrive({ mediaType }, text);
    expect(world.open()).toContain(next);
  });

  test("a tar is unpacked as the context", () => {
    const id = ask("http://a.test/x");
    arrive({ mediaType: "application/gzip" });
    const { op, val } = world.take("copy");
    expect(val.what).toMatchObject({ tag: "files", val: { unpack: "/", files: [{ path: "0" }] } });
    world.done(op);
    world.failAs(world.take("stat").op, MISSING);
    for (const file of ["", "FROM busybox\nCMD a\n"]) {
      world.succeed(world.take("read-file").op, { tag: "bytes", val: encode(file) });
    }
    expect(world.said(id).at(-1)).toMatch(/^Successfully built/);
  });

  test("what is no tar is no context", () => {
    const id = ask("http://a.test/x");
    arrive({ mediaType: "application/gzip" });
    const { op, val } = world.take("copy");
    if (val.what.tag !== "files") throw new Error("no files are copied");
    const { to } = val.what.val.files[0]!;
    world.done(op);
    const look = world.take("stat");
    expect(look.val.path).toBe(`${to.path}${to.name}`);
    const file = {
      name: to.name!,
      size: 1n,
      mode: 0o100644,
      modified: 0n,
      linkTarget: "",
      place: "/",
      readOnly: false,
    };
    world.succeed(look.op, { tag: "stat", val: file });
    expect(JSON.stringify(world.lines(id))).toContain("Error processing tar file(exit status 1): archive/tar: invalid");
  });

  test("the progress of a long download is told", () => {
    const id = ask("https://me:s3cret@a.test/x?sig=abc");
    const { op } = world.take("download");
    world.progress(op, "downloading", 20, 100);
    expect(world.answer(id).text).toBe("");
    world.sleep(10_000);
    world.progress(op, "downloading", 40, 100);
    expect(world.lines(id)).toEqual([
      {
        status: "https://a.test/x",
        progressDetail: { current: 40, total: 100 },
        id: "Downloading context",
      },
    ]);
  });

  test("an unknown Content-Type is told as it was sent", () => {
    const id = ask("http://a.test/x");
    arrive({ mediaType: "Text/HTML; charset=utf-8" });
    expect(world.answer(id).text).toContain('unsupported Content-Type \\"Text/HTML; charset=utf-8\\"');
  });

  test("a dry run cannot fetch it", () => {
    const id = ask("http://a.test/x");
    world.failAs(world.take("download").op, { tag: "imagined", val: { what: "member", name: "http://a.test/x" } });
    expect(world.answer(id).status).toBe(501);
    expect(world.answer(id).text).toContain("a dry run cannot build");
  });

  test("the address is told without its secrets", () => {
    const id = ask("https://me:s3cret@a.test/x?sig=abc");
    world.failAs(world.take("download").op, MISSING);
    expect(world.answer(id).status).toBe(500);
    expect(world.answer(id).text).toContain("error downloading remote context https://a.test/x: ");
    expect(world.answer(id).text).not.toMatch(/s3cret|abc/);
  });
});

describe("a git repository", () => {
  const COMMIT = "1".repeat(40);
  const arrived = (commit = COMMIT): void =>
    world.succeed(world.take("clone").op, { tag: "bytes", val: encode(commit) });
  const find = (): string => {
    const { op, val } = world.take("choose");
    const files = val.patterns.map((path, pattern) => ({ path, directory: true, pattern }));
    world.succeed(op, { tag: "chosen", val: { files, digest: digestOf(encode("files")) } });
    return val.patterns.join(" ");
  };

  test.each([
    ["git@a.test:b/c", "git@a.test:b/c", "", "0"],
    ["https://u:p@a.test/b.git#v1:x/../d[e", "https://a.test/b.git with u:p", "v1", "0/d\\[e"],
    ["ssh://git@a.test/b#:..", "ssh://a.test/b with git", "", "0"],
    ["git://a.test/b#main", "git://a.test/b", "main", "0"],
  ])("ADD %s", (address, repository, reference, path) => {
    begin(`--keep-git-dir ${address} /d`);
    const { op, val } = world.take("clone");
    const { address: asked, credentials } = val.repository;
    expect([`${asked}${credentials === undefined ? "" : ` with ${credentials.user}`}`, val.reference]).toEqual([
      repository,
      reference,
    ]);
    expect(val.keepGit).toBe(true);
    world.succeed(op, { tag: "bytes", val: encode(COMMIT) });
    expect(find()).toBe(path);
    expect(copied()).toEqual(["/d"]);
  });

  test("its commit is the key of the step", () => {
    const build = (commit: string, options = ""): string[] => {
      const id = begin(`${options} git://a.test/b /d`);
      arrived(commit);
      find();
      // The copy begins.
      if (!world.said(id).includes(CACHED)) world.done(world.take("mount").op);
      return world.said(id);
    };
    build(COMMIT);
    world.failAs(world.take("stat").op, MISSING);
    world.done(world.take("copy").op);
    const val = { diffId: digestOf(encode("copied")), size: 3n, empty: false };
    world.succeed(world.take("commit").op, { tag: "committed", val });
    world.succeed(world.take("layer").op, { tag: "size", val: 3n });
    expect(build(COMMIT)).toContain(CACHED);
    expect(build("2".repeat(40))).not.toContain(CACHED);
    expect(build(COMMIT, "--keep-git-dir=true")).not.toContain(CACHED);
  });

  test.each(["-x", "+x", "a..b", "a b", "a~1", "x*"])("has no reference %j", (reference) => {
    const id = world.ask("POST", `/build?remote=${encodeURIComponent(`git://a.test/b#${reference}`)}`);
    while (world.open().includes("mount")) world.done(world.take("mount").op);
    expect(world.answer(id).text).toContain(`unable to clone git://a.test/b: invalid git reference`);
  });

  test.each([
    [{ tag: "no-such", val: { what: "tool", name: "git" } }, "the program git is needed for it"],
    [{ tag: "tool", val: { name: "git", exit: 128, said: "fatal: not found\n" } }, "git: fatal: not found"],
  ] as [failures.Failure, string][])("that is not there: %j", (failure, said) => {
    const id = world.ask("POST", "/build?remote=https://u:s3cret@github.com/x/y.git");
    while (world.open().includes("mount")) world.done(world.take("mount").op);
    const { op, val } = world.take("clone");
    expect(val.repository.address).toBe("https://github.com/x/y.git");
    world.failAs(op, failure);
    expect(world.answer(id)).toMatchObject({ status: 500 });
    expect(world.answer(id).text).toContain(said);
    expect(world.answer(id).text).not.toContain("s3cret");
  });

  test("that is cloned just when its client leaves is not read", () => {
    const id = world.ask("POST", "/build?remote=git://a.test/b");
    while (world.open().includes("mount")) world.done(world.take("mount").op);
    world.succeed(world.take("clone").op, { tag: "bytes", val: encode(COMMIT) });
    const { op } = world.take("copy");
    world.hangUp(id);
    expect(world.take("abandon").val).toBe(op);
    world.done(op);
    expect(world.open()).not.toContain("read-file");
  });
});

function outputs(Type: string, Attrs: unknown): string {
  return `outputs=${encodeURIComponent(JSON.stringify([{ Type, Attrs }]))}`;
}

test.each([
  ["outputs=x", 500, "invalid character 'x' looking for beginning of value"],
  ["outputs=[{}]", 400, 'unknown output ""'],
  [outputs("image", { push: "T" }), 501, "an output with push needs version=2"],
  [outputs("image", { push: "" }), 501, "an output with push needs version=2"],
  [outputs("registry", { name: "a" }), 501, "an output with push needs version=2"],
  [outputs("image", { push: "yes" }), 400, 'push: strconv.ParseBool: parsing "yes": invalid syntax'],
  [outputs("image", { push: true }), 400, '"push" in Attrs must be a string'],
  [outputs("image", ["push"]), 400, "Attrs must be an object"],
  [outputs("image", { "registry.insecure": "1" }), 501, 'an output with "registry.insecure" is not built yet'],
  ["squash=1", 400, "squash is only supported with experimental mode"],
  ["remote=ftp://me:s3cret@a.test/b", 500, "remoteURL (ftp://xxxxx@a.test/b) could not be recognized as URL"],
])("%s is refused", (query, status, message) => {
  const answer = world.call("POST", `/build?${query}`, encode("tar"));
  expect(answer.status).toBe(status);
  expect((answer.json as { message: string }).message).toContain(message);
});

test.each(["0", "f", "F", "FALSE", "false", "False"])("an output that is not pushed (%s) is an image", (push) => {
  beginBuild(world, "FROM scratch\nCMD x\n", outputs("image", { name: "a:1", push }));
  expect(world.call("GET", "/images/a:1/json").status).toBe(200);
});

test("what is surely not meant is told before the first step", () => {
  const id = beginBuild(world, "FROM busybox\nCMD a\nCMD ['b']\n", "");
  expect(world.said(id).slice(0, 2)).toEqual([
    expect.stringContaining(
      "[WARNING]: Multiple CMD instructions should not be used in the same stage because only the last one will be used (MultipleInstructionsDisallowed, line 2)",
    ),
    expect.stringMatching(/^Step 1\/3/),
  ]);
  expect(world.lines(id)[0]).toEqual({ stream: expect.stringContaining("(InvalidJSONList, line 3)\n") });
});
