// Tests the generated bindings with a component that returns everything it gets, and that is compiled as the core is.

import { beforeAll, describe, expect, test } from "vitest";
import type { CompiledComponent, ComponentInstance, Immediate } from "../../hosts/driver/index.js";
import { type Echo, openFixture, readFixture } from "./fixtures/component.js";

type Exports = Record<string, Echo>;

let compiled: CompiledComponent<unknown, Exports>;
let calls: unknown[][];

beforeAll(async () => {
  compiled = await openFixture(await readFixture("everything"));
});

/** Opens an instance whose imports record their arguments. */
function open(echo: Partial<Echo> = {}): ComponentInstance<Exports> & { door: Echo } {
  calls = [];
  const note = (name: string) =>
    name === "number" ? () => {} : (...values: unknown[]) => void calls.push([name, ...values]);
  const names = ["giveNumbers", "giveWords", "giveLists", "giveOptions", "giveShape", "number"];
  const imports = Object.fromEntries(names.map((name) => [name, echo[name] ?? note(name)]));
  const instance = compiled.instantiate({ "fixture:all/echo": imports });
  return { ...instance, door: instance.exports["door"]! };
}

const LARGEST = {
  a: 255, b: 127, c: 65535, d: 32767, e: 4294967295, f: 2147483647, g: 2n ** 64n - 1n, h: 2n ** 63n - 1n,
  i: 1.5, j: Number.MAX_VALUE, k: true, l: "\u{10ffff}",
}; // prettier-ignore
const SMALLEST = {
  a: 0, b: -128, c: 0, d: -32768, e: 0, f: -2147483648, g: 0n, h: -(2n ** 63n), i: -0.25, j: Number.MIN_VALUE, k: false, l: "\0",
}; // prettier-ignore

const NO_LISTS = {
  names: [], pairs: [], mixed: [], points: [], flags: [], shorts: new Uint16Array(), bytes: new Int8Array(),
  longs: new BigUint64Array(), doubles: new Float64Array(), colours: [], nested: [], shapes: [],
}; // prettier-ignore
const LISTS = {
  names: ["", "a", "žluťoučký 🐎"],
  pairs: [["a", "b"], ["", "c"]],
  mixed: [[7, new Uint8Array([1, 2])], [65535, new Uint8Array()]],
  points: [{ x: -1, y: 0.5 }, { x: 2, y: Infinity }],
  flags: [true, false, true],
  shorts: new Uint16Array([1, 65535]),
  bytes: new Int8Array([-1, 127, -128]),
  longs: new BigUint64Array([0n, 2n ** 64n - 1n]),
  doubles: new Float64Array([1.25, -0]),
  colours: ["blue", "dark-green", "red"],
  nested: [new Uint32Array([1, 2]), new Uint32Array(), new Uint32Array([3])],
  shapes: [{ tag: "nothing" }, { tag: "named", val: "x" }, { tag: "small", val: 0.5 }],
}; // prettier-ignore

const NO_OPTIONS = Object.fromEntries(
  ["number", "long", "yes", "colour", "text", "bytes", "point", "shape"].map((name) => [name, undefined]),
);
const OPTIONS = {
  number: 0,
  long: 2n ** 63n,
  yes: false,
  colour: "red",
  text: "",
  bytes: new Uint8Array(),
  point: { x: 1, y: 2 },
  shape: { tag: "done", val: { tag: "err", val: "blue" } },
};

const SHAPES = [
  { tag: "nothing" },
  { tag: "dot", val: { x: -7, y: 1e300 } },
  { tag: "named", val: "name" },
  { tag: "tinted", val: "dark-green" },
  { tag: "counted", val: 65535 },
  { tag: "big", val: 2n ** 64n - 1n },
  { tag: "small", val: -1.5 },
  { tag: "wide", val: Math.PI },
  { tag: "raw", val: new Uint8Array([0, 255]) },
  { tag: "done", val: { tag: "ok", val: { x: 3, y: 4 } } },
  { tag: "done", val: { tag: "err", val: "red" } },
  { tag: "tried", val: { tag: "ok", val: "it" } },
  { tag: "tried", val: { tag: "err", val: 4294967295 } },
  { tag: "maybe", val: undefined },
  { tag: "maybe", val: 2n ** 63n },
];

describe("every type goes in and comes out", () => {
  test.each([
    ["giveNumbers", LARGEST],
    ["giveNumbers", SMALLEST],
    ["giveWords", { text: "a\0b\ud83d\udc0e", alias: "", bytes: new Uint8Array([1, 2, 3]), default: "reserved word" }],
    ["giveWords", { text: "", alias: "x".repeat(70_000), bytes: new Uint8Array(100_000).fill(7), default: "" }],
    ["giveLists", NO_LISTS],
    ["giveLists", LISTS],
    ["giveOptions", NO_OPTIONS],
    ["giveOptions", OPTIONS],
  ])("%s %#", (name, value) => {
    open().door[name]!(2n ** 64n - 1n, value);
    expect(calls).toEqual([[name, 2n ** 64n - 1n, value]]);
  });

  test.each(SHAPES)("shape $tag", (shape) => {
    open().door["giveShape"]!(1n, shape);
    expect(calls).toEqual([["giveShape", 1n, shape]]);
  });

  test("after many calls and collections the memory stays small", () => {
    const { door, memoryBytes } = open();
    for (let i = 0; i < 3000; i++) {
      door["giveWords"]!(1n, { text: "t".repeat(1000), alias: "", bytes: new Uint8Array(10_000), default: "" });
      if (i % 100 === 99) door["collect"]!();
    }
    expect(calls).toHaveLength(3000);
    expect(memoryBytes()).toBeLessThan(8 * 1024 * 1024);
  });
});

describe("every type is returned", () => {
  test.each<[string, unknown]>([
    ["sameNumbers", LARGEST],
    ["sameNumbers", SMALLEST],
    ["sameWords", { text: "a\0b\ud83d\udc0e", alias: "", bytes: new Uint8Array([1, 2, 3]), default: "word" }],
    ["sameLists", NO_LISTS],
    ["sameLists", LISTS],
    ["sameOptions", NO_OPTIONS],
    ["sameOptions", OPTIONS],
    ["sameBytes", new Uint8Array()],
    ["sameBytes", new Uint8Array([0, 255])],
    ["sameYes", true],
    ["sameYes", false],
    ["sameShort", -32768],
    ["sameLong", 2n ** 64n - 1n],
    ["sameSmall", -1.5],
    ["sameWide", Math.PI],
    ["sameColour", "blue"],
  ])("%s %#", (name, value) => {
    const { door } = open();
    expect(door[name]!(value)).toEqual(value);
    expect(door[name]!(value)).toEqual(value);
  });

  test.each(SHAPES)("shape $tag", (shape) => {
    expect(open().door["sameShape"]!(shape)).toEqual(shape);
  });
});

test("allocated bytes are counted, and a collection does not reduce the count", () => {
  const { door, allocatedBytes } = open();
  const before = allocatedBytes();
  door["giveWords"]!(1n, { text: "", alias: "", bytes: new Uint8Array(10_000), default: "" });
  const after = allocatedBytes();
  expect(after - before).toBeGreaterThan(10_000);
  expect(after - before).toBeLessThan(12_000);
  door["collect"]!();
  expect(allocatedBytes()).toBe(after);
});

describe("a call that fails", () => {
  test("reports message, file, line and column", () => {
    const { door, trapMessage } = open();
    expect(trapMessage()).toBeUndefined();
    expect(() => door["fail"]!(1)).toThrow();
    expect(trapMessage()).toMatch(/^no way out of here: ü at implementation\.ts:\d+:\d+$/);
  });

  test("reports the place if there is no message", () => {
    const { door, trapMessage } = open();
    expect(() => door["fail"]!(0)).toThrow();
    expect(trapMessage()).toMatch(/^abort at implementation\.ts:\d+:\d+$/);
  });

  test.each([0, 1, 2, 3])("makes the instance refuse every further call (%i)", (how) => {
    const { door } = open();
    expect(() => door["fail"]!(how)).toThrow();
    for (const call of [() => door["fail"]!(9), () => door["collect"]!(), () => door["giveShape"]!(1n, SHAPES[0])]) {
      expect(call).toThrow();
    }
    expect(calls).toEqual([]);
  });

  test("does not affect another instance", () => {
    const healthy = open();
    const failing = open();
    expect(() => failing.door["fail"]!(2)).toThrow();
    healthy.door["giveShape"]!(1n, SHAPES[0]);
    expect(healthy.trapMessage()).toBeUndefined();
  });

  test("in an import makes the instance refuse every further call", () => {
    const { door, trapMessage } = open({
      number: () => {
        throw new Error("the host broke its promise");
      },
    });
    expect(() => door["fail"]!(9)).toThrow("the host broke its promise");
    expect(() => door["giveShape"]!(1n, SHAPES[0])).toThrow();
    expect(trapMessage()).toMatch(/^a call is under way, or one has failed at /);
    expect(calls).toEqual([]);
  });
});

test.each(["giveShape", "collect"])("a call of %s from within an import traps", (name) => {
  let thrown: unknown;
  const instance = open({
    number: () => {
      try {
        instance.door[name]!(1n, SHAPES[0]);
      } catch (error) {
        thrown = error;
      }
    },
  });
  instance.door["fail"]!(9);
  expect(thrown).toBeInstanceOf(WebAssembly.RuntimeError);
  expect(calls).toEqual([]);
});

describe("a build is refused", () => {
  test("when the module has an import that is not in the world", async () => {
    const fixture = await readFixture("everything");
    const source = `${fixture.source}
      // @ts-ignore: decorator
      @external("env", "clock") declare function clock(): void;
      export function collectAll(): void { clock(); }`;
    await expect(openFixture({ ...fixture, source: source.replace("assert(false)", "clock()") })).rejects.toThrow(
      "the core imports env.clock, which is not in the world",
    );
  });

  test("when an import of the world returns a value", async () => {
    const fixture = await readFixture("everything");
    const wit = fixture.wit.replace("number: func(value: u8);", "number: func(value: u8) -> u32;");
    await expect(openFixture({ ...fixture, wit })).rejects.toThrow("function number returns a value");
  });

  test("when the source has a mistake, with the compiler's message", async () => {
    const fixture = await readFixture("everything");
    const source = fixture.source.replace("echo.giveNumbers(op, value)", "echo.giveNumbers(op, 7)");
    await expect(openFixture({ ...fixture, source })).rejects.toThrow(/TS2322[\s\S]*implementation\.ts/);
  });
});

test("the type checker refuses an async import", () => {
  interface Imports {
    echo: { number(value: number): void };
  }
  const waiting = { number: async (): Promise<void> => {} };
  // @ts-expect-error: a promise is not "done"
  const imports: Immediate<Imports> = { echo: waiting };
  expect(imports.echo.number(1)).toBeInstanceOf(Promise);
});
