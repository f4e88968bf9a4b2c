// Thousands of objects that are removed by others during a prune are skipped one after the other, without growing the
// stack.

import { expect, test } from "vitest";
import { BUSYBOX_CHAIN, BUSYBOX_RECORDS, FIRST_RECORDS } from "../support/fixtures.js";
import { Opened } from "../records/opened.js";

const COUNT = 15_000;

test(`${COUNT} containers are removed beside a prune`, () => {
  const first = new Map([...FIRST_RECORDS, ...BUSYBOX_RECORDS]);
  const one = new Opened(first, { chains: [BUSYBOX_CHAIN] }).settle();
  one.call("POST", "/containers/create?name=box", { Image: "busybox" });
  const [key, record] = [...one.records].find(([name]) => name.startsWith("container/"))!;
  const id = key.slice("container/".length);
  const ids = Array.from({ length: COUNT }, (_, at) => `${"c".repeat(56)}${at.toString(16).padStart(8, "0")}`);
  const records = new Map<string, string | Uint8Array>(first);
  for (const [at, own] of ids.entries()) {
    const text = record.replaceAll(id, own).replace('"name":"box"', `"name":"box${at}"`);
    records.set(`container/${own}`, text.replace(/"sequence":\d+/, `"sequence":${at + 1}`));
  }
  const engine = new Opened(records, { chains: [BUSYBOX_CHAIN], containers: ids }).settle();
  const pruned = engine.send("POST", "/containers/prune");
  const removed = ids.map((own) => engine.send("DELETE", `/containers/${own}`));
  engine.settle();
  expect(pruned.status).toBe(200);
  const { ContainersDeleted } = JSON.parse(pruned.text) as { ContainersDeleted: string[] };
  const refused = removed.filter(({ status }) => status === 409).length;
  expect([ContainersDeleted.length, removed.filter(({ status }) => status === 204).length]).toEqual([
    refused,
    COUNT - refused,
  ]);
  expect([...engine.records.keys()].filter((name) => name.startsWith("container/"))).toEqual([]);
}, 120_000);
