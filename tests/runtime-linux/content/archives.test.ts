// Archives held for the core: their content, and that nothing gets outside. Needs root.

import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { registryClient } from "../../../hosts/registry/client.js";
import { linuxContent } from "../../../runtime-linux/content.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { FORMS } from "../../support/archives/sparse-tar.js";
import { ROOMY, rawTar, zstdStored } from "../../support/archives/tar.js";
import { failed, missing, openFixture, tree, type Fixture } from "./content-fixture.js";
import { describeUnless } from "../../support/on-engines.js";

const LIMIT = 4 << 20;

let fixture: Fixture;
beforeEach(() => {
  fixture = openFixture();
});
afterEach(() => fixture.close());

describeUnless(missing, "an archive", () => {
  const tar = rawTar([
    { name: "./manifest.json", body: "[]" },
    { name: "ONE/", flag: "5" },
    { name: "ONE/layer.tar", body: "layer" },
    { name: "TWO/layer.tar", flag: "2", target: "../ONE/layer.tar" },
    { name: "same", flag: "1", target: "ONE/layer.tar" },
    { name: "dead", flag: "2", target: "nowhere" },
    { name: "out", flag: "2", target: "/etc/passwd" },
    { name: "up", flag: "2", target: "../../../../../../../etc/passwd" },
    { name: "null", flag: "3", major: 1, minor: 3 },
  ]);

  test.each([
    ["plain", tar],
    ["gzip", gzipSync(tar)],
    ["zstd", zstdStored(tar)],
  ])("reports its files, and links to them: %s", async (_, body) => {
    expect(await fixture.ingest("a", body)).toEqual([
      { path: "ONE/layer.tar", size: 5n },
      { path: "TWO/layer.tar", size: 5n },
      { path: "manifest.json", size: 2n },
      { path: "same", size: 5n },
    ]);
    for (const path of ["TWO/layer.tar", "same", "/ONE/../ONE/layer.tar"]) {
      expect(await read("a", path)).toBe("layer");
    }
  });

  test("may have bytes up to the limit of the command, once it is decompressed", async () => {
    const body = gzipSync(rawTar([{ name: "f", body: "a".repeat(60_000) }]));
    const unpacked = 512n + 60_416n + 1024n;
    expect(await fixture.ingest("a", body, { ...ROOMY, unpacked })).toEqual([{ path: "f", size: 60_000n }]);
    const tooMuch = { tag: "too-large", val: { what: "unpacked", name: "", limit: unpacked - 1n } };
    expect(await failed(fixture.ingest("b", body, { ...ROOMY, unpacked: unpacked - 1n }))).toEqual(tooMuch);
  });

  test("may have holes up to the limit of the command", async () => {
    const body = rawTar([FORMS["1.0"]!({ name: "holes", parts: [[4096, 3]], size: 4099, body: "abc" })]);
    expect(await fixture.ingest("a", body, { ...ROOMY, holes: 4096n })).toEqual([{ path: "holes", size: 4099n }]);
    const tooMany = { tag: "too-large", val: { what: "holes", name: "", limit: 4095n } };
    expect(await failed(fixture.ingest("b", body, { ...ROOMY, holes: 4095n }))).toEqual(tooMany);
  });

  test("keeps the length of a file with holes, including one at its end", async () => {
    const sparse = { parts: [[4096, 3], [9000, 0]], size: 1 << 20, body: "abc" } as const; // prettier-ignore
    const entries = Object.entries(FORMS).map(([form, entry]) => entry({ ...sparse, name: form }));
    const files = await fixture.ingest("a", rawTar([...entries, { name: "plain", body: "x" }]));
    const size = BigInt(sparse.size);
    expect(files).toEqual([
      ...Object.keys(FORMS)
        .sort()
        .map((path) => ({ path, size })),
      { path: "plain", size: 1n },
    ]);
    for (const form of Object.keys(FORMS)) expect((await read("a", form)).replaceAll("\0", "")).toBe("abc");
  });

  test("can be dropped, even if a path in it is too long under its new name", async () => {
    const draft = fixture.paths.archives("draft-123456").length;
    // It must not end in a slash, as a directory's path does, however long this machine's part of it is.
    const path = `${`${"d".repeat(200)}/`.repeat(20).slice(0, 4089 - draft)}d`;
    const archive = "a".repeat(60);
    await fixture.ingest(archive, rawTar([{ name: "long", body: "x", pax: { path } }]));
    await fixture.perform({ tag: "drop-archive", val: archive });
    expect(existsSync(fixture.paths.archives(`archive-${archive}`))).toBe(false);
  });

  test("does not reveal files outside", async () => {
    await fixture.ingest("a", tar);
    for (const path of ["out", "up", "../../../etc/passwd", "dead", "nothing", "null"]) {
      const { tag } = await failed(read("a", path));
      expect(["no-such", "wrong-kind", "faulty-name"]).toContain(tag);
    }
    expect((await failed(read("a", "ONE"))).tag).toBe("wrong-kind");
    expect((await failed(read("b", "same"))).tag).toBe("no-such");
  });

  test("keeps names with .. inside, also through links", async () => {
    const body = rawTar([
      { name: "../one", body: "1" },
      { name: "a/../../../two", body: "22" },
      { name: "out", flag: "2", target: "../../.." },
      { name: "out/three", body: "333" },
      { name: "four", flag: "1", target: "../../three" },
    ]);
    const files = await fixture.ingest("a", body);
    expect(files.map(({ path, size }) => `${path} ${size}`)).toEqual(["four 3", "one 1", "three 3", "two 2"]);
    expect(readdirSync(fixture.paths.archives())).toEqual(["archive-a"]);
    expect(readdirSync(fixture.paths.archives("archive-a")).sort()).toEqual(["four", "one", "out", "three", "two"]);
  });

  test.each([
    ["a hard link to a file outside", rawTar([{ name: "x", flag: "1", target: "/etc/passwd" }])],
    ["a file through a loop", rawTar([{ name: "l", flag: "2", target: "l" }, { name: "l/x", body: "" }])], // prettier-ignore
    ["half a file", tar.subarray(0, 600)],
    ["junk", Buffer.alloc(4096, "junk")],
  ])("with %s is refused, and nothing stays", async (_, body) => {
    const { tag } = await failed(fixture.ingest("a", body));
    expect(["faulty-name", "damaged"]).toContain(tag);
    expect(tree(fixture.paths.archives())).toEqual([]);
  });

  test("whose client leaves is interrupted", async () => {
    async function* body(): AsyncGenerator<Uint8Array> {
      yield tar.subarray(0, 700);
      throw new Error("aborted");
    }
    expect(await failed(fixture.ingest("a", body()))).toEqual({ tag: "interrupted", val: "client-gone" });
    expect(tree(fixture.paths.archives())).toEqual([]);
  });

  test.each([
    ["plain", tar.subarray(0, 700)],
    ["gzip", gzipSync(tar).subarray(0, 20)],
  ])("whose client goes silent can be abandoned: %s", async (_, begun) => {
    let waits = (): void => {};
    const waiting = new Promise<void>((resolve) => (waits = resolve));
    async function* body(): AsyncGenerator<Uint8Array> {
      yield begun;
      waits();
      await new Promise(() => {});
    }
    const op = 4711n;
    const bodies = {
      take: () => body(),
      session: () => body(),
      upload: () => body(),
      credentials: () => Promise.reject(new Error("no session")),
      secret: () => Promise.reject(new Error("no session")),
      deliver: () => Promise.reject(new Error("no session")),
      agent: () => Promise.reject(new Error("no session")),
      document: () => Promise.reject(new Error("no session")),
      blob: () => body(),
      give: () => Promise.reject(new Error("no session")),
    };
    const log = (): Promise<never> => Promise.reject(new Error("no container has a log"));
    const registry = registryClient();
    const { perform } = linuxContent({ paths: fixture.paths, kernel: libc, bodies, registry, log });
    const val = { archive: "a", request: 1n, limits: ROOMY };
    const ingesting = failed(perform(op, { tag: "ingest", val }, () => {}));
    await waiting;
    await perform(0n, { tag: "abandon", val: op }, () => {});
    expect(await ingesting).toEqual({ tag: "interrupted", val: "given-up" });
    expect(tree(fixture.paths.archives())).toEqual([]);
  });

  test("may be empty, can be dropped repeatedly, and returns only small members", async () => {
    expect(await fixture.ingest("empty", Buffer.alloc(0))).toEqual([]);
    await fixture.ingest("big", rawTar([{ name: "big", body: Buffer.alloc(LIMIT + 1) }]));
    expect(await failed(read("big", "big"))).toEqual({
      tag: "too-large",
      val: { what: "member", name: "big", limit: BigInt(LIMIT) },
    });
    for (const _ of [1, 2]) await fixture.perform({ tag: "drop-archive", val: "big" });
    expect(existsSync(fixture.paths.archives("archive-big"))).toBe(false);
    writeFileSync(join(fixture.paths.archives("archive-empty"), "late"), "x");
    expect(await read("empty", "late")).toBe("x");
  });
});

async function read(archive: string, path: string): Promise<string> {
  const outcome = await fixture.perform({ tag: "read", val: { archive, path, limit: LIMIT } });
  return outcome.tag === "bytes" ? Buffer.from(outcome.val).toString() : outcome.tag;
}
