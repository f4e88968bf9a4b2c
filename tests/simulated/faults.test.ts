// Faults of the simulated world: which containers they strike, and how often.

import { describe, expect, test } from "vitest";
import type { Fault } from "../../hosts/simulated/faults.js";
import { WorldFaults } from "../../hosts/simulated/world-faults.js";
import { WorldRecords } from "../../hosts/simulated/records.js";
import { seededRandom } from "../../hosts/simulated/random.js";

const WEB = "1".repeat(64);
const OTHER = "2".repeat(64);

describe("faults", () => {
  test("a fault strikes the given number of times, and is gone then", () => {
    const faults = new WorldFaults();
    faults.inject({ kind: "disk-full" }, 2);
    expect(faults.set).toEqual([{ fault: { kind: "disk-full" }, left: 2 }]);
    expect(faults.strike("disk-full")).toEqual({ kind: "disk-full" });
    expect(faults.set).toEqual([{ fault: { kind: "disk-full" }, left: 1 }]);
    expect(faults.strike("disk-full")).not.toBe(null);
    expect(faults.strike("disk-full")).toBe(null);
    expect(faults.set).toEqual([]);
  });

  test("a speed must be above 0, and a delay a time", () => {
    const faults = new WorldFaults();
    const refused = [
      { kind: "registry-slow", bytesPerSecond: 0 },
      { kind: "network-slow", bytesPerSecond: 0 },
      { kind: "network-slow", bytesPerSecond: NaN },
      { kind: "network-slow", delayMs: -1 },
      { kind: "network-slow", delayMs: Infinity },
    ] as const;
    for (const fault of refused) expect(() => faults.inject(fault)).toThrow(RangeError);
    expect(faults.set).toEqual([]);
  });

  test("without a number it strikes until it is lifted, by its handle or by its kind", () => {
    const faults = new WorldFaults();
    const lift = faults.inject({ kind: "registry-down" });
    faults.inject({ kind: "disk-full" });
    for (let i = 0; i < 5; i++) expect(faults.strike("registry-down", { authority: "a" })).not.toBe(null);
    lift();
    expect(faults.strike("registry-down", { authority: "a" })).toBe(null);
    expect(faults.strike("disk-full")).not.toBe(null);
    faults.lift("disk-full");
    expect(faults.set).toEqual([]);
  });

  test("a registry's fault strikes only that registry; the last one set comes first", () => {
    const faults = new WorldFaults();
    faults.inject({ kind: "registry-limited", retryAfter: 1 });
    faults.inject({ kind: "registry-limited", authority: "here", retryAfter: 2 });
    expect(faults.strike("registry-limited", { authority: "here" })?.retryAfter).toBe(2);
    expect(faults.strike("registry-limited", { authority: "there" })?.retryAfter).toBe(1);
  });

  test.each([
    ["its id", WEB],
    ["a prefix of its id", WEB.slice(0, 12)],
    ["its name", "web"],
  ])("a container is named by %s", (_how, container) => {
    const faults = new WorldFaults((id) => (id === WEB ? "web" : undefined));
    faults.inject({ kind: "die-at-once", code: 3, container });
    expect(faults.strike("die-at-once", { container: OTHER })).toBe(null);
    expect(faults.strike("die-at-once", { container: WEB })?.code).toBe(3);
  });

  test("the engine crashes after a number of outputs", () => {
    const told: Fault[] = [];
    const faults = new WorldFaults(undefined, (fault) => told.push(fault));
    expect(faults.outputLeft()).toBe(false);
    faults.inject({ kind: "engine-crash", afterOutputs: 3 });
    expect(told).toEqual([{ kind: "engine-crash", afterOutputs: 3 }]);
    expect([1, 2, 3, 4].map(() => faults.outputLeft())).toEqual([false, false, true, false]);
    expect(faults.set).toEqual([]);
  });
});

describe("records", () => {
  const put = (key: string) => ({ tag: "put" as const, val: { key, value: Uint8Array.of(1, 2) } });

  test("flushed records exist again, in the order of keys", async () => {
    const records = new WorldRecords(new WorldFaults());
    await records.commit([put("b"), put("a"), put("c"), { tag: "delete", val: "c" }]);
    await records.close();
    expect((await records.load()).map(({ key }) => key)).toEqual(["a", "b"]);
  });

  test("nothing of a transaction is committed if there is no room", async () => {
    const faults = new WorldFaults();
    const records = new WorldRecords(faults);
    faults.inject({ kind: "records-full" }, 1);
    await expect(records.commit([put("a"), put("b")])).rejects.toThrow("no space left on device");
    expect(await records.load()).toEqual([]);
    await records.commit([put("a")]);
    expect(await records.load()).toEqual([{ key: "a", value: Uint8Array.of(1, 2) }]);
  });
});

test("draws depend only on the seed, and not on draws for another purpose", () => {
  const drawn = (seed: number, purpose: string): number[] => {
    const random = seededRandom(seed, purpose);
    return [random.next(), random.next(), ...random.bytes(4)];
  };
  expect(drawn(1, "ids")).toEqual(drawn(1, "ids"));
  expect(drawn(1, "ids")).not.toEqual(drawn(2, "ids"));
  expect(drawn(1, "ids")).not.toEqual(drawn(1, "pids"));
  const random = seededRandom(0, "spread");
  const mean = Array.from({ length: 10_000 }, () => random.next()).reduce((sum, one) => sum + one, 0) / 10_000;
  expect(mean).toBeGreaterThan(0.48);
  expect(mean).toBeLessThan(0.52);
});
