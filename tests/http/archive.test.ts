// Files of containers: path information, and tars out and in (docker cp).
import { execFileSync } from "node:child_process";
import { gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { messageOf, type Json } from "../support/engine-client.js";
import { findProgram } from "../support/commands.js";
import { onEngines } from "../support/on-engines.js";
import type { RawResponse } from "../support/raw-http.js";
import { readTar, type TarMember } from "../support/archives/read-tar.js";
import { rawTar, type RawEntry } from "../support/archives/tar.js";

const SETTING = [
  "mkdir -p /d/sub /real && cd /d && echo one > file && chmod 640 file && echo two > sub/deep && ln -s file link",
  "ln -s /real out && ln -s ../../../../real up && ln -s nowhere dangling && ln file hard",
  "chown 12:34 sub && chmod 1755 sub && touch -d @1600000000 file",
].join(" && ");

const ENDS: Record<string, boolean> = { "a running container": true, "one that has ended": false };

const PROGRAMS = ["gzip", "bzip2", "xz", "zstd"].map((name) => [name, findProgram(name) === null] as const);

onEngines("archive", (engine, kind) => {
  for (const [what, runs] of Object.entries(ENDS)) {
    test(`stat of ${what}`, async () => {
      const id = await made(runs);
      expect(await stat(id, "/d/file")).toMatchObject({ name: "file", size: 4, mode: 0o640, linkTarget: "" });
      expect(Date.parse(String((await stat(id, "/d/file"))["mtime"]))).toBe(1_600_000_000_000);
      expect(await stat(id, "d/sub")).toMatchObject({ name: "sub", mode: 2 ** 31 + 2 ** 20 + 0o755 });
      expect(await stat(id, "/d/pipe")).toMatchObject({ name: "pipe", mode: 2 ** 25 + 0o644 });
      expect(await stat(id, "/")).toMatchObject({ name: "/", mode: 2 ** 31 + 0o755 });
      expect(await stat(id, "/d/.")).toMatchObject({ name: "." });
      expect(await stat(id, "/d/")).toMatchObject({ name: "d" });
      expect(await stat(id, "/d/sub/../file")).toMatchObject({ name: "file" });
      await engine().remove(id);
    });

    test(`links of ${what}`, async () => {
      const id = await made(runs);
      const mode = 2 ** 27 + 0o777;
      expect(await stat(id, "/d/link")).toMatchObject({ name: "link", size: 4, mode, linkTarget: "/d/file" });
      expect(await stat(id, "/d/out")).toMatchObject({ mode, linkTarget: "/real" });
      expect(await stat(id, "/d/up")).toMatchObject({ mode, linkTarget: "/real" });
      expect(await stat(id, "/d/dangling")).toMatchObject({ mode, linkTarget: "/d/nowhere" });
      expect(await stat(id, "/d/out/")).toMatchObject({ name: "out", mode: 2 ** 31 + 0o755 });
      expect(await stat(id, "/d/out/.")).toMatchObject({ mode: 2 ** 31 + 0o755 });
      await engine().remove(id);
    });

    test(`a tar of ${what}`, async () => {
      const id = await made(runs);
      const members = await read(id, "/d");
      expect(members.map(({ name }) => name)).toEqual([
        ...["d/", "d/dangling", "d/file", "d/hard", "d/link", "d/out", "d/pipe", "d/sub/", "d/sub/deep", "d/up"],
      ]);
      expect(named(members, "d/file")).toMatchObject({ mode: 0o640, text: "one\n", mtime: 1_600_000_000 });
      expect(named(members, "d/hard")).toMatchObject({ type: "link", target: "d/file" });
      expect(named(members, "d/link")).toMatchObject({ type: "symlink", target: "file" });
      expect(named(members, "d/pipe")).toMatchObject({ type: "fifo" });
      expect(named(members, "d/sub/")).toMatchObject({ type: "directory", mode: 0o1755, uid: 12, gid: 34 });
      await engine().remove(id);
    });

    test(`names in a tar of ${what}`, async () => {
      const id = await made(runs);
      expect((await read(id, "/d/sub")).map(({ name }) => name)).toEqual(["sub/", "sub/deep"]);
      expect((await read(id, "/d/sub/")).map(({ name }) => name)).toEqual(["sub/", "sub/deep"]);
      expect((await read(id, "/d/sub/.")).map(({ name }) => name)).toEqual(["./", "./deep"]);
      expect((await read(id, "/d/file")).map(({ name }) => name)).toEqual(["file"]);
      expect(await read(id, "/d/link")).toMatchObject([{ name: "link", type: "symlink", target: "file" }]);
      expect((await read(id, "/d/out/")).map(({ name }) => name)).toEqual(["out/"]);
      const top = (await read(id, "/")).map(({ name }) => name);
      expect(top[0]).toBe("/");
      expect(top).toContain("/d/sub/deep");
      expect(top.filter((name) => name.startsWith("/proc/"))).toEqual(["/proc/"]);
      await engine().remove(id);
    });

    test(`unpacking into ${what}`, async () => {
      const id = await made(runs);
      const answer = await write(id, "/d", [
        { name: "new/", flag: "5", mode: 0o750, uid: 7, gid: 8, mtime: 1_500_000_000 },
        { name: "new/setuid", body: "x", mode: 0o4755, uid: 7, gid: 8 },
        { name: "new/file", body: "hello", mode: 0o755, uid: 7, gid: 8, mtime: 1_500_000_001 },
        { name: "new/hard", flag: "1", target: "new/file", mode: 0o755, uid: 7, gid: 8, mtime: 1_500_000_001 },
        { name: "new/link", flag: "2", target: "file" },
        { name: "without/parents/file", body: "x" },
        { name: ".wh.file", body: "an ordinary name" },
        { name: "file", body: "changed" },
      ]);
      expect([answer.status, answer.text, answer.header("Content-Length")]).toEqual([200, "", "0"]);
      const members = await read(id, "/d/");
      expect(named(members, "d/new/")).toMatchObject({ mode: 0o750, uid: 7, gid: 8, mtime: 1_500_000_000 });
      expect(named(members, "d/new/setuid")).toMatchObject({ mode: 0o4755, uid: 7, gid: 8 });
      expect(named(members, "d/new/file")).toMatchObject({ text: "hello", mode: 0o755, uid: 7, mtime: 1_500_000_001 });
      expect(named(members, "d/new/hard")).toMatchObject({ type: "link", target: "d/new/file" });
      expect(named(members, "d/new/link")).toMatchObject({ type: "symlink", target: "file" });
      expect(named(members, "d/without/parents/")).toMatchObject({ mode: 0o755, uid: 0 });
      expect(named(members, "d/.wh.file")).toMatchObject({ text: "an ordinary name" });
      expect(named(members, "d/file")).toMatchObject({ text: "changed" });
      await engine().remove(id);
    });

    test(`file types are kept in ${what}`, async () => {
      const id = await made(runs);
      const keep = "&noOverwriteDirNonDir=1";
      const directory = await write(id, "/d", [{ name: "sub", body: "x" }], keep);
      expect([directory.status, messageOf(directory)]).toEqual([
        500,
        'Error processing tar file(exit status 1): cannot overwrite directory "/d/sub" with non-directory "/d"',
      ]);
      const file = await write(id, "/d", [{ name: "file/", flag: "5" }], keep);
      expect(messageOf(file)).toBe(
        'Error processing tar file(exit status 1): cannot overwrite non-directory "/d/file" with directory "/d"',
      );
      expect((await write(id, "/d", [{ name: "sub", body: "a file now" }])).status).toBe(200);
      expect(await read(id, "/d/sub")).toMatchObject([{ name: "sub", type: "file", text: "a file now" }]);
      await engine().remove(id);
    });

    test(`volumes and binds of ${what}`, async () => {
      const Volumes = { "/vol": {} };
      const id = await made(runs, { Volumes });
      expect((await write(id, "/vol", [{ name: "kept", body: "in the volume" }])).status).toBe(200);
      expect(await read(id, "/vol/kept")).toMatchObject([{ text: "in the volume" }]);
      if (!runs) await engine().start(id);
      expect(await read(id, "/vol/kept")).toMatchObject([{ text: "in the volume" }]);
      const changes = JSON.stringify(await engine().read(`/containers/${id}/changes`));
      expect(changes).not.toContain("/vol/kept");
      await engine().remove(id);
    });
  }

  test("missing files, and files that are no directory", async () => {
    const id = await made(true);
    const missing = await engine().call("GET", `/containers/${id}/archive?path=/nope/x`);
    expect([missing.status, messageOf(missing)]).toEqual([404, `Could not find the file /nope/x in container ${id}`]);
    const head = await engine().call("HEAD", `/containers/${id}/archive?path=/nope`);
    expect([head.status, head.text]).toEqual([404, ""]);
    expect((await write(id, "/nope", [])).status).toBe(404);
    for (const path of ["/d/file/", "/d/file/x"]) {
      const answer = await engine().call("GET", `/containers/${id}/archive?path=${path}`);
      expect([answer.status, messageOf(answer)]).toEqual([500, expect.stringMatching(/^lstat .*: not a directory$/)]);
    }
    const point = await write(id, "/d/file", []);
    expect(messageOf(point)).toBe("extraction point is not a directory");
    expect(point.status).toBe(engine().expected("extract-status", 400, 500));
    await engine().remove(id);
  });

  test("a path is required", async () => {
    const id = await engine().create();
    for (const query of ["", "?path="]) {
      const answer = await engine().call("GET", `/containers/${id}/archive${query}`);
      const [ours, theirs] = ["bad parameter: path cannot be empty", "bad parameter: pathcannot be empty"];
      expect([answer.status, messageOf(answer)]).toEqual([400, engine().expected("archive-path-text", ours, theirs)]);
    }
    expect((await engine().call("GET", "/containers/nope/archive?path=/")).status).toBe(404);
    await engine().remove(id);
  });

  test("a NUL does not end a path", async () => {
    const id = await engine().create();
    for (const [method, body] of [
      ["HEAD", undefined],
      ["GET", undefined],
      ["PUT", rawTar([])],
    ] as const) {
      const answer = await engine().call(method, `/containers/${id}/archive?path=/etc/passwd%00x`, body);
      expect([method, answer.status]).toEqual([method, 500]);
      if (method !== "HEAD") expect(messageOf(answer)).toMatch(/^lstat .*: invalid argument$/);
    }
    await engine().remove(id);
  });

  test("a container that never ran", async () => {
    const id = await engine().create({ Volumes: { "/etc": {} } });
    expect((await read(id, "/bin/sh")).map(({ name }) => name)).toEqual(["sh"]);
    expect((await write(id, "/etc", [{ name: "note", body: "before the start" }])).status).toBe(200);
    expect((await read(id, "/etc/passwd"))[0]?.text).toContain("root:");
    await engine().start(id);
    expect(await read(id, "/etc/note")).toMatchObject([{ text: "before the start" }]);
    await engine().remove(id);
  });

  test("invalid tars, and an empty body", async () => {
    const id = await made(true);
    const whole = rawTar([{ name: "file", body: "y".repeat(3000) }]);
    const answer = await put(id, "/d", whole.subarray(0, 1800));
    expect([answer.status, messageOf(answer)]).toEqual([
      500,
      "Error processing tar file(exit status 1): unexpected EOF",
    ]);
    if (kind !== "reference") expect(await read(id, "/d/file")).toMatchObject([{ text: "one\n" }]);
    expect((await put(id, "/d", new Uint8Array(0))).status).toBe(200);
    expect((await put(id, "/d", undefined)).status).toBe(200);
    expect((await put(id, "/d", Buffer.from("no tar at all".repeat(100)))).status).toBe(500);
    expect((await engine().call("GET", `/containers/${id}/archive?path=/d/../..`)).status).toBe(200);
    await engine().remove(id);
  });

  for (const [program, missing] of PROGRAMS) {
    test(`a body in ${program} is recognized by its first bytes`, async ({ skip }) => {
      if (kind === "reference" && program === "zstd") return skip(REFERENCE.zstd);
      if (missing) return skip(`${program} is not installed`);
      const id = await engine().create();
      const tar = rawTar([{ name: "large", body: "some words ".repeat(100_000) }]);
      const body = execFileSync(program, ["-c"], { input: tar, maxBuffer: 1 << 30 });
      expect((await put(id, "/tmp", body)).status).toBe(200);
      expect((await read(id, "/tmp/large"))[0]?.text).toBe("some words ".repeat(100_000));
      if (kind !== "reference") expect((await put(id, "/tmp", body.subarray(0, body.length / 2))).status).toBe(500);
      await engine().remove(id);
    });
  }

  test("names that lead outside stay inside", async () => {
    const id = await made(true);
    const answer = await write(id, "/d", [{ name: "../../../../etc/outside", body: "x" }]);
    expect(answer.status).toBe(500);
    expect((await write(id, "/d", [{ name: "out/inside", body: "by the link" }])).status).toBe(200);
    expect(await read(id, "/real/inside")).toMatchObject([{ text: "by the link" }]);
    expect((await write(id, "/d/up", [{ name: "too", body: "by the link" }])).status).toBe(200);
    expect(await read(id, "/real/too")).toMatchObject([{ text: "by the link" }]);
    await engine().remove(id);
  });

  test("read-only places", async () => {
    const HostConfig = { ReadonlyRootfs: true, Binds: [] as string[] };
    const id = await engine().create({ HostConfig, Volumes: { "/vol": {} } });
    const answer = await write(id, "/tmp", [{ name: "x", body: "x" }]);
    expect(messageOf(answer)).toBe("container rootfs is marked read-only");
    expect(answer.status).toBe(engine().expected("extract-status", 400, 500));
    expect((await write(id, "/vol", [{ name: "x", body: "x" }])).status).toBe(200);
    await engine().remove(id);
  });

  test("mount points stay, and so do the mounts", async () => {
    const HostConfig = { Binds: ["/etc/hostname:/bound"] };
    const busy = /^Error processing tar file\(exit status 1\): unlinkat \/.*: device or resource busy$/;
    const Cmd = ["sh", "-c", "while :; do sleep 0.1; done"];
    const id = await engine().running({ Cmd, StopSignal: "SIGKILL", HostConfig });
    const names = ["etc/hosts", "etc/resolv.conf", "etc/hostname", "bound"];
    for (const name of names) {
      const [before] = await read(id, `/${name}`);
      for (const entry of [
        { name, body: "x" },
        { name, flag: "2", target: "x" },
      ]) {
        const answer = await write(id, "/", [entry]);
        expect([name, answer.status, messageOf(answer)]).toEqual([name, 500, expect.stringMatching(busy)]);
      }
      expect([name, (await read(id, `/${name}`))[0]?.text]).toEqual([name, before?.text]);
    }
    await engine().must(204, "POST", `/containers/${id}/stop`);
    expect((await write(id, "/", [{ name: "bound", body: "x" }])).status).toBe(500);
    await engine().remove(id);
  });

  test("compressed as the client accepts it", async () => {
    const id = await made(true);
    const coded = (coding: string) =>
      engine().must(200, "GET", `/containers/${id}/archive?path=/d/file`, undefined, {
        headers: { "Accept-Encoding": coding },
      });
    const plain = await coded("identity");
    expect(plain.header("content-type")).toBe("application/x-tar");
    expect(plain.header("content-encoding")).toBeNull();
    const zipped = await coded("gzip, deflate");
    expect(zipped.header("content-encoding")).toBe("gzip");
    expect(await readTar(gunzipSync(zipped.body))).toMatchObject([{ text: "one\n" }]);
    const deflated = await coded("gzip;q=0.5, deflate");
    expect(deflated.header("content-encoding")).toBe("deflate");
    const inflate = engine().expected("deflate-form", inflateSync, inflateRawSync);
    expect(await readTar(inflate(deflated.body))).toMatchObject([{ text: "one\n" }]);
    await engine().remove(id);
  });

  test("owned by the container's user on request", async () => {
    const id = await engine().create({ User: "daemon" });
    expect((await write(id, "/tmp", [{ name: "mine", body: "x", uid: 77 }], "&copyUIDGID=1")).status).toBe(200);
    expect(await read(id, "/tmp/mine")).toMatchObject([{ uid: 1, gid: 1 }]);
    expect((await write(id, "/tmp", [{ name: "theirs", body: "x", uid: 77 }])).status).toBe(200);
    expect(await read(id, "/tmp/theirs")).toMatchObject([{ uid: 77, gid: 0 }]);
    await engine().remove(id);
  });

  test("large files, both ways", async () => {
    const id = await made(true);
    const body = Buffer.alloc((3 << 20) + 123);
    for (let at = 0; at < body.length; at += 4)
      body.writeUInt32LE((at * 2654435761) >>> 0, Math.min(at, body.length - 4));
    expect((await write(id, "/d", [{ name: "large", body }])).status).toBe(200);
    const [member] = await read(id, "/d/large");
    expect(Buffer.from(member!.text, "latin1").equals(body)).toBe(true);
    await engine().remove(id);
  });

  async function made(runs: boolean, config: Json = {}): Promise<string> {
    const id = await engine().create({ Cmd: ["sh", "-c", `${SETTING}; sleep ${runs ? 1000 : 0}`], ...config });
    await engine().start(id);
    if (!runs) await engine().wait(id);
    await expect.poll(async () => (await engine().call("HEAD", at(id, "/d/up"))).status).toBe(200);
    await expect.poll(async () => (await stat(id, "/d/file"))["mtime"]).toContain("2020-");
    expect((await write(id, "/d", [{ name: "pipe", flag: "6" }])).status).toBe(200);
    return id;
  }

  function at(id: string, path: string, more = ""): string {
    return `/containers/${id}/archive?path=${encodeURIComponent(path)}${more}`;
  }

  async function stat(id: string, path: string): Promise<Json> {
    const answer = await engine().must(200, "HEAD", at(id, path));
    const text = Buffer.from(answer.header("X-Docker-Container-Path-Stat") ?? "", "base64").toString();
    return JSON.parse(text) as Json;
  }

  async function read(id: string, path: string): Promise<TarMember[]> {
    const headers = { "Accept-Encoding": "identity" };
    return readTar((await engine().must(200, "GET", at(id, path), undefined, { headers })).body);
  }

  function write(id: string, path: string, entries: RawEntry[], more = ""): Promise<RawResponse> {
    return put(id, path, rawTar(entries), more);
  }

  function put(id: string, path: string, body: Uint8Array | undefined, more = ""): Promise<RawResponse> {
    return engine().call("PUT", at(id, path, more), body, { headers: { "Content-Type": "application/x-tar" } });
  }
});

function named(members: TarMember[], name: string): TarMember | undefined {
  return members.find((member) => member.name === name);
}
