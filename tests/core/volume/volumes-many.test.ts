// Many volumes, each in a container: finding out which are in use must not scan every container for each of them.

import { expect, test } from "vitest";
import { Count, countedCore } from "../support/counting.js";
import { BUSYBOX_CHAIN, BUSYBOX_RECORDS, FIRST_RECORDS } from "../support/fixtures.js";
import { Opened } from "../records/opened.js";

/** Size of the smaller set; the larger is `TIMES` as large. */
const COUNT = 250;
const TIMES = 8;

const count = new Count();
const core = await countedCore(count);

const ASKED = [
  ["POST", "/v1.41/volumes/prune"],
  ["GET", `/volumes?filters=${encodeURIComponent('{"dangling":["true"]}')}`],
  ["GET", "/system/df?type=volume"],
] as const;

test.each(ASKED)("%s %s takes time proportional to the number", (method, target) => {
  const [few, many] = [stepsOf(smaller(), method, target), stepsOf(larger(), method, target)];
  // Names are sorted. Quadratic work would be 64 times as much.
  expect(many).toBeLessThan(TIMES * 1.5 * few);
});

test("a volume counts as used by each container that mounts it, once or several times", () => {
  const engine = engineWith(3);
  const listed = (dangling: boolean): string[] => {
    const { text } = engine.send("GET", `/volumes?filters=${encodeURIComponent(`{"dangling":["${dangling}"]}`)}`);
    return (JSON.parse(text) as { Volumes: { Name: string }[] }).Volumes.map(({ Name }) => Name).sort();
  };
  expect([listed(true), listed(false)]).toEqual([[], ["vol-0", "vol-1", "vol-2"]]);
  const Binds = ["vol-1:/a", "vol-1:/b"];
  engine.call("POST", "/containers/create?name=both", { Image: "busybox", HostConfig: { Binds } });
  const { Volumes } = JSON.parse(engine.call("GET", "/v1.41/system/df").text) as {
    Volumes: { Name: string; UsageData: object }[];
  };
  expect(Volumes.map(({ Name, UsageData }) => [Name, UsageData])).toEqual([
    ["vol-0", expect.objectContaining({ RefCount: 1 })],
    ["vol-1", expect.objectContaining({ RefCount: 2 })],
    ["vol-2", expect.objectContaining({ RefCount: 1 })],
  ]);
});

function stepsOf(engine: Opened, method: string, target: string): number {
  const before = count.steps;
  const answer = engine.send(method, target);
  const steps = count.steps - before;
  engine.settle();
  expect(answer.status).toBe(200);
  return steps;
}

const smaller = once(() => engineWith(COUNT));
const larger = once(() => engineWith(COUNT * TIMES));

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** This many containers, each with its own volume. */
function engineWith(count: number): Opened {
  const first = new Map([...FIRST_RECORDS, ...BUSYBOX_RECORDS]);
  const one = new Opened(first, { chains: [BUSYBOX_CHAIN] }).settle();
  one.call("POST", "/containers/create?name=box", { Image: "busybox", HostConfig: { Binds: ["vol-x:/v"] } });
  const [key, record] = [...one.records].find(([name]) => name.startsWith("container/"))!;
  const volume = one.records.get("volume/vol-x")!;
  const records = new Map<string, string | Uint8Array>(first);
  const ids = Array.from({ length: count }, (_, at) => `${"c".repeat(56)}${at.toString(16).padStart(8, "0")}`);
  for (const [at, id] of ids.entries()) {
    const text = record.replaceAll(key.slice("container/".length), id).replaceAll("vol-x", `vol-${at}`);
    const named = text.replace('"name":"box"', `"name":"box${at}"`);
    records.set(`container/${id}`, named.replace(/"sequence":\d+/, `"sequence":${at + 1}`));
    records.set(`volume/vol-${at}`, volume);
  }
  const volumes = ids.map((_, at) => `vol-${at}`);
  const found = { chains: [BUSYBOX_CHAIN], containers: ids, volumes };
  return new Opened(records, found, () => undefined, core).settle();
}
