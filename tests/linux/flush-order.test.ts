// Nothing is reported before it is on disk: checks the daemon's system calls at work, as recorded by strace.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { dockerArchive, tarOf } from "../support/archives/images.js";
import { describeUnless } from "../support/on-engines.js";
import { readFor } from "../support/processes.js";
import {
  callsIn,
  descriptorOf,
  pathOf,
  straceMissing,
  stringsIn,
  watch,
  type SystemCall,
} from "../support/measured/system-calls.js";

const missing = missingLinux() ?? straceMissing();

const WRITES = ["write", "writev", "sendmsg", "sendto", "pwrite64", "pwritev"];
const READS = ["read", "recvmsg", "recvfrom"];
const FLUSHES = ["fdatasync", "fsync", "syncfs"];
const NAMES = ["rename", "renameat", "renameat2", "linkat", "unlink", "unlinkat"];
const CALLS = [...WRITES, ...READS, ...FLUSHES, ...NAMES];
const CREATES = 24;

/** A request with a unique word in its target, its answer, and the calls in between. */
interface Traced {
  readonly asked: SystemCall;
  readonly answered: SystemCall;
}

describeUnless(missing, "flushes", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;
  let calls: SystemCall[];
  let writtenThrough: Set<number>;
  let logged: string;

  const words = (what: string): string[] => Array.from({ length: CREATES }, (_, at) => `${what}-word-${100 + at}`);

  beforeAll(async () => {
    daemon = await startCoracle();
    engine = new EngineClient(daemon.socketPath);
    const source = await engine.create({}, "?name=source");
    const log = join(daemon.directories.root, "calls");
    writtenThrough = descriptorsWith(daemon.pid(), O_DSYNC);
    const stop = await watch(daemon.pid(), log, CALLS);
    await work(source);
    await stop();
    calls = await callsIn(log);
  });
  afterAll(async () => daemon?.close());

  /** Many at once, so that several share a transaction. */
  async function work(source: string): Promise<void> {
    await Promise.all(words("create").map((word) => engine.create({ Cmd: ["true"] }, `?name=${word}`)));
    await Promise.all(
      words("rename").map((word, at) => {
        return engine.must(204, "POST", `/containers/create-word-${100 + at}/rename?name=${word}`);
      }),
    );
    await Promise.all(words("tag").map((word) => engine.must(201, "POST", `/images/busybox/tag?repo=${word}&tag=1`)));
    await engine.must(
      200,
      "PUT",
      `/containers/${source}/archive?path=/&x=archive-word-100&y`,
      await tarOf([{ name: "file", body: "text of a file" }]),
    );
    const layers = [await tarOf([{ name: "low", body: "low" }]), await tarOf([{ name: "high", body: "high" }])];
    const archive = await dockerArchive([{ reference: "load-word-100:1", config: {}, layers }]);
    await engine.must(200, "POST", "/images/load?quiet=1&x=load-word-100&y", archive);
    await engine.must(201, "POST", `/commit?container=${source}&repo=commit-word-100&tag=1`, {});
    logged = await compressed();
  }

  /** The directory of a container's log after a file became too long and was rotated and compressed. */
  async function compressed(): Promise<string> {
    const LogConfig = { Type: "json-file", Config: { "max-size": "10k", "max-file": "3", compress: "true" } };
    const Cmd = ["sh", "-c", "seq 100000; while :; do echo on; sleep 0.05; done"];
    const id = await engine.create({ Cmd, HostConfig: { LogConfig } });
    await engine.must(204, "POST", `/containers/${id}/start`);
    const directory = join(daemon.directories.dataRoot, "containers", id);
    await until("a compressed file", () => {
      const names = readdirSync(directory);
      return names.some((name) => name.endsWith(".gz") && !names.includes(name.replace(/\.gz$/, "")));
    });
    await engine.must(204, "POST", `/containers/${id}/kill`);
    return directory;
  }

  test.each(["create", "rename", "tag"])("of changes by a %s come before its answer", (what) => {
    for (const word of words(what)) expectFlushed(word, tracedBy(word));
  });

  test("are shared by concurrent requests", () => {
    const transactions = calls.filter((call) => isDatabase(call) && call.name === "fdatasync");
    expect(transactions.length).toBeGreaterThan(0);
    // Three rounds of this many creates: at least two per flush, usually many more.
    expect(transactions.length).toBeLessThan((3 * CREATES) / 2);
  });

  test("of files copied into a container come before the answer", () => {
    const { asked, answered } = tracedBy("archive-word-100");
    const within = calls.filter((call) => call.began > asked.ended && call.ended < answered.began);
    const written = within.find((call) => WRITES.includes(call.name) && says(call, "text of a file"))!;
    const named = within.find((call) => call.name.startsWith("rename") || call.name.startsWith("linkat"));
    const flushed = within.filter(({ name }) => name === "syncfs").at(-1)!;
    expect(flushed.began).toBeGreaterThan(Math.max(written.ended, named?.ended ?? 0));
  });

  test("of an image's layers, and of their names, come before its record", () => {
    const { asked, answered } = tracedBy("commit-word-100");
    const within = calls.filter((call) => call.began > asked.ended && call.ended < answered.began);
    const { dataRoot } = daemon.directories;
    const renamed = within.find(namesLayer)!;
    const filled = within.find(({ name, ended }) => name === "syncfs" && ended < renamed.began);
    const named = within.find((call) => {
      return call.name === "fsync" && pathOf(call) === `${dataRoot}/layers` && call.began > renamed.ended;
    })!;
    const recorded = within.find((call) => isDatabase(call) && says(call, "commit-word-100"))!;
    expect(filled).toBeDefined();
    expect(named.ended).toBeLessThan(recorded.began);
    expectFlushed("commit-word-100", { asked, answered });
  });

  test("of all layers of a loaded image come at once, after its archive is removed and before their names", () => {
    const { asked, answered } = tracedBy("load-word-100");
    const within = calls.filter((call) => call.began > asked.ended && call.ended < answered.began);
    const removed = within.filter((call) => call.name.startsWith("unlink") && textsIn(call)[0]?.endsWith("/layer.tar"));
    const flushed = within.filter(({ name }) => name === "syncfs");
    const named = within.filter(namesLayer);
    expect([removed.length, flushed.length, named.length]).toEqual([2, 1, 2]);
    expect(flushed[0]!.began).toBeGreaterThan(Math.max(...removed.map(({ ended }) => ended)));
    expect(flushed[0]!.ended).toBeLessThan(Math.min(...named.map(({ began }) => began)));
    expectFlushed("load-word-100", { asked, answered });
  });

  test("of a compressed log file and its name come before the original is removed", () => {
    const { renamed, from, to } = replaced(".packing");
    const named = calls.find((call) => {
      return call.name === "fsync" && pathOf(call) === logged && call.began > renamed.ended;
    })!;
    const removed = calls.find((call) => removes(call, to.replace(/\.gz$/, "")))!;
    expect(flushOf(from)).toBeLessThan(renamed.began);
    expect(named.ended).toBeLessThan(removed.began);
  });

  test("of the kept part of a log file come before it replaces the file", () => {
    const { renamed, from } = replaced(".cutting");
    expect(flushOf(from)).toBeLessThan(renamed.began);
  });

  /** Whether a layer gets its name. */
  function namesLayer(call: SystemCall): boolean {
    const { dataRoot } = daemon.directories;
    const [from, to] = call.name.startsWith("rename") ? textsIn(call) : [];
    return from?.startsWith(`${dataRoot}/layers/tmp/`) === true && to?.startsWith(`${dataRoot}/layers/`) === true;
  }

  /** The first log file of such a name that was renamed: one that stayed, because a rotation may remove any other. */
  function replaced(ending: string): { renamed: SystemCall; from: string; to: string } {
    const all = calls.flatMap((renamed) => {
      const [from, to] = renamed.name.startsWith("rename") && renamed.result === 0 ? textsIn(renamed) : [];
      return from?.startsWith(`${logged}/`) && from.endsWith(ending) ? [{ renamed, from, to: to! }] : [];
    });
    const found = all.find(({ to }) => !calls.some((call) => removes(call, to))) ?? all[0];
    if (found === undefined) throw new Error(`no file ${ending} was given another name`);
    return found;
  }

  function removes(call: SystemCall, path: string): boolean {
    return call.name.startsWith("unlink") && textsIn(call)[0] === path;
  }

  /** When it ended. */
  function flushOf(path: string): number {
    const flush = calls.find((call) => FLUSHES.includes(call.name) && call.result === 0 && pathOf(call) === path);
    return flush?.ended ?? Infinity;
  }

  function tracedBy(word: string): Traced {
    const asked = calls.find((call) => READS.includes(call.name) && says(call, `${word}&`, `${word} HTTP`))!;
    const answered = calls.find((call) => {
      const isSame = descriptorOf(call) === descriptorOf(asked) && call.began > asked.ended;
      return isSame && WRITES.includes(call.name) && says(call, "HTTP/1.1 2");
    })!;
    return { asked, answered };
  }

  /**
   * The pages are written, then flushed, then a page that is written through makes them valid, and only then comes the
   * answer.
   */
  function expectFlushed(word: string, { asked, answered }: Traced): void {
    const within = calls.filter((call) => isDatabase(call) && call.began > asked.ended && call.ended < answered.began);
    const written = within.find((call) => WRITES.includes(call.name) && says(call, word));
    const flushed = within.find((call) => call.name === "fdatasync" && call.began > (written?.ended ?? Infinity));
    const valid = within.find((call) => {
      const isAfter = call.name === "pwrite64" && call.began > (flushed?.ended ?? Infinity);
      return isAfter && writtenThrough.has(descriptorOf(call));
    });
    const found = { written: written !== undefined, flushed: flushed !== undefined, valid: valid !== undefined };
    expect([word, found]).toEqual([word, { written: true, flushed: true, valid: true }]);
  }

  function isDatabase(call: SystemCall): boolean {
    return pathOf(call) === join(daemon.directories.dataRoot, "records/data.mdb");
  }
});

function textsIn({ args }: SystemCall): string[] {
  return stringsIn(args).map(String);
}

/** Whether the bytes contain any of the words. */
function says({ args }: SystemCall, ...words: string[]): boolean {
  return stringsIn(args).some((bytes) => words.some((word) => bytes.includes(word)));
}

/** A process's descriptors that were opened with a flag. */
function descriptorsWith(pid: number, flag: number): Set<number> {
  const all = readdirSync(`/proc/${pid}/fdinfo`);
  const flagged = all.filter((fd) => {
    const flags = /^flags:\s+([0-7]+)/m.exec(readFor(pid, `fdinfo/${fd}`))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & flag) !== 0;
  });
  return new Set(flagged.map(Number));
}

/** open(2). */
const O_DSYNC = 0o10000;
