// Builds by the classic builder: what the client sees, the images that come of it, and the cache.
import { expect, test } from "vitest";
import { REFERENCE } from "../../support/allowed-skips.js";
import { readSaved } from "../../support/archives/saved.js";
import { rawTar, type RawEntry } from "../../support/archives/tar.js";
import { messageOf, type Json } from "../../support/engine-client.js";
import { buildOn, builtOf, type Built } from "./building.js";
import { RawConnection } from "../../support/raw-http.js";
import { onEngines, testExcept } from "../../support/on-engines.js";

onEngines("builds", (engine, kind) => {
  const build = (dockerfile: string, files: RawEntry[] = [], query = ""): Promise<Built> =>
    buildOn(engine(), dockerfile, files, query);
  const configOf = async (image: string): Promise<Json> =>
    (await engine().read<{ Config: Json }>(`/images/${image}/json`)).Config;
  const run = async (image: string, command: string): Promise<string> =>
    (await engine().run({ Image: image, Entrypoint: ["sh", "-c"], Cmd: [command] })).stdout;

  test("every step makes an image; the second time all come from the cache", async () => {
    const file =
      "FROM busybox AS one\nENV A=1 B=two\nLABEL l=$A\nRUN echo out && echo $B > /made\nWORKDIR /w\n" +
      'EXPOSE 80\nUSER 5\nVOLUME /vol\nSTOPSIGNAL 9\nENTRYPOINT ["cat"]\nCMD ["/made"]\n';
    const first = await build(file, [], "t=built:1&t=built:2");
    expect(first.lines).toEqual([
      "Step 1/11 : FROM busybox AS one",
      "Step 2/11 : ENV A=1 B=two",
      "Step 3/11 : LABEL l=$A",
      "Step 4/11 : RUN echo out && echo $B > /made",
      "out",
      "Step 5/11 : WORKDIR /w",
      "Step 6/11 : EXPOSE 80",
      "Step 7/11 : USER 5",
      "Step 8/11 : VOLUME /vol",
      "Step 9/11 : STOPSIGNAL 9",
      'Step 10/11 : ENTRYPOINT ["cat"]',
      'Step 11/11 : CMD ["/made"]',
      "Successfully built",
      "Successfully tagged built:1",
      "Successfully tagged built:2",
    ]);
    expect(await configOf("built:1")).toMatchObject({
      Env: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "A=1", "B=two"],
      Labels: { l: "1" },
      WorkingDir: "/w",
      ExposedPorts: { "80/tcp": {} },
      User: "5",
      Volumes: { "/vol": {} },
      StopSignal: "9",
      Entrypoint: ["cat"],
      Cmd: ["/made"],
    });
    expect((await engine().run({ Image: "built:1" })).stdout).toBe("two\n");
    const history = await engine().read<{ CreatedBy: string }[]>("/images/built:1/history");
    expect(history.slice(0, 4).map(({ CreatedBy }) => CreatedBy)).toEqual([
      '/bin/sh -c #(nop)  CMD ["/made"]',
      '/bin/sh -c #(nop)  ENTRYPOINT ["cat"]',
      "/bin/sh -c #(nop)  STOPSIGNAL 9",
      "/bin/sh -c #(nop)  VOLUME [/vol]",
    ]);
    const again = await build(file, [], "t=built:1");
    expect(again.id).toBe(first.id);
    expect(again.lines.filter((line) => line === "Using cache")).toHaveLength(10);
    expect((await build(file, [], "nocache=1")).id).not.toBe(first.id);
    expect(await containers()).toEqual([]);
  });

  test("copies from the context and from stages, with owners and names as Docker has them", async () => {
    const files: RawEntry[] = [
      { name: "a.txt", body: "A", mode: 0o640, uid: 1000, gid: 1000 },
      { name: "b.txt", body: "B", mode: 0o644 },
      { name: "dir/", flag: "5", mode: 0o755 },
      { name: "dir/in", body: "I", mode: 0o755 },
      { name: "dir/sub/deep", body: "D" },
    ];
    const file =
      "FROM busybox AS src\nCOPY a.txt /one\nCOPY a.txt b.txt /two/\nCOPY *.txt /three/\nCOPY dir /four\n" +
      "COPY --chown=7:8 dir/in /five\nCOPY --chown=7 b.txt /group\nCOPY a.txt /etc\nFROM busybox\nCOPY --from=src /four/sub /six/\nCOPY --from=0 /one /two /five /seven/\n";
    await build(file, files, "t=copied&target=src");
    const list =
      'cd /; for f in one two/* three/* four/* four/sub/* five group etc/a.txt; do stat -c "%n %a %u:%g" $f; done; cat one';
    expect(await run("copied", list)).toBe(
      "one 640 0:0\ntwo/a.txt 640 0:0\ntwo/b.txt 644 0:0\nthree/a.txt 640 0:0\nthree/b.txt 644 0:0\n" +
        "four/in 755 0:0\nfour/sub 755 0:0\nfour/sub/deep 644 0:0\nfive 755 7:8\ngroup 644 7:7\netc/a.txt 640 0:0\nA",
    );
    await build(file, files, "t=copied:2");
    expect(await run("copied:2", "cd /; cat six/deep seven/one; stat -c ' %u:%g' seven/five")).toBe("DA 7:8\n");
  });

  test("the cache looks at the files that a copy takes", async () => {
    const file = "FROM busybox\nCOPY f /f\nRUN cat /f\n";
    const first = await build(file, [{ name: "f", body: "x" }]);
    const same = await build(file, [
      { name: "f", body: "x", mtime: 12345 },
      { name: "other", body: "y" },
    ]);
    expect(same.id).toBe(first.id);
    const other = await build(file, [{ name: "f", body: "y\n" }]);
    expect(other.id).not.toBe(first.id);
    expect(other.lines).toContain("y");
  });

  test("the cache looks at the files behind links that a pattern matches", async () => {
    const file = "FROM busybox\nCOPY l* /to/\n";
    const link = { name: "link", flag: "2", target: "f" };
    const first = await build(file, [{ name: "f", body: "x" }, link]);
    expect((await build(file, [{ name: "f", body: "x" }, link])).id).toBe(first.id);
    const { id } = await build(file, [{ name: "f", body: "y" }, link]);
    expect(id).not.toBe(first.id);
    expect(await run(id, "cat /to/link")).toBe("y");
  });

  test("a copied directory replaces links and files of the image", async () => {
    const file = "FROM busybox\nRUN mkdir /there && ln -s there /lib1 && touch /lib2 && mkdir /lib3\nCOPY root /\n";
    const files = [
      { name: "root/lib1/f", body: "" },
      { name: "root/lib2/f", body: "" },
      { name: "root/lib3", body: "" },
    ];
    const { id } = await build(file, files);
    expect(await run(id, "cd /; ls -dF lib1 lib2 lib3 lib1/f lib2/f there/*")).toBe(
      "lib1/\nlib1/f\nlib2/\nlib2/f\nlib3\n",
    );
  });

  test("a copied directory does not replace a file at the destination itself", async () => {
    const { error } = await build("FROM busybox\nRUN touch /x\nCOPY d /x\n", [{ name: "d/f", body: "" }]);
    expect(error?.["error"]).toMatch(/directory/);
  });

  test("ADD unpacks tars of the context, COPY does not", async () => {
    const inner = rawTar([{ name: "in/file", body: "unpacked", uid: 9 }]);
    await build(
      "FROM busybox\nADD t.tar plain /x/\nCOPY t.tar /y/\n",
      [
        { name: "t.tar", body: inner, uid: 4 },
        { name: "plain", body: "", uid: 4 },
      ],
      "t=added",
    );
    expect(await run("added", "cat /x/in/file; stat -c ' %u' /x/in/file /x/plain; ls /y")).toBe(
      "unpacked 9\n 0\nt.tar\n",
    );
  });

  test("build arguments: declared ones reach commands, others are told", async () => {
    const args = encodeURIComponent(JSON.stringify({ GIVEN: "g", UNUSED: "u" }));
    const file = "ARG TAG=latest\nFROM busybox:$TAG\nARG GIVEN=d\nARG OWN=o\nRUN echo $GIVEN-$OWN-$UNUSED\n";
    const { lines, id } = await build(file, [], `buildargs=${args}`);
    expect(lines).toContain("g-o-");
    expect(lines).toContain("[Warning] One or more build-args [UNUSED] were not consumed");
    const [last] = await engine().read<{ CreatedBy: string }[]>(`/images/${id}/history`);
    expect(last?.CreatedBy).toBe("|2 GIVEN=g OWN=o /bin/sh -c echo $GIVEN-$OWN-$UNUSED");
    expect((await configOf(id))["Env"]).toEqual(["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]);
  });

  test("triggers of a base image, and labels of the client", async () => {
    await build("FROM busybox\nONBUILD RUN echo triggered > /t\nONBUILD ENV T=1\n", [], "t=base:1");
    const labels = encodeURIComponent(JSON.stringify({ z: "1", a: "2" }));
    const { lines, id } = await build("FROM base:1\nRUN cat /t\n", [], `labels=${labels}`);
    expect(lines).toEqual([
      "Step 1/4 : FROM base:1",
      "# Executing 2 build triggers",
      "Step 2/4 : RUN cat /t",
      "triggered",
      "Step 3/4 : LABEL a=2",
      "Step 4/4 : LABEL z=1",
      "Successfully built",
    ]);
    expect(await configOf(id)).toMatchObject({ Labels: { a: "2", z: "1" }, OnBuild: null });
  });

  test("a command that fails ends the build with its code, and its container stays unless forcerm", async () => {
    const file = "FROM busybox\nRUN echo before; echo wrong >&2; exit 3\nRUN never\n";
    const { error, lines, text } = await build(file);
    const message = "The command '/bin/sh -c echo before; echo wrong >&2; exit 3' returned a non-zero code: 3";
    expect(error).toEqual({ errorDetail: { code: 3, message }, error: message });
    expect(lines).not.toContain("Step 3/3 : RUN never");
    expect(text).toContain("before\n");
    expect(text).toContain("\u001b[91mwrong\n\u001b[0m");
    const left = await containers();
    expect(left).toHaveLength(1);
    await engine().remove(left[0]!);
    await build(file, [], "forcerm=1");
    await expect.poll(containers).toEqual([]);
  });

  test("a quiet build only tells the id", async () => {
    const answer = await engine().must(
      200,
      "POST",
      "/build?q=1",
      rawTar([{ name: "Dockerfile", body: "FROM busybox\nRUN echo x\n" }]),
    );
    const lines = answer.text
      .trim()
      .split("\r\n")
      .map((line) => JSON.parse(line) as Json);
    expect(lines).toEqual([{ stream: expect.stringMatching(/^sha256:[0-9a-f]{64}\n$/) }]);
  });

  test("a quiet build that fails shows what its command wrote", async () => {
    const { error, text } = await build("FROM busybox\nRUN echo why; exit 3\n", [], "q=1&forcerm=1");
    expect(error?.["error"]).toMatch(/returned a non-zero code: 3$/);
    expect(text).toMatch(/^Step 1\/2 : FROM busybox\n[^]*why\n/);
    await expect.poll(containers).toEqual([]);
  });

  testExcept(kind, { reference: REFERENCE.cachePoisoning })("a committed container is no step of a build", async () => {
    const Cmd = ["/bin/sh", "-c", "echo fresh"];
    const id = await engine().create({ Image: "busybox", Cmd });
    await engine().must(201, "POST", `/commit?container=${id}&changes=${encodeURIComponent('ENTRYPOINT ["evil"]')}`);
    await engine().remove(id);
    const { lines } = await build("FROM busybox\nRUN echo fresh\n");
    expect(lines).toContain("fresh");
    expect(lines).not.toContain("Using cache");
  });

  test.each([
    ["FROM busybox\nCOPY none /x\n", /^COPY failed: .*none.*$/],
    ["FROM busybox\nCOPY no* /x\n", /^COPY failed: no source files were specified$/],
    [
      "FROM busybox\nCOPY *ile a /x\n",
      /^When using COPY with more than one source file, the destination must be a directory and end with a \/$/,
    ],
    ["FROM scratch\n", /^No image was generated\. Is your Dockerfile empty\?$/],
  ])("cannot build %j", async (file, expected) => {
    const { error } = await build(file, [{ name: "a", body: "" }]);
    expect(error?.["error"]).toMatch(expected);
  });

  test("what can be refused before the first line is an HTTP error", async () => {
    const context = (dockerfile: string): Buffer => rawTar([{ name: "Dockerfile", body: dockerfile }]);
    const refusal = async (query: string, body: Buffer | undefined): Promise<string> => {
      const answer = await engine().call("POST", `/build?${query}`, body);
      return `${answer.status} ${messageOf(answer)}`;
    };
    expect(await refusal("dockerfile=x", context("FROM busybox\n"))).toBe("500 Cannot locate specified Dockerfile: x");
    expect(await refusal("target=none", context("FROM busybox\n"))).toBe(
      "400 failed to reach build target none in Dockerfile",
    );
    expect(await refusal("squash=1", context("FROM busybox\n"))).toMatch(
      /^400 squash is only supported with experimental mode$/,
    );
    expect(await refusal("buildargs=x", context("FROM busybox\n"))).toMatch(/^400 error reading build args: /);
  });

  test("an ignored Dockerfile is read, but not copied", async () => {
    const files = [
      { name: ".dockerignore", body: "Docker*\n.dockerignore\n" },
      { name: "a", body: "" },
    ];
    await build("FROM busybox\nCOPY . /all/\n", files, "t=ignored");
    expect(await run("ignored", "ls -A /all")).toBe("a\n");
  });

  testExcept(kind, { reference: REFERENCE.ours })("what a Dockerfile's own file ignores is not there", async () => {
    const files = [
      ...[".dockerignore", "other/.dockerignore"].map((name) => ({ name, body: "*\n" })),
      { name: "other/Dockerfile.dockerignore", body: "*\n!src/*.c\n!docs\n**/b.*\n" },
      ...["src/a.c", "src/b.c", "src/a.o", "docs/a", "docs/b.md", "a"].map((name) => ({ name, body: name })),
      { name: "other/Dockerfile", body: "FROM busybox\nCOPY . /all/\nCOPY src /src\nCOPY src* docs /both/\n" },
    ];
    await build("FROM busybox\nRUN false\n", files, "dockerfile=other/Dockerfile&t=own");
    const found = await run("own", "for d in all src both; do cd /$d; find . -type f | sort; done");
    expect(found.split("\n")).toEqual(["./docs/a", "./src/a.c", "./a.c", "./a", "./a.c", ""]);
    const { error } = await build(
      "FROM busybox\n",
      [
        ...files.slice(2),
        { name: "x", body: "FROM busybox\nRUN --mount=target=/m ls /m | grep -v d\nCOPY src/a.o /\n" },
        { name: "x.dockerignore", body: "**/*.o\na\n" },
      ],
      "dockerfile=x",
    );
    expect(error?.["error"]).toMatch(/^COPY failed: file not found in build context or excluded by \.dockerignore: /);
    const broken = ["Dockerfile", "Dockerfile.dockerignore"].map((name) => ({ name, body: "[\n" }));
    expect(messageOf(await engine().call("POST", "/build", rawTar(broken)))).toBe(
      "failed to read Dockerfile.dockerignore: syntax error in pattern: [",
    );
  });

  testExcept(kind, { reference: REFERENCE.ours })("stages that the target does not need are not built", async () => {
    const { lines } = await build("FROM busybox AS no\nRUN false\nFROM busybox AS yes\nRUN echo y\nFROM yes\n");
    expect(lines.filter((line) => line.startsWith("Step"))).toEqual([
      "Step 1/3 : FROM busybox AS yes",
      "Step 2/3 : RUN echo y",
      "Step 3/3 : FROM yes",
    ]);
  });

  testExcept(kind, { reference: REFERENCE.ours })("hanging up ends the step and the build", async () => {
    const context = rawTar([{ name: "Dockerfile", body: "FROM busybox\nENV HUNG=up\nRUN sleep 1000\n" }]);
    const connection = await RawConnection.open(engine().socketPath);
    connection.send(`POST /build HTTP/1.1\r\nHost: d\r\nContent-Length: ${context.length}\r\n\r\n`);
    connection.send(context);
    await expect.poll(async () => (await running()).length).toBe(1);
    connection.close();
    await expect.poll(containers).toEqual([]);
    expect((await build("FROM busybox\nENV HUNG=up\n")).lines).toContain("Using cache");
  });

  test("a client that reads slowly gets all that commands write, though their containers are gone", async () => {
    const line = `${"x".repeat(4000)}\n`;
    const context = rawTar([
      { name: "Dockerfile", body: "FROM busybox\nCOPY big /\nRUN cat /big\nRUN cat /big; true\nLABEL slow=client\n" },
      { name: "big", body: line.repeat(400) },
    ]);
    const connection = await RawConnection.open(engine().socketPath);
    connection.pause();
    connection.send(`POST /build?nocache=1 HTTP/1.1\r\nHost: d\r\nContent-Length: ${context.length}\r\n\r\n`);
    connection.send(context);
    const filters = encodeURIComponent(JSON.stringify({ label: ["slow=client"] }));
    // The reference does not go on before its client does.
    if (kind !== "reference") {
      await expect.poll(() => engine().read<Json[]>(`/images/json?all=1&filters=${filters}`)).toHaveLength(1);
      await expect.poll(containers).toEqual([]);
    }
    connection.resume();
    const { text, error } = builtOf((await connection.response("POST")).text);
    connection.close();
    expect(error).toBeNull();
    expect(text.split(line).length - 1).toBe(800);
  });

  testExcept(kind, { reference: REFERENCE.ours })("here-documents", async () => {
    const { lines } = await build(
      'FROM busybox\nENV N=v\nCOPY <<ONE <<"TWO" /d/\n$N\nONE\n$N\nTWO\nRUN <<EOF\ncat /d/ONE\ncat /d/TWO\nEOF\n',
    );
    expect(lines).toContain("v");
    expect(lines).toContain("$N");
  });

  testExcept(kind, { reference: REFERENCE.ours })("scripts with an interpreter", async () => {
    const file = (text: string): string =>
      `FROM busybox\nUSER 5\nRUN <<EOF\n#!/bin/cat\n${text} $HOME\nEOF\nRUN cat <<A - <<B\n1\nA\n2\nB\n`;
    const { lines, id } = await build(file("one"));
    expect(lines).toEqual(expect.arrayContaining(["#!/bin/cat", "one $HOME", "2"]));
    expect((await build(file("two"))).lines).toContain("two $HOME");
    expect((await build(file("one"))).lines.filter((line) => line === "Using cache")).toHaveLength(3);
    const history = await engine().read<{ CreatedBy: string; Size: number }[]>(`/images/${id}/history`);
    expect(history[1]).toMatchObject({ CreatedBy: expect.stringMatching(/ \/bin\/sh -c \/dev\/pipes\/EOF$/), Size: 0 });
    expect((await build("FROM busybox\nRUN <<EOF\n#!/bin/none\nEOF\n")).error?.["errorDetail"]).toMatchObject({
      code: 127,
    });
  });

  test("layers of a build hold only what its step wrote", async () => {
    const { id } = await build("FROM busybox\nRUN echo x > /etc/added && rm /etc/group\n");
    const saved = await engine().must(200, "GET", `/images/${id}/get`);
    const [image] = (await readSaved(saved.body))!;
    expect(image).toBeDefined();
  });

  const running = async (): Promise<Json[]> => engine().read("/containers/json");
  const containers = async (): Promise<string[]> =>
    (await engine().read<{ Id: string }[]>("/containers/json?all=1")).map(({ Id }) => Id);
});
