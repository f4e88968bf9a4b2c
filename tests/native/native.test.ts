// The core needs no JavaScript: as part of a C program it replays a recorded session, byte for byte. The program
// reports any difference and its step.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadCore } from "../../hosts/node/core-files.js";
import { replay } from "../../hosts/trace/replay.js";
import { OPTIONS } from "../core/support/fixtures.js";
import { run, type Finished } from "../support/commands.js";
import { describeUnless } from "../support/on-engines.js";
import { coreDoors, CORE_WASM, type Doors } from "./doors.js";
import { Exchange, type Output } from "./exchange.js";
import { makeProgram, reasonForNoProgram, type Program } from "./program.js";
import { recordedStory } from "./story.js";

/** gcc takes some seconds to compile the core if the machine is idle. */
const LONGEST_MS = 300_000;
/** The error message in the core's reply to the first request. */
const ANSWER = "No such container";

describeUnless(reasonForNoProgram(), "the core as part of a C program", () => {
  let directory: string;
  let doors: Doors;
  let exchange: Exchange;
  let program: Program;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "coracle-native-"));
    doors = await coreDoors();
    exchange = await exchangeOf(doors);
    program = await makeProgram(readFileSync(CORE_WASM), doors, join(directory, "core"));
  }, LONGEST_MS);

  afterAll(() => rmSync(directory, { recursive: true }));

  /** The program's output for an exchange. */
  function compared(bytes: Uint8Array, { path } = program): Promise<Finished> {
    const file = join(directory, "exchange");
    writeFileSync(file, bytes);
    return run([path, file]);
  }

  test("the exchange covers every import and export of the core", () => {
    const all = [...doors.imports, ...doors.exports];
    expect(all.filter((door) => !exchange.outputs.some((output) => output.door === door))).toEqual([]);
    // The session starts one instance, and a second one after the crash. More instances are opened from snapshots.
    expect(exchange.instances).toBeGreaterThan(2);
  });

  test("in the program, the core makes the same import calls and returns the same results", async () => {
    const { calls, outputs } = exchange;
    expect(await compared(exchange.bytes())).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(`^${calls} calls, ${outputs.length - calls} imports, \\d+ bytes\n$`),
    });
  });

  test("the program reports a byte that differs from the recording, for every function with outputs", async () => {
    for (const [output, last] of oneOfEach(doors, exchange.outputs)) {
      const bytes = exchange.bytes();
      bytes[last]! ^= 1;
      const { code, stderr } = await compared(bytes);
      expect(stderr).toMatch(/: byte \d+ of \d+ is \d+, not \d+\n$/);
      expect([code, stderr]).toEqual([1, expect.stringContaining(beginningOf(output))]);
    }
  });

  test("the program reports one import call too many, or one too few", async () => {
    const isImport = ({ door }: Output): boolean => doors.imports.includes(door);
    const output = exchange.outputs.findLast(isImport)!;
    const bytes = exchange.bytes();
    const [before, after] = [bytes.subarray(0, output.begin), bytes.subarray(output.end)];
    const own = bytes.subarray(output.begin, output.end);
    const tooOften = await compared(Buffer.concat([before, after]));
    expect([tooOften.code, tooOften.stderr]).toEqual([
      1,
      `${beginningOf(output)}the recording has no more import calls\n`,
    ]);
    const tooRarely = await compared(Buffer.concat([before, own, own, after]));
    expect([tooRarely.code, tooRarely.stderr]).toEqual([
      1,
      expect.stringMatching(/^\d+:\d+ step: .*the recording has more import calls/),
    ]);
  });

  test(
    "the program reports the first output that changes if one bit of the core's wasm is flipped",
    async () => {
      const wasm = readFileSync(CORE_WASM);
      const at = wasm.indexOf(Buffer.from(ANSWER, "utf16le"));
      expect(at).toBeGreaterThan(0);
      wasm[at]! ^= 1;
      const other = await makeProgram(wasm, doors, join(directory, "other"), program);
      expect(other.object).toBe(program.object);
      const { code, stderr } = await compared(exchange.bytes(), other);
      const first = exchange.outputs.find((output) => has(exchange.bytes().subarray(output.begin, output.end), ANSWER));
      expect([code, stderr]).toEqual([1, expect.stringContaining(beginningOf(first!))]);
      expect(stderr).toContain(` is ${ANSWER.charCodeAt(0) ^ 1}, not ${ANSWER.charCodeAt(0)}\n`);
    },
    LONGEST_MS,
  );
});

/** Records everything that goes in and out of the core during a replay, and then during calls of its other exports. */
async function exchangeOf(doors: Doors): Promise<Exchange> {
  const trace = await recordedStory();
  const exchange = new Exchange(doors);
  const { instance, difference } = replay(trace, exchange.watch(loadCore()), { onStep: (step) => void step.explain() });
  expect(difference).toBeNull();
  const value = new TextEncoder().encode("999");
  expect(instance!.refuses(OPTIONS, [{ key: "engine/version", value }])).toContain("records of version 999");
  expect(instance!.refuses(OPTIONS, instance!.records())).toBeUndefined();
  instance!.rules();
  do instance!.collectSlice(1000);
  while (instance!.isCollecting);
  instance!.collect();
  instance!.snapshot();
  return exchange;
}

/** The middle one of each function's outputs, and the position of its last compared byte in the file. */
function oneOfEach({ imports, exports }: Doors, outputs: Output[]): [Output, number][] {
  return [...imports, ...exports].flatMap((door): [Output, number][] => {
    const own = outputs.filter((output) => output.door === door && output.last !== null);
    const middle = own[own.length >> 1];
    return middle === undefined ? [] : [[middle, middle.last!]];
  });
}

/** The beginning of the program's message about an output. */
function beginningOf({ label, door }: Output): string {
  return `${label}: ${door.name}: `;
}

/** Whether the bytes contain a text, in UTF-8 as in replies, or in UTF-16 as in the core's memory. */
function has(bytes: Buffer, text: string): boolean {
  return bytes.includes(text) || bytes.includes(Buffer.from(text, "utf16le"));
}
