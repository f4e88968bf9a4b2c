// Tests snapshots of instances: they are complete, have no secrets, and only the same code can restore them.

import { beforeAll, describe, expect, test } from "vitest";
import type { CompiledComponent, ComponentInstance } from "../../hosts/driver/index.js";
import { type Echo, openFixture, readFixture } from "./fixtures/component.js";

type Exports = Record<string, Echo>;

interface Door {
  keep(secret: Secret, note: string): void;
  drop(): void;
  collect(): void;
  secrets(): Secret[];
  notes(): string[];
  snapshot(): Uint8Array;
  restore(snapshot: Uint8Array): void;
  fail(how: number): void;
  sameBytes(value: Uint8Array): Uint8Array;
}

interface Secret {
  word: string;
  other: string;
}

let compiled: CompiledComponent<unknown, Exports>;
let other: CompiledComponent<unknown, Exports>;

beforeAll(async () => {
  const fixture = await readFixture("everything");
  compiled = await openFixture(fixture);
  other = await openFixture({ ...fixture, source: fixture.source.replace("kept += 1", "kept += 2") });
});

type Opened = Omit<ComponentInstance<Exports>, "exports"> & { door: Door };

function open(component = compiled): Opened {
  const names = ["giveNumbers", "giveWords", "giveLists", "giveOptions", "giveShape", "number"];
  const imports = Object.fromEntries(names.map((name) => [name, () => undefined]));
  const instance = component.instantiate({ "fixture:all/echo": imports });
  return { ...instance, door: instance.exports["door"] as unknown as Door };
}

const WORD = "open sesame";
const SECRET = { word: WORD, other: "ünïcode 🐎" };
const BLANKED = { word: "*".repeat(11), other: "*".repeat(10) };

/** Calls the component, or copies the snapshot into its memory. */
const WAYS: [way: string, restore: (to: Opened, snapshot: Uint8Array) => void][] = [
  ["by a call", ({ door }, snapshot) => door.restore(snapshot)],
  ["in place", ({ restore }, snapshot) => restore(snapshot)],
];

describe.each(WAYS)("an instance that restores a snapshot %s", (way, restore) => {
  test("has the same state as the other, and continues in the same way", () => {
    const one = open().door;
    for (let i = 0; i < 1000; i++) one.keep({ word: "", other: "" }, `note ${i}`);
    const opened = open();
    const two = opened.door;
    restore(opened, one.snapshot());
    expect(two.notes()).toEqual(one.notes());
    for (const door of [one, two]) for (let i = 0; i < 3000; i++) door.keep({ word: "", other: "" }, `more ${i}`);
    expect(two.notes()).toEqual(one.notes());
    expect(Buffer.compare(two.snapshot(), one.snapshot())).toBe(0);
  });

  test("forgets what it was before", () => {
    const one = open().door;
    one.keep(SECRET, "one");
    const opened = open();
    const two = opened.door;
    for (let i = 0; i < 20_000; i++) two.keep(SECRET, `two ${i}`);
    const bytes = one.snapshot();
    restore(opened, bytes);
    expect(two.notes()).toEqual(["one"]);
    two.collect();
    expect(Buffer.compare(one.snapshot(), bytes)).toBe(0);
    one.keep(SECRET, "another");
    two.keep(SECRET, "another");
    expect(two.notes()).toEqual(one.notes());
  });

  test("has the same heap layout as the other when both must grow", () => {
    const one = open().door;
    one.keep(SECRET, "x".repeat(100_000));
    const opened = open();
    const two = opened.door;
    restore(opened, one.snapshot());
    for (const door of [one, two]) {
      for (let i = 0; i < 40; i++) door.keep({ word: "", other: "" }, String(i).repeat(30_000));
      door.collect();
    }
    expect(Buffer.compare(two.snapshot(), one.snapshot())).toBe(0);
  });

  test("can take a snapshot at once", () => {
    const one = open().door;
    one.keep(SECRET, "one");
    const bytes = one.snapshot();
    const opened = open();
    const two = opened.door;
    restore(opened, bytes);
    expect(Buffer.compare(two.snapshot(), bytes)).toBe(0);
  });

  test("holds the snapshot twice only after a call", () => {
    const one = open().door;
    one.keep(SECRET, "x".repeat(3_000_000));
    const bytes = one.snapshot();
    const opened = open();
    restore(opened, bytes);
    restore(opened, bytes);
    expect(opened.memoryBytes() < 1.5 * bytes.length).toBe(way === "in place");
  });

  test("has the same bytes as any other new instance", () => {
    expect(Buffer.compare(open().door.snapshot(), open().door.snapshot())).toBe(0);
  });

  test("has the same bytes whether or not free memory was wiped before", () => {
    const [one, two] = [open(), open()];
    for (const { door } of [one, two]) {
      for (let i = 0; i < 1000; i++) {
        door.sameBytes(new Uint8Array(1 + i * 10).fill(7));
        door.keep(SECRET, `note ${i}`);
      }
    }
    const memory = one.collectAndWipe();
    two.door.collect();
    expect(memory().filter((byte) => byte === 7).length).toBeLessThan(1000);
    expect(one.door.notes()).toEqual(two.door.notes());
    for (const { door } of [one, two]) door.keep(SECRET, "after");
    expect(Buffer.compare(one.door.snapshot(), two.door.snapshot())).toBe(0);
  });

  test("leaves out free memory", () => {
    const { door, memoryBytes } = open();
    const before = door.snapshot().length;
    door.sameBytes(new Uint8Array(5_000_000));
    expect(door.snapshot().length).toBeLessThan(before + 1000);
    expect(memoryBytes()).toBeGreaterThan(5_000_000);
  });
});

describe("secrets", () => {
  test("are blanked with the same length, and stay in the instance that took the snapshot", () => {
    const one = open().door;
    one.keep(SECRET, "note");
    const bytes = one.snapshot();
    expect(one.secrets()).toEqual([SECRET]);
    expect(holds(bytes, WORD)).toBe(false);
    const two = open().door;
    two.restore(bytes);
    expect(two.secrets()).toEqual([BLANKED]);
    expect(two.notes()).toEqual(["note"]);
  });

  test("are not found once they are dropped, even after more allocations", () => {
    const one = open().door;
    one.keep(SECRET, "note");
    expect(holds(one.snapshot(), WORD)).toBe(false);
    one.drop();
    expect(holds(one.snapshot(), WORD)).toBe(false);
    for (let i = 0; i < 100; i++) one.keep({ word: "", other: "" }, `note ${i}`);
    expect(holds(one.snapshot(), WORD)).toBe(false);
  });

  test("can be many", () => {
    const one = open().door;
    const many = Array.from({ length: 2000 }, (_, at) => ({ word: `${WORD} ${at}`.repeat(20), other: "" }));
    for (const secret of many) one.keep(secret, "");
    expect(holds(one.snapshot(), WORD)).toBe(false);
    expect(one.secrets()).toEqual(many);
  });

  test("are found if they are not marked as secret, so the search works", () => {
    const one = open().door;
    one.keep(SECRET, WORD);
    expect(holds(one.snapshot(), WORD)).toBe(true);
  });
});

describe.each(WAYS)("an instance that restores %s refuses", (_, restore) => {
  const refused = (bytes: Uint8Array, why: RegExp, component = compiled): void => {
    const opened = open(component);
    expect(() => restore(opened, bytes)).toThrow();
    expect(opened.trapMessage()).toMatch(why);
    expect(() => opened.door.notes()).toThrow();
  };

  test("a snapshot of another core", () => {
    refused(open().door.snapshot(), /^this is a snapshot of another core at /, other);
  });

  test("a snapshot that is cut or too long", () => {
    const bytes = open().door.snapshot();
    for (const length of [4096, bytes.length - 1])
      refused(bytes.subarray(0, length), /^this snapshot is not whole at /);
    refused(new Uint8Array([...bytes, 0]), /^this snapshot is not whole at /);
  });

  test.each([0, 10, 5000])("%i bytes of something else", (length) => {
    refused(new Uint8Array(length).fill(1), /^this is no snapshot at /);
  });

  test("to take a snapshot after it has failed", () => {
    const { door } = open();
    expect(() => door.fail(1)).toThrow();
    expect(() => door.snapshot()).toThrow();
  });
});

/** Whether the bytes contain eight consecutive units of the word. */
function holds(bytes: Uint8Array, word: string): boolean {
  const memory = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const parts = Array.from({ length: word.length - 7 }, (_, at) => word.slice(at, at + 8));
  return parts.some((part) => memory.includes(part, 0, "utf16le") || memory.includes(part, 0, "utf8"));
}
