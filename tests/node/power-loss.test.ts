// Power loss while records are written: replays the writes of a real run, as recorded by strace, up to a moment.
// Unflushed sectors are on disk only in part. Then the database is opened: everything reported as kept must be there,
// and of the pending transaction all or nothing. `CORACLE_TEST_POWER_LOSSES` sets the number of transactions,
// `CORACLE_TEST_POWER_LOSS_SEED` the seed, which a run prints.
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { must, run } from "../support/commands.js";
import { programOf } from "../support/program.js";
import { randomFrom } from "../support/random.js";
import {
  callsIn,
  pathOf,
  straceMissing,
  stringsIn,
  watched,
  type SystemCall,
} from "../support/measured/system-calls.js";
import { Disk } from "./power-loss/disk.js";
import { foundIn } from "./power-loss/found.js";
import { states } from "./power-loss/transactions.js";

const missing = straceMissing();
const COUNT = Number(process.env["CORACLE_TEST_POWER_LOSSES"] ?? 40);
const SEED = Number(process.env["CORACLE_TEST_POWER_LOSS_SEED"] ?? Date.now() % 1_000_000);
const LIMIT_MS = 60_000 + COUNT * 5_000;
/** How many power losses are tried at each moment, each time with other sectors on the disk. */
const LOSSES = 4;
/** Enough transactions to detect a faulty disk. */
const FEW = 5;
const CALLS = "openat,lseek,pwrite64,writev,pwritev,write,fdatasync,fsync,msync,rename,ftruncate,fallocate".split(",");
const DATABASE = "data.mdb";
const READER = programOf(new URL("power-loss/reader.ts", import.meta.url));

// The database is written in a place that may be slow, and opened many times in a fast one.
const scratch = mkdtempSync(join(tmpdir(), "coracle-power-loss-"));
const fast = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "coracle-power-loss-"));
afterAll(() => rm(fast, { recursive: true }));
afterAll(() => rm(scratch, { recursive: true }));

/** When a disk flushes: at once; or, for faulty disks, never, at the next flush, or the latest write first. */
type Flushing = "as it is told" | "never" | "late" | "out of order";

/** A moment at which the power may fail, and what was begun and reported before. */
interface Moment {
  readonly what: string;
  readonly begun: number;
  readonly told: number;
}

test(
  "everything reported as kept is there after a power loss at any moment",
  { timeout: LIMIT_MS, retry: 0 },
  async ({ skip }) => {
    if (missing !== null) skip(missing);
    console.log(`power losses: seed ${SEED}`);
    const calls = await callsOf(join(scratch, "records"));
    let losses = 0;
    for await (const { told, isKept } of afterLosses(calls, COUNT, "as it is told")) {
      expect(isKept, told).toBe(true);
      losses += 1;
    }
    expect(losses).toBeGreaterThan(COUNT * LOSSES);
  },
);

test("the file's name is on disk before anything is reported", async ({ skip }) => {
  if (missing !== null) skip(missing);
  const directory = join(scratch, "named");
  const calls = await callsOf(directory, 1);
  const named = calls.findLast(({ name }) => name === "rename");
  const first = calls.find((call) => call.name === "write" && String(stringsIn(call.args)[0]).startsWith("kept"));
  for (let above = directory; above !== "/"; above = dirname(above)) {
    const synced = calls.find((call) => call.name === "fsync" && pathOf(call) === above && call.began > named!.ended);
    expect([above, synced !== undefined && synced.ended < first!.began]).toEqual([above, true]);
  }
});

test.for([
  ["never flushes", "never"],
  ["flushes what it was told to only the next time", "late"],
  ["makes valid what is not flushed yet", "out of order"],
] as const)("a disk that %s is detected", { timeout: LIMIT_MS }, async ([, flushing], { skip }) => {
  if (missing !== null) skip(missing);
  const calls = await callsOf(join(scratch, flushing.replaceAll(" ", "-")), FEW);
  expect(await firstLost(calls, flushing)).toContain('"told":');
});

/** The first loss of something that was reported as kept. */
async function firstLost(calls: readonly SystemCall[], flushing: Flushing): Promise<string | null> {
  for await (const { told, isKept } of afterLosses(calls, FEW, flushing)) if (!isKept) return told;
  return null;
}

/** Tries power losses at each moment several times: everything reported must be there, and no half of anything else. */
async function* afterLosses(
  calls: readonly SystemCall[],
  count: number,
  flushing: Flushing,
): AsyncGenerator<{ told: string; isKept: boolean }> {
  const random = randomFrom(SEED);
  const expected = firstOf(states(SEED), count + 1);
  const isTrusted = flushing === "as it is told";
  for (const [disk, moment] of moments(calls, flushing)) {
    // On a faulty disk unflushed writes are lost, and only reported transactions are checked.
    if (!isTrusted && moment.told === 0) continue;
    for (let loss = 0; loss < (isTrusted && disk.unflushed > 0 ? LOSSES : 1); loss += 1) {
      const file = disk.afterLoss(loss === 0 ? () => 0 : (writes) => random(writes + 1));
      const possible = expected.slice(moment.told, moment.begun + 1);
      const found = await opened(file, isTrusted);
      const told = `${JSON.stringify(moment)}, loss ${loss}, of a database of ${file.length}: ${found}`;
      yield { told, isKept: possible.includes(found) };
    }
  }
}

/** The writer's system calls from the opening of the database on. */
async function callsOf(directory: string, count = COUNT): Promise<SystemCall[]> {
  const log = `${directory}.log`;
  const program = programOf(new URL("power-loss/writer.ts", import.meta.url));
  await must([...watched(log, CALLS), process.execPath, program, directory, String(SEED), String(count)]);
  return callsIn(log);
}

/** The moments before and after each call on the database. */
function* moments(calls: readonly SystemCall[], flushing: Flushing): Generator<[Disk, Moment]> {
  const disk = new Disk();
  const through = new Set<string>();
  let [position, begun, told] = [0, 0, 0];
  for (const call of calls) {
    const { name, args, result } = call;
    const [said, count] = name === "write" ? String(stringsIn(args)[0]).trim().split(" ") : [];
    if (said === "begin") begun = Number(count);
    if (said === "kept") told = Number(count);
    if (name === "openat" && args.includes("O_DSYNC")) through.add(String(result));
    if (basename(pathOf(call)) !== DATABASE) continue;
    if (name === "lseek") position = result;
    if (name === "msync" || name === "ftruncate" || name === "fallocate") throw new Error(`${name} is not understood`);
    if (["pwrite64", "pwritev", "writev", "write"].includes(name)) {
      const bytes = Buffer.concat(stringsIn(args));
      expect(bytes.length).toBe(result);
      const at = name.startsWith("p") ? Number(/ (\d+)$/.exec(args)?.[1]) : position;
      if (!name.startsWith("p")) position += result;
      disk.write(at, bytes);
      if (!isDraft(call)) yield [disk, { what: `${name} at ${at}`, begun, told }];
    }
    const isThrough = name !== "fdatasync" && through.has(String(Number.parseInt(args, 10)));
    if (name !== "fdatasync" && !isThrough) continue;
    // A write-through does not cover earlier writes, so there must be none.
    if (isThrough && flushing === "as it is told") expect(disk.unflushed).toBe(1);
    flush(disk, isThrough, isDraft(call) ? "as it is told" : flushing);
    if (!isDraft(call)) yield [disk, { what: name, begun, told }];
  }
}

function flush(disk: Disk, isThrough: boolean, flushing: Flushing): void {
  if (flushing === "as it is told") disk.flush();
  if (flushing === "late") disk.flushLater();
  if (flushing === "out of order" && isThrough) disk.flushLast();
}

/** A database without its final name is discarded by the next start. */
function isDraft(call: SystemCall): boolean {
  return basename(dirname(pathOf(call))) === "draft";
}

function firstOf<Item>(items: Generator<Item>, count: number): Item[] {
  const taken: Item[] = [];
  while (taken.length < count) taken.push(items.next().value as Item);
  return taken;
}

/** What the next engine finds. Uses a separate process if the file may crash it. */
async function opened(file: Uint8Array, isTrusted: boolean): Promise<string> {
  const directory = mkdtempSync(join(fast, "after-"));
  writeFileSync(join(directory, DATABASE), file);
  try {
    if (!isTrusted) return (await run([process.execPath, READER, directory], { timeoutMs: 60_000 })).stdout;
    return await foundIn(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}
