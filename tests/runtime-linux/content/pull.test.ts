// Layers from a registry: what is checked, stored and shared, and that nothing incomplete stays. Needs root.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { content } from "../../../hosts/shared/host.js";
import { errors, json, repository, startFake, type Fake } from "../../registry/fake.js";
import { until } from "../../support/commands.js";
import { digestOf } from "../../support/registry/push-image.js";
import { ROOMY, rawTar } from "../../support/archives/tar.js";
import { chainOf, failed, missing, openFixture, tree, type Fixture, type Told } from "./content-fixture.js";
import { describeUnless } from "../../support/on-engines.js";

let fixture: Fixture;
let registry: Fake;
/** How a blob is sent, by its digest. */
let blobs: Map<string, Send>;

beforeEach(async () => {
  blobs = new Map();
  fixture = openFixture();
  registry = await startFake(({ path, headers }, response) => {
    if (path === "/v2/") return json(response, 200, {});
    const send = blobs.get(path.slice(path.lastIndexOf("/") + 1));
    if (send) send(response, offsetIn(headers.range));
    else json(response, 404, errors("BLOB_UNKNOWN", "blob unknown to registry"));
  });
});
afterEach(async () => {
  await registry.close();
  fixture.close();
});

describeUnless(missing, "a layer from a registry", () => {
  test("is unpacked, its blob is kept, its progress is reported in order, and it is never fetched again", async () => {
    const { command, blob } = push(rawTar([{ name: "file", body: "x".repeat(100_000) }]));
    const told: Told[] = [];
    expect(await fixture.perform({ tag: "layer", val: command }, told)).toEqual({ tag: "size", val: 100_000n });
    expect(readFileSync(join(fixture.diff(command.chain), "file"), "utf8")).toHaveLength(100_000);
    expect(readFileSync(keptBlob(blob))).toEqual(blob);
    const phases = told.map(({ phase }) => phase).filter((phase, index, all) => phase !== all[index - 1]);
    expect(phases).toEqual(["downloading", "verifying", "downloaded", "extracting"]);
    expect(told.at(-1)).toEqual({ phase: "extracting", current: blob.length, total: blob.length });
    expect(await fixture.perform({ tag: "layer", val: command })).toEqual({ tag: "size", val: 100_000n });
    expect(fetches()).toBe(1);
    expect(fixture.content.chains()).toEqual([command.chain]);
  });

  test("gets its tar from its blob, even without notes about the tar", async () => {
    const tar = rawTar([{ name: "file", body: "x".repeat(1_000_000) }]);
    const { command } = push(tar);
    const measured = (): Promise<unknown> =>
      fixture.perform({ tag: "measure-tar", val: { chain: command.chain, verify: false } });
    await fixture.perform({ tag: "layer", val: command });
    expect(await measured()).toEqual({ tag: "size", val: BigInt(tar.length) });
    const note = join(fixture.diff(command.chain), "../layer.json");
    const { tar: _, ...before } = JSON.parse(readFileSync(note, "utf8")) as { tar: unknown };
    writeFileSync(note, JSON.stringify(before));
    fixture = openFixture(fixture.root);
    expect(await measured()).toEqual({ tag: "size", val: BigInt(tar.length) });
    const pieces: Uint8Array[] = [];
    const content = { tag: "layer" as const, val: command.chain };
    for await (const piece of fixture.content.saved([{ name: "layer.tar", content }])) pieces.push(Buffer.from(piece));
    expect(digestOf(Buffer.concat(pieces).subarray(512, 512 + tar.length))).toBe(command.diffId);
  });

  test("a stored blob is not fetched for another chain either, and is removed with the last of its layers", async () => {
    const tar = rawTar([{ name: "file", body: "x" }]);
    const { command, blob } = push(tar);
    const again = { ...command, parent: command.chain, chain: chainOf(command.diffId, command.chain) };
    await fixture.perform({ tag: "layer", val: command });
    await fixture.perform({ tag: "layer", val: again });
    expect(fetches()).toBe(1);
    await fixture.perform({ tag: "drop-chain", val: again.chain });
    expect(existsSync(keptBlob(blob))).toBe(true);
    for (const _ of [1, 2]) await fixture.perform({ tag: "drop-chain", val: command.chain });
    expect(existsSync(keptBlob(blob))).toBe(false);
    expect(fixture.content.chains()).toEqual([]);
    expect(tree(fixture.paths.layers())).toEqual(["tmp"]);
  });

  test("whose stored blob is damaged is fetched again, and the blob is whole then", async () => {
    const tar = rawTar([{ name: "file", body: "x" }]);
    const { command, blob } = push(tar);
    const again = { ...command, parent: command.chain, chain: chainOf(command.diffId, command.chain) };
    await fixture.perform({ tag: "layer", val: command });
    writeFileSync(keptBlob(blob), Buffer.from(blob).fill(0, 20, 40));
    expect(await fixture.perform({ tag: "layer", val: again })).toEqual({ tag: "size", val: 1n });
    expect(fetches()).toBe(2);
    expect(readFileSync(keptBlob(blob))).toEqual(blob);
  });

  test("requested twice at once is fetched once, for both", async () => {
    const { command } = push(rawTar([{ name: "file", body: "x" }]));
    const [first, second]: [Told[], Told[]] = [[], []];
    const outcomes = await Promise.all([
      fixture.perform({ tag: "layer", val: command }, first),
      fixture.perform({ tag: "layer", val: command }, second),
    ]);
    expect(outcomes).toEqual([
      { tag: "size", val: 1n },
      { tag: "size", val: 1n },
    ]);
    expect(fetches()).toBe(1);
    expect(second).toEqual(first);
  });

  test("is unpacked in parallel to its parent, even if it waits for a file of it", async () => {
    const below = push(rawTar([{ name: "file", body: "lower" }]));
    const above = push(rawTar([{ name: "new", flag: "1", target: "file" }]), below.command.chain);
    const send = blobs.get(below.command.source.val.digest)!;
    blobs.set(below.command.source.val.digest, (response) => setTimeout(() => send(response, 0), 200));
    await Promise.all([below, above].map(({ command }) => fixture.perform({ tag: "layer", val: command })));
    expect(readFileSync(join(fixture.diff(above.command.chain), "new"), "utf8")).toBe("lower");
  });

  test("waits for a layer further down, too, if it needs a file of it", async () => {
    const low = push(rawTar([{ name: "file", body: "lower" }]));
    const middle = push(rawTar([{ name: "other", body: "x" }]), low.command.chain);
    const top = push(rawTar([{ name: "new", flag: "1", target: "file" }]), middle.command.chain);
    const send = blobs.get(low.command.source.val.digest)!;
    blobs.set(low.command.source.val.digest, (response) => setTimeout(() => send(response, 0), 200));
    await Promise.all([low, middle, top].map(({ command }) => fixture.perform({ tag: "layer", val: command })));
    expect(readFileSync(join(fixture.diff(top.command.chain), "new"), "utf8")).toBe("lower");
  });

  test.each<[string, (pushed: Pushed) => void, Record<string, unknown>]>([
    [
      "other bytes",
      ({ command, blob }) => blobs.set(command.source.val.digest, sending(Buffer.from(blob).fill(0, 20, 40))),
      { tag: "mismatch", val: { what: "blob" } },
    ],
    [
      "no gzip at all",
      ({ command, blob }) => blobs.set(command.source.val.digest, sending(Buffer.alloc(blob.length, "junk"))),
      { tag: "mismatch", val: { what: "blob" } },
    ],
    [
      "too much",
      ({ command, blob }) => blobs.set(command.source.val.digest, sending(Buffer.concat([blob, blob]))),
      { tag: "mismatch", val: { what: "blob" } },
    ],
    [
      "a complete one, shorter than announced",
      ({ command }) => void (command.source.val.size += 1n),
      { tag: "mismatch", val: { what: "blob" } },
    ],
    [
      "nothing",
      ({ command }) => blobs.delete(command.source.val.digest),
      { tag: "registry-answer", val: { status: 404, errors: [{ code: "BLOB_UNKNOWN" }] } },
    ],
    [
      "a different tar than the image's",
      ({ command }) => (command.diffId = digestOf(Buffer.from("other"))),
      { tag: "mismatch", val: { what: "diff-id" } },
    ],
  ])("that sends %s leaves nothing", async (_, spoil, expected) => {
    const pushed = push(MANY);
    spoil(pushed);
    const failure = await failed(fixture.perform({ tag: "layer", val: pushed.command }));
    expect(failure).toMatchObject(expected);
    expect(tree(fixture.paths.layers())).toEqual(["tmp"]);
    expect(existsSync(keptBlob(pushed.blob))).toBe(false);
  });

  test.each<[string, (blob: Buffer) => Send, object]>([
    ["too little", (blob) => sending(blob.subarray(0, 60)), { tag: "cut-short", val: { what: "blob" } }],
    ["a body that breaks off", breaking, { tag: "cut-short", val: { what: "answer" } }],
    ["half a body and silence", silent, { tag: "exchange", val: { why: { tag: "timeout" } } }],
  ])("that sends %s continues where it stopped when it is requested again", async (_, send, expected) => {
    const { command, blob } = push(MANY);
    const { digest } = command.source.val;
    const whole = blobs.get(digest)!;
    blobs.set(digest, send(blob));
    const failure = await failed(fixture.perform({ tag: "layer", val: command }));
    expect(failure).toMatchObject(expected);
    const kept = rest();
    expect(kept).toEqual(blob.subarray(0, kept.length));
    // A registry without an answer removes nothing.
    blobs.set(digest, (response) => json(response, 503, {}));
    const refused = await failed(fixture.perform({ tag: "layer", val: command }));
    expect(refused).toMatchObject({ tag: "registry-answer", val: { status: 503 } });
    blobs.set(digest, (response, from) => {
      expect(from).toBe(kept.length);
      whole(response, from);
    });
    expect(await fixture.perform({ tag: "layer", val: command })).toMatchObject({ tag: "size" });
    expect(readFileSync(join(fixture.diff(command.chain), "file"), "utf8")).toBe(NUMBERS);
    expect(readFileSync(keptBlob(blob))).toEqual(blob);
    expect(tree(fixture.paths.layers("tmp"))).toEqual([]);
  });

  test("that sends too little repeatedly grows each time", async () => {
    const { command, blob } = push(MANY);
    const { digest } = command.source.val;
    for (let end = 1; end < blob.length; end *= 2) {
      blobs.set(digest, (response, from) => {
        begin(response, blob, from, end).end(blob.subarray(from, end));
      });
      expect((await failed(fixture.perform({ tag: "layer", val: command }))).tag).toBe("cut-short");
      expect(rest()).toEqual(blob.subarray(0, end));
    }
    blobs.set(digest, sending(blob));
    await fixture.perform({ tag: "layer", val: command });
    expect(readFileSync(join(fixture.diff(command.chain), "file"), "utf8")).toBe(NUMBERS);
  });

  test("that broke off starts again if the registry gives no parts, or parts that do not fit", async () => {
    const { command, blob } = push(MANY);
    const { digest } = command.source.val;
    blobs.set(digest, sending(Buffer.from(blob).fill(0, 20, 40).subarray(0, 60)));
    await failed(fixture.perform({ tag: "layer", val: command }));
    blobs.set(digest, sending(blob));
    expect((await failed(fixture.perform({ tag: "layer", val: command }))).tag).toBe("mismatch");
    expect(tree(fixture.paths.layers())).toEqual(["tmp"]);
    blobs.set(digest, sending(blob.subarray(0, 60)));
    await failed(fixture.perform({ tag: "layer", val: command }));
    blobs.set(digest, (response) => sending(blob)(response, 0));
    await fixture.perform({ tag: "layer", val: command });
    expect(readFileSync(keptBlob(blob))).toEqual(blob);
    expect(tree(fixture.paths.layers("tmp"))).toEqual([]);
  });

  test("that broke off, and then has different bytes, discards the first part", async () => {
    const { command, blob } = push(MANY);
    blobs.set(command.source.val.digest, sending(blob.subarray(0, 60)));
    await failed(fixture.perform({ tag: "layer", val: command }));
    expect(await fixture.layer(MANY)).toBe(command.chain);
    expect(tree(fixture.paths.layers("tmp"))).toEqual([]);
  });

  test("that is requested while it is dropped is fetched again", async () => {
    const { command } = push(MANY);
    const dropped = (): Promise<unknown> => fixture.perform({ tag: "drop-chain", val: command.chain });
    await fixture.perform({ tag: "layer", val: command });
    await Promise.all([dropped(), dropped(), fixture.perform({ tag: "layer", val: command })]);
    expect(readFileSync(join(fixture.diff(command.chain), "file"), "utf8")).toBe(NUMBERS);
    expect(fixture.content.chains()).toEqual([command.chain]);
  });

  test("that broke off can be dropped", async () => {
    const { command, blob } = push(MANY);
    blobs.set(command.source.val.digest, sending(blob.subarray(0, 60)));
    await failed(fixture.perform({ tag: "layer", val: command }));
    expect(rest()).toHaveLength(60);
    await fixture.perform({ tag: "drop-chain", val: command.chain });
    expect(tree(fixture.paths.layers())).toEqual(["tmp"]);
  });

  test("that is abandoned goes on where it was when it is requested again", async () => {
    const pushed = push(rawTar([{ name: "file", body: "x" }]));
    const whole = blobs.get(pushed.command.source.val.digest)!;
    blobs.set(pushed.command.source.val.digest, silent(pushed.blob));
    const given = failed(fixture.perform({ tag: "layer", val: pushed.command }, [], 700n));
    await until("the download", () => existsSync(fixture.paths.layers("tmp")) && rest().length > 0);
    const froms: number[] = [];
    blobs.set(pushed.command.source.val.digest, (response, from) => {
      froms.push(from);
      whole(response, from);
    });
    await fixture.perform({ tag: "abandon", val: 700n });
    const again = fixture.perform({ tag: "layer", val: pushed.command });
    expect(await given).toEqual({ tag: "interrupted", val: "given-up" });
    expect(await again).toEqual({ tag: "size", val: 1n });
    expect(froms).toEqual([halfOf(pushed.blob).length]);
    expect(tree(fixture.paths.layers("tmp"))).toEqual([]);
  });

  test("abandoned by one request continues for another", async () => {
    const pushed = push(rawTar([{ name: "file", body: "x" }]));
    const send = blobs.get(pushed.command.source.val.digest)!;
    blobs.set(pushed.command.source.val.digest, (response) => setTimeout(() => send(response, 0), 200));
    const first = failed(fixture.perform({ tag: "layer", val: pushed.command }, [], 700n));
    const second = fixture.perform({ tag: "layer", val: pushed.command });
    await fixture.perform({ tag: "abandon", val: 700n });
    expect(await first).toEqual({ tag: "interrupted", val: "given-up" });
    expect(await second).toEqual({ tag: "size", val: 1n });
    expect(fetches()).toBe(1);
  });

  test("that a dead engine had begun goes on where it was, and its beginning stays until then", async () => {
    const { command, blob } = push(MANY);
    const { digest } = command.source.val;
    blobs.set(digest, sending(blob.subarray(0, 60)));
    const before = BigInt(Date.now()) * 1_000_000n;
    await failed(fixture.perform({ tag: "layer", val: command }));
    writeFileSync(fixture.paths.layers("tmp", `rest-${"0".repeat(64)}-${"1".repeat(64)}`), "");
    fixture = openFixture(fixture.root);
    await fixture.content.sweep();
    const [found, ...others] = fixture.content.rests();
    expect([found?.chain, others]).toEqual([command.chain, []]);
    // The clock of files is coarser than the one of processes.
    expect(Number(found!.at - before)).toBeGreaterThan(-1e8);
    blobs.set(digest, (response, from) => {
      expect(from).toBe(60);
      sending(blob)(response, from);
    });
    await fixture.perform({ tag: "layer", val: command });
    expect(readFileSync(join(fixture.diff(command.chain), "file"), "utf8")).toBe(NUMBERS);
    // A crash after the layer is complete leaves a beginning that nobody needs.
    writeFileSync(fixture.paths.layers("tmp", `rest-${command.chain.slice(7)}-${"1".repeat(64)}`), "x");
    expect(fixture.content.rests()).toEqual([]);
    fixture = openFixture(fixture.root);
    await fixture.content.sweep();
    expect(tree(fixture.paths.layers("tmp"))).toEqual([`rest-${"0".repeat(64)}-${"1".repeat(64)}`]);
    await fixture.perform({ tag: "drop-chain", val: `sha256:${"0".repeat(64)}` });
    expect(tree(fixture.paths.layers("tmp"))).toEqual([]);
  });

  test.each(["sha384", "sha512"])(
    "by its %s goes on after the engine's death, and is swept and dropped like others",
    async (name) => {
      const { command, blob } = push(MANY);
      const hex = createHash(name).update(blob).digest("hex");
      const digest = `${name}:${hex}`;
      command.source.val.digest = digest;
      blobs.set(digest, sending(blob.subarray(0, 60)));
      await failed(fixture.perform({ tag: "layer", val: command }));
      fixture = openFixture(fixture.root);
      await fixture.content.sweep();
      expect(fixture.content.rests().map(({ chain }) => chain)).toEqual([command.chain]);
      blobs.set(digest, (response, from) => {
        expect(from).toBe(60);
        sending(blob)(response, from);
      });
      await fixture.perform({ tag: "layer", val: command });
      expect(readFileSync(fixture.paths.blobs(name, hex))).toEqual(blob);
      expect(tree(fixture.paths.layers("tmp"))).toEqual([]);
      writeFileSync(fixture.paths.blobs(name, "0".repeat(hex.length)), "");
      fixture = openFixture(fixture.root);
      await fixture.content.sweep();
      expect(fixture.content.chains()).toEqual([command.chain]);
      expect(tree(fixture.paths.blobs(name))).toEqual([hex]);
      await fixture.perform({ tag: "drop-chain", val: command.chain });
      expect(tree(fixture.paths.blobs(name))).toEqual([]);
    },
  );

  test.each([0, 20])("that had arrived completely is fetched again only if bytes are wrong: %i", async (wrong) => {
    const { command, blob } = push(MANY);
    const file = fixture.paths.layers("tmp", `rest-${command.chain.slice(7)}-${digestOf(blob).slice(7)}`);
    mkdirSync(fixture.paths.layers("tmp"), { recursive: true });
    writeFileSync(file, Buffer.from(blob).fill(0, 20, 20 + wrong));
    await fixture.perform({ tag: "layer", val: command });
    expect(existsSync(file)).toBe(false);
    expect(fetches()).toBe(wrong === 0 ? 0 : 1);
    expect(readFileSync(keptBlob(blob))).toEqual(blob);
    expect(readFileSync(join(fixture.diff(command.chain), "file"), "utf8")).toBe(NUMBERS);
  });

  test("cut off by a crash is swept away, and so is a blob without a layer", async () => {
    const { command } = push(rawTar([{ name: "file", body: "x" }]));
    await fixture.perform({ tag: "layer", val: command });
    mkdirSync(fixture.paths.layers("tmp", "draft-dead", "diff"), { recursive: true });
    mkdirSync(fixture.paths.layers("0".repeat(64), "diff"), { recursive: true });
    writeFileSync(fixture.paths.blobs("sha256", "0".repeat(64)), "");
    mkdirSync(fixture.paths.archives("draft-dead"), { recursive: true });
    await fixture.content.sweep();
    expect(fixture.content.chains()).toEqual([command.chain]);
    expect(existsSync(fixture.paths.layers("tmp"))).toBe(false);
    expect(existsSync(fixture.paths.archives())).toBe(false);
    expect(tree(fixture.paths.blobs("sha256"))).toEqual([command.source.val.digest.slice(7)]);
  });
});

describeUnless(missing, "a full disk", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "coracle-full-"));
    fixture.close();
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", root]);
    fixture = openFixture(join(root, "engine"));
  });
  afterEach(() => {
    execFileSync("umount", [root]);
    rmSync(root, { recursive: true });
  });

  test.each([
    ["one large file", [{ name: "big", body: Buffer.alloc(4 << 20, "x") }]],
    ["many small files", Array.from({ length: 2000 }, (_, n) => ({ name: `f${n}`, body: Buffer.alloc(2048, "x") }))],
  ])("is full, names the file, and leaves nothing: %s", async (_, entries) => {
    const { command } = push(rawTar(entries));
    const failure = await failed(fixture.perform({ tag: "layer", val: command }));
    const path = expect.stringMatching(/^\/(big|f\d+)$/) as string;
    expect(failure).toEqual({ tag: "call", val: { call: "write", path, inside: true, error: "ENOSPC" } });
    expect(tree(fixture.paths.layers())).toEqual(["tmp"]);
  });
});

/** Text that is not tiny after compression. */
const NUMBERS = Array.from({ length: 2000 }, (_, n) => String(n * n)).join();
const MANY = rawTar([{ name: "file", body: NUMBERS }]);

/** Sends a blob from an offset on. */
type Send = (response: ServerResponse, from: number) => void;

interface Pushed {
  command: content.Layer & { source: { tag: "registry"; val: content.RegistryBlob } };
  blob: Buffer;
}

/** A layer in the registry, and the command for it. */
function push(tar: Buffer, parent?: string): Pushed {
  const blob = gzipSync(tar);
  const digest = digestOf(blob);
  const diffId = digestOf(tar);
  blobs.set(digest, sending(blob));
  const val = { from: repository(registry), digest, size: BigInt(blob.length) };
  const chain = chainOf(diffId, parent);
  const source = { tag: "registry" as const, val };
  return {
    blob,
    command: {
      chain,
      diffId,
      source,
      limits: ROOMY,
      anew: false,
      unflushed: false,
      ...(parent === undefined ? {} : { parent }),
    },
  };
}

function sending(bytes: Buffer): Send {
  return (response, from) => void begin(response, bytes, from, bytes.length).end(bytes.subarray(from));
}

function breaking(bytes: Buffer): Send {
  return (response, from) => {
    begin(response, bytes, from, bytes.length).write(halfOf(bytes.subarray(from)));
    setTimeout(() => response.destroy(), 20);
  };
}

function silent(bytes: Buffer): Send {
  return (response, from) => void begin(response, bytes, from, bytes.length).write(halfOf(bytes.subarray(from)));
}

function begin(response: ServerResponse, bytes: Buffer, from: number, end: number): ServerResponse {
  const part = from === 0 ? {} : { "content-range": `bytes ${from}-${end - 1}/${bytes.length}` };
  return response.writeHead(from === 0 ? 200 : 206, { "content-length": end - from, ...part });
}

function halfOf(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.length / 2);
}

/** The start of the requested range. */
function offsetIn(range: string | undefined): number {
  return Number(/^bytes=(\d+)-$/.exec(range ?? "")?.[1] ?? 0);
}

function keptBlob(blob: Buffer): string {
  return fixture.paths.blobs("sha256", digestOf(blob).slice("sha256:".length));
}

/** The stored beginning of the interrupted blob; empty if there is none. */
function rest(): Buffer {
  const name = tree(fixture.paths.layers("tmp")).find((one) => one.startsWith("rest-"));
  return name === undefined ? Buffer.alloc(0) : readFileSync(fixture.paths.layers("tmp", name));
}

function fetches(): number {
  return registry.asked.filter(({ path }) => path.includes("/blobs/")).length;
}
