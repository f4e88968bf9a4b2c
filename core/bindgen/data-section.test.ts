import binaryen from "assemblyscript/binaryen";
import { expect, test } from "vitest";
import { joinSegments } from "./data-section.js";

/** A module with such a memory. Its addresses are on both sides of where LEB128 needs another byte for the sign. */
const moduleOf = (data: string): Uint8Array => {
  const module = binaryen.parseText(`(module (memory (export "memory") 2) ${data})`);
  module.setFeatures(binaryen.Features.BulkMemory);
  return module.emitBinary();
};

const memoryOf = (wasm: Uint8Array): Uint8Array => {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasm as Uint8Array<ArrayBuffer>));
  return new Uint8Array((exports["memory"] as WebAssembly.Memory).buffer);
};

const SCATTERED = [63, 70, 127, 200, 8191, 8300, 70_000].map((at) => `(data (i32.const ${at}) "at ${at}")`).join(" ");

test("joined segments fill the memory as before", () => {
  const wasm = moduleOf(SCATTERED);
  const memory = memoryOf(wasm);
  expect(Buffer.from(memory.subarray(8300, 8307)).toString()).toBe("at 8300");
  expect(memoryOf(joinSegments(wasm))).toEqual(memory);
});

test("long runs of zeros stay out of the module", () => {
  const text = binaryen.readBinary(joinSegments(moduleOf(SCATTERED))).emitText();
  expect(text.match(/\(data \$\d+ \(i32.const \d+\)/g)).toEqual([
    "(data $0 (i32.const 63)",
    "(data $1 (i32.const 8191)",
    "(data $2 (i32.const 70000)",
  ]);
});

test("a module with passive segments stays as it is", () => {
  const wasm = moduleOf(`${SCATTERED} (data "passive")`);
  expect(joinSegments(wasm)).toBe(wasm);
});

test("a module without data stays as it is", () => {
  const wasm = moduleOf("");
  expect(joinSegments(wasm)).toBe(wasm);
});
