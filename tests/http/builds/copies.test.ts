// COPY and ADD: links, owners, modes, and what a pattern, `--parents` and `--exclude` take.

import { expect, test } from "vitest";
import { REFERENCE } from "../../support/allowed-skips.js";
import { rawTar, type RawEntry } from "../../support/archives/tar.js";
import { onEngines, testExcept } from "../../support/on-engines.js";
import { buildOn, type Built } from "./building.js";

onEngines("copies of builds", (engine, kind) => {
  const build = (dockerfile: string, files: RawEntry[] = [], query = ""): Promise<Built> =>
    buildOn(engine(), dockerfile, files, query);
  const run = async (image: string, command: string): Promise<string> =>
    (await engine().run({ Image: image, Entrypoint: ["sh", "-c"], Cmd: [command] })).stdout;
  const owners = (...paths: string[]): string => `cd /; stat -c "%n %a %u:%g" ${paths.join(" ")}`;

  test("the cache of --from looks at owners, unless there is --chown", async () => {
    const file = (owner: number, how = ""): string =>
      `FROM busybox AS src\nRUN mkdir /s && touch /s/f && chown ${owner} /s/f\nFROM busybox\nCOPY ${how} --from=src /s /t\n`;
    const first = await build(file(5));
    const second = await build(file(6));
    expect(second.id).not.toBe(first.id);
    expect(await run(second.id, owners("t/f"))).toBe("t/f 644 6:0\n");
    const given = await build(file(5, "--chown=7:8"));
    expect(await run(given.id, owners("t/f"))).toBe("t/f 644 7:8\n");
  });

  const platformOf = async (file: string, query = ""): Promise<string> => {
    const { id } = await build(file, [{ name: "a", body: file + query }], query);
    const { Os, Architecture } = await engine().read<{ Os: string; Architecture: string }>(`/images/${id}/json`);
    return `${Os}/${Architecture}`;
  };

  test("a build of nothing for another platform says that platform", async () => {
    expect(await platformOf("FROM scratch\nCOPY a /\n", "platform=linux/s390x")).toBe("linux/s390x");
  });

  testExcept(kind, { reference: REFERENCE.fromPlatform })("FROM --platform=… scratch says that platform", async () => {
    const from = "FROM --platform=linux/arm64 scratch AS one\nCOPY a /\nFROM one\nENV A=1\n";
    expect(await platformOf(from)).toBe("linux/arm64");
    expect(await platformOf("FROM --platform=linux/arm64 scratch\nENV A=1\n", "platform=linux/s390x")).toBe(
      "linux/arm64",
    );
  });

  test("the destination's links are followed, and lead nowhere out of the image", async () => {
    const { id } = await build(
      "FROM busybox\nRUN mkdir /in && echo old > /in/old && ln -s /in/old /one && ln -s ../../../in/new /two && " +
        "ln -s in /three && ln -s /missing/dir /four && ln -s /in/old /in/link\n" +
        "COPY a /one\nCOPY a /two\nCOPY a b /three/\nCOPY d /four\nCOPY b /in/link/../link2\n",
      [
        { name: "a", body: "A" },
        { name: "b", body: "B" },
        { name: "d/f", body: "F" },
      ],
    );
    expect(await run(id, "cd /in; for f in old new a b link2 /missing/dir/f; do echo $f $(cat $f); done")).toBe(
      "old A\nnew A\na A\nb B\nlink2 B\n/missing/dir/f F\n",
    );
    expect(await run(id, "cd /; for f in one two three four; do readlink $f; done")).toBe(
      "/in/old\n../../../in/new\nin\n/missing/dir\n",
    );
  });

  test("a file that goes into a directory replaces a link there", async () => {
    const { id } = await build(
      "FROM busybox\nRUN mkdir /t && echo old > /real && for f in a b c; do ln -s /real /t/$f; done\n" +
        "COPY a /t/\nCOPY d /t\nCOPY a c /t/\n",
      ["a", "c", "d/b"].map((name) => ({ name, body: name })),
    );
    expect(await run(id, "cat /t/a /t/b /t/c /real")).toBe("ad/bcold\n");
  });

  test("a program that runs as its owner does so as its new owner", async () => {
    const { id } = await build("FROM busybox\nCOPY --chown=5:6 a /a\n", [{ name: "a", body: "", mode: 0o6755 }]);
    const mode = (await run(id, "stat -c %a /a")).trim();
    expect(mode).toBe(engine().expected("copied-set-user-id", "6755", "755"));
  });

  test("directories that are made for a file get its owner, those for a directory do not", async () => {
    const { id } = await build(
      "FROM busybox\nCOPY --chown=5:6 a /n/o/a\nCOPY --chown=5:6 a /p/q/\nCOPY --chown=5:6 d /r/s\nRUN mkdir /t\n" +
        "COPY --chown=5:6 d /t\nCOPY a /u/v\n",
      [
        { name: "a", body: "", mode: 0o600, uid: 9 },
        { name: "d/", flag: "5", mode: 0o700, uid: 9 },
        { name: "d/e/", flag: "5", mode: 0o711, uid: 9 },
      ],
    );
    const paths = ["n", "n/o", "n/o/a", "p", "p/q", "p/q/a", "r", "r/s", "r/s/e", "t", "t/e", "u", "u/v"];
    expect((await run(id, owners(...paths))).trim().split("\n")).toEqual([
      "n 755 5:6",
      "n/o 755 5:6",
      "n/o/a 600 5:6",
      "p 755 5:6",
      "p/q 755 5:6",
      "p/q/a 600 5:6",
      "r 755 0:0",
      "r/s 755 5:6",
      "r/s/e 711 5:6",
      "t 755 0:0",
      "t/e 711 5:6",
      "u 755 0:0",
      "u/v 600 0:0",
    ]);
  });

  test("what ADD unpacks keeps its owners, whatever --chown says", async () => {
    const inner = rawTar([
      { name: "in/", flag: "5", mode: 0o750, uid: 3, gid: 3 },
      { name: "in/f", body: "", mode: 0o640, uid: 4, gid: 4 },
    ]);
    const { id } = await build("FROM busybox\nADD --chown=5:6 t.tar plain /x/y/\n", [
      { name: "t.tar", body: inner },
      { name: "plain", body: "" },
    ]);
    expect(await run(id, owners("x/y/in", "x/y/in/f", "x/y/plain"))).toBe(
      "x/y/in 750 3:3\nx/y/in/f 640 4:4\nx/y/plain 644 5:6\n",
    );
  });

  test("--chown by name looks into the image, by user alone into its groups, too", async () => {
    const made = "FROM busybox\nRUN echo u:x:1001:5:::>>/etc/passwd; echo u:x:1002: >>/etc/group\n";
    const { id } = await build(`${made}COPY --chown=u a /a\nCOPY --chown=u:7 a /b\nCOPY --chown=9 a /c\n`, [
      { name: "a", body: "" },
    ]);
    expect(await run(id, owners("a", "b", "c"))).toBe("a 644 1001:1002\nb 644 1001:7\nc 644 9:9\n");
    const { error } = await build(`${made}COPY --chown=nobody-here a /a\n`, [{ name: "a", body: "" }]);
    expect(error?.["error"]).toMatch(/nobody-here/);
  });

  testExcept(kind, { reference: REFERENCE.ours })("--chmod in octal and by letters, for directories too", async () => {
    const { id } = await build(
      "FROM busybox\nCOPY --chmod=u=rwX,go=rX d /d\nCOPY --chmod=711 d/x /x\nCOPY --chmod=g=u,o-r d/f /f\n" +
        "COPY --chmod=+x <<S /s\n#!\nS\n",
      [
        { name: "d/f", body: "", mode: 0o640 },
        { name: "d/x", body: "", mode: 0o700 },
      ],
    );
    expect(await run(id, owners("d", "d/f", "d/x", "x", "f", "s"))).toBe(
      "d 755 0:0\nd/f 644 0:0\nd/x 755 0:0\nx 711 0:0\nf 660 0:0\ns 755 0:0\n",
    );
    for (const mode of ["u~x", "8", "77777", "x"]) {
      const { error } = await build(`FROM busybox\nCOPY --chmod=${mode} a /\n`, [{ name: "a", body: "" }]);
      expect(error?.["error"]).toBe(`invalid mode "${mode}" for --chmod`);
    }
  });

  testExcept(kind, { reference: REFERENCE.ours })("--link does not look at the files below the copy", async () => {
    const files = [
      { name: "a", body: "A" },
      { name: "d/f", body: "F" },
    ];
    const from =
      "FROM busybox\nRUN mkdir /in && ln -s /in /one && ln -s /in/new /two && mkdir /three && echo old > /three/g\n";
    const { id } = await build(
      `${from}COPY --link a /one/a\nCOPY --link a /two\nCOPY --link --chown=5:6 d /three\n`,
      files,
    );
    expect(await run(id, "ls /in; cat /one/a /two /three/f /three/g; stat -c '%u:%g' /three/f")).toBe("AAFold\n5:6\n");
    const followed = await build(`${from}COPY a /one/a\n`, files);
    expect(await run(followed.id, "cat /in/a")).toBe("A");
    const named = await build(`${from}COPY --link --chown=root d /three\n`, files);
    expect(named.error).not.toBeNull();
  });

  testExcept(kind, { reference: REFERENCE.ours })("--parents and --exclude", async () => {
    const { id } = await build(
      "FROM busybox\nCOPY --parents x/a.txt y/z /one/\nCOPY --parents x/./a.txt **/b.txt /two/\n" +
        "COPY --exclude=*.txt --exclude=z . /three/\nCOPY --parents --exclude=**/b.txt y /four\n",
      [
        { name: "x/", flag: "5", mode: 0o711 },
        { name: "x/a.txt", body: "" },
        { name: "y/", flag: "5", mode: 0o750 },
        { name: "y/z/", flag: "5", mode: 0o700 },
        { name: "y/z/b.txt", body: "" },
        { name: "y/c.txt", body: "" },
        { name: "d.txt", body: "" },
      ],
    );
    const found = await run(id, "cd /; find one two three four | sort; stat -c '%n %a' one/x one/y one/y/z");
    expect(found.trim().split("\n")).toEqual([
      ...["four", "four/y", "four/y/c.txt", "four/y/z"],
      ...["one", "one/x", "one/x/a.txt", "one/y", "one/y/z", "one/y/z/b.txt"],
      ...["three", "three/Dockerfile", "three/x", "three/x/a.txt", "three/y", "three/y/c.txt", "three/y/z"],
      ...["three/y/z/b.txt", "two", "two/a.txt", "two/y", "two/y/z", "two/y/z/b.txt"],
      ...["one/x 711", "one/y 750", "one/y/z 700"],
    ]);
  });
});
