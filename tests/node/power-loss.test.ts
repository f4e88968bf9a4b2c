// The power lost while records are kept: the writes of a real run, as strace saw them, are done again up to a moment; what
// had not been flushed by then is on the disk in part, sector by sector, and the database is opened. All that was told
// to be kept must be there, and of the transaction under way all or nothing. `CORACLE_TEST_POWER_LOSSES` is how many
// transactions there are, `CORACLE_TEST_POWER_LOSS_SEED` the seed, which a run prints.
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { RecordStore, records } from "../../hosts/host.js";
import { openRecords } from "../../hosts/node/records.js";
import { must } from "../support/commands.js";
import { programOf } from "../support/program.js";
import { randomFrom } from "../support/random.js";
import { callsIn, pathOf, straceMissing, stringsIn, watched, type SystemCall } from "../support/system-calls.js";
import { Disk } from "./power-loss/disk.js";
import { JOURNAL_BYTES, stateOf, states } from "./power-loss/transactions.js";

const missing = straceMissing();
const COUNT = Number(process.env["CORACLE_TEST_POWER_LOSSES"] ?? 40);
const SEED = Number(process.env["CORACLE_TEST_POWER_LOSS_SEED"] ?? Date.now() % 1_000_000);
const LIMIT_MS = 60_000 + COUNT * 5_000;
/** How often the power is lost at each moment, each time with other sectors on the disk. */
const LOSSES = 4;
const CALLS = "openat,lseek,pwrite64,writev,pwritev,write,fdatasync,fsync,msync,rename,ftruncate,fallocate".split(",");
const DATABASE = "data.mdb";

// The database is written where it may be slow, and opened many times where it is fast.
const scratch = mkdtempSync(join(tmpdir(), "coracle-power-loss-"));
const fast = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "coracle-power-loss-"));
afterAll(() => rm(fast, { recursive: true }));
afterAll(() => rm(scratch, { recursive: true }));

/** A moment at which the power may go, and what was begun and told before. */
interface Moment {
  readonly what: string;
  readonly begun: number;
  readonly told: number;
}

test(
  "whatever was told to be kept is there after the power was lost at any moment",
  { timeout: LIMIT_MS, retry: 0 },
  async ({ skip }) => {
    if (missing !== null) skip(missing);
    console.log(`power losses: seed ${SEED}`);
    const calls = await callsOf(join(scratch, "records"));
    const random = randomFrom(SEED);
    const expected = firstOf(states(SEED), COUNT + 1);
    let losses = 0;
    for (const [disk, moment] of moments(calls, { minding: true })) {
      for (let loss = 0; loss < (disk.unflushed === 0 ? 1 : LOSSES); loss += 1) {
        const file = disk.afterLoss(loss === 0 ? () => 0 : (writes) => random(writes + 1));
        const found = await opened(file);
        const possible = expected.slice(moment.told, moment.begun + 1);
        expect(
          possible.includes(found),
          `${JSON.stringify(moment)}, loss ${loss}, of a database of ${file.length}`,
        ).toBe(true);
        losses += 1;
      }
    }
    expect(losses).toBeGreaterThan(COUNT * LOSSES);
  },
);

test("the file has its name on the disk before anything is told", async ({ skip }) => {
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

test("a database that is not flushed would be found out", async ({ skip }) => {
  if (missing !== null) skip(missing);
  const calls = await callsOf(join(scratch, "unminded"), 3);
  const lost = [...moments(calls, { minding: false })].filter(([disk, { told }]) => {
    return told > 0 && disk.afterLoss(() => 0).length === 0;
  });
  expect(lost).not.toEqual([]);
});

/** What the writer asked of the kernel, from the opening of the database on. */
async function callsOf(directory: string, count = COUNT): Promise<SystemCall[]> {
  const log = `${directory}.log`;
  const program = programOf(new URL("power-loss/writer.ts", import.meta.url));
  await must([...watched(log, CALLS), process.execPath, program, directory, String(SEED), String(count)]);
  return callsIn(log);
}

/** Before and after each thing that is done with the database. With `minding` false nothing is ever flushed. */
function* moments(calls: readonly SystemCall[], { minding }: { minding: boolean }): Generator<[Disk, Moment]> {
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
    if (!minding || !(name === "fdatasync" || through.has(String(Number.parseInt(args, 10))))) continue;
    // What is written through says nothing of what was written before: there must be none of it.
    if (name !== "fdatasync") expect(disk.unflushed).toBe(1);
    disk.flush();
    if (!isDraft(call)) yield [disk, { what: name, begun, told }];
  }
}

/** A database that has not got its name yet is thrown away by the next start. */
function isDraft(call: SystemCall): boolean {
  return basename(dirname(pathOf(call))) === "draft";
}

function firstOf<Item>(items: Generator<Item>, count: number): Item[] {
  const taken: Item[] = [];
  while (taken.length < count) taken.push(items.next().value as Item);
  return taken;
}

async function entriesOf({ journal }: RecordStore): Promise<records.JournalEntry[]> {
  const entries: records.JournalEntry[] = [];
  const { next } = await journal.end();
  for (let at = 1n; at < next; at = entries.at(-1)!.position + 1n) {
    const page = await journal.read({ from: { tag: "position", val: at }, bytes: 1 << 20 });
    entries.push(...page.entries);
  }
  return entries;
}

/** What an engine finds that starts afterwards. */
async function opened(file: Uint8Array): Promise<string> {
  const directory = mkdtempSync(join(fast, "after-"));
  writeFileSync(join(directory, DATABASE), file);
  const store = await openRecords(directory, JOURNAL_BYTES);
  try {
    return stateOf(await store.load(), await entriesOf(store));
  } finally {
    await store.close();
    await rm(directory, { recursive: true });
  }
}
