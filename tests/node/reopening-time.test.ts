// How long a trap of the core delays clients, by the number of recorded containers. Measures processor time, so that
// other work on the machine has no influence. That there is no other delay is tested with a stopped clock
// (tests/driver/reopening.test.ts).

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RecordStore } from "../../hosts/shared/host.js";
import { openRecords } from "../../hosts/node/database/records.js";
import { BUSYBOX_RECORDS, FIRST_RECORDS } from "../core/support/fixtures.js";
import { until } from "../support/commands.js";
import { RecordedEngine, trapping } from "../trace/engine.js";
import { create } from "../trace/stories.js";

const SECOND_MICROS = 1_000_000;
/** The best one counts: the first includes compilation, and a third trap would end the daemon. */
const ROUNDS = 2;
/** Milliseconds, because ten thousand containers are created and listed first. */
const PATIENCE = 600_000;

/** Microseconds by number of containers. */
const measured = new Map<number, number>();

test.each([0, 1000, 10_000])(
  "with %i recorded containers the engine is reopened",
  { timeout: PATIENCE },
  async (count) => {
    const directory = mkdtempSync(join(tmpdir(), "coracle-reopening-"));
    const records = await openRecords(directory);
    try {
      await fill(records, count);
      const engine = new RecordedEngine({}, trapping, records);
      await engine.open(null);
      const micros: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) micros.push(await reopened(engine));
      const listed = engine.send({ method: "GET", target: "/containers/json?all=1" });
      await until("a list", () => engine.told.get(listed)!.status === 200);
      expect((JSON.parse(engine.told.get(listed)!.text) as unknown[]).length).toBe(count);
      const shown = micros.map((each) => Math.round(each / 1000)).join(", ");
      console.log(`${count} containers: reopened in ${shown} ms of the processor`);
      measured.set(count, Math.min(...micros));
    } finally {
      await records.close();
      rmSync(directory, { recursive: true });
    }
  },
);

test("within a second with a thousand containers; ten times as many take at most a proportional time", () => {
  const [few, many] = [measured.get(1000)!, measured.get(10_000)!];
  expect(Math.max(measured.get(0)!, few)).toBeLessThan(SECOND_MICROS);
  // With many containers, garbage is collected more than once.
  expect(many).toBeLessThan(20 * few);
});

/** Time from a trap to the next instance's first answer, in microseconds of this process. */
async function reopened(engine: RecordedEngine): Promise<number> {
  const before = process.cpuUsage();
  const trapped = engine.send({ method: "GET", target: "/trap" });
  const next = engine.send({ method: "GET", target: "/containers/no-such/json" });
  await until("the next instance's answer", () => engine.told.get(next)!.status !== 0);
  const { user, system } = process.cpuUsage(before);
  expect([trapped, next].map((id) => engine.told.get(id)!.status)).toEqual([500, 404]);
  return user + system;
}

/** Copies of a created container, with different ids and names. */
async function fill(records: RecordStore, count: number): Promise<void> {
  const engine = new RecordedEngine();
  await engine.open(null);
  const id = await create(engine, "one");
  const text = new TextDecoder().decode(engine.stored.get(`container/${id}`));
  // As text, because some numbers do not fit JavaScript's.
  const own = Array.from({ length: count }, (_, at): [string, Uint8Array] => {
    const other = at.toString(16).padStart(64, "0");
    const record = text
      .replaceAll(id, other)
      .replace('"sequence":1,', `"sequence":${at + 1},`)
      .replace('"name":"one",', `"name":"one-${at}",`);
    return [`container/${other}`, new TextEncoder().encode(record)];
  });
  const all = [...FIRST_RECORDS, ...BUSYBOX_RECORDS, ...own];
  await records.commit(all.map(([key, value]) => ({ tag: "put", val: { key, value } })));
}
