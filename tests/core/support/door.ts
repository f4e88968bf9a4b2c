// Compiles a library of the core behind a door (tests/core/door/*.ts, AssemblyScript) and calls it from tests. This
// tests the wasm instead of the source under Node, because integers differ.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isInForce, mutantSource } from "../../mutants/mutating-doors.js";
import { PLAN } from "../../mutants/plan.js";
import { Count, counting } from "./counting.js";
import { contentOf, kept } from "./kept.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));

type Exports = { memory: WebAssembly.Memory } & Record<string, (...args: number[]) => number>;

/**
 * Compiles `tests/core/door/NAME.ts` like the build: minimal runtime, and only the imports that report traps and work.
 */
export async function openDoor(name: string): Promise<Door> {
  const wasm = await compiled(name);
  let memory: WebAssembly.Memory | null = null;
  const abort = (message: number, file: number, line: number, column: number): never => {
    throw new Error(`trap: ${utf16(memory, message)} at ${utf16(memory, file)}:${line}:${column}`);
  };
  const count = new Count();
  const { instance } = await WebAssembly.instantiate(wasm, {
    env: { abort, isWrong: isInForce, count: count.imports.env.count },
  });
  const exports = instance.exports as Exports;
  memory = exports.memory;
  return new Door(exports, count);
}

/** A compiled door. Its functions read the given input and leave an answer. */
export class Door {
  readonly #exports: Exports;
  readonly #count: Count;

  constructor(exports: Exports, count: Count) {
    this.#exports = exports;
    this.#count = count;
  }

  /** Passes bytes (a string as UTF-8), calls, and returns the answer's bytes. */
  bytes(name: string, input: Uint8Array | string = ""): Uint8Array {
    const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
    const at = this.#call("allocate", bytes.length);
    new Uint8Array(this.#exports.memory.buffer).set(bytes, at);
    this.#call(name);
    const start = this.#call("outputStart");
    const answer = new Uint8Array(this.#exports.memory.buffer).slice(start, start + this.#call("outputLength"));
    this.#call("collect");
    return answer;
  }

  /** The same with the answer as text. */
  text(name: string, input: Uint8Array | string = ""): string {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.bytes(name, input));
  }

  /** Passes a list of arguments as JSON and returns the parsed answer. */
  call(name: string, ...args: unknown[]): unknown {
    return JSON.parse(this.text(name, JSON.stringify(args)));
  }

  /** The work of its calls so far: functions entered and loop iterations begun. */
  get steps(): number {
    return this.#count.steps;
  }

  /** Size of the instance's memory in bytes. */
  get memorySize(): number {
    return this.#exports.memory.buffer.byteLength;
  }

  #call(name: string, ...args: number[]): number {
    const exported = this.#exports[name];
    if (exported === undefined) throw new Error(`the door has no ${name}`);
    return exported(...args);
  }
}

/** Where a door's sources are. */
const SOURCES: readonly string[] = ["core/assembly", "core/bindgen/runtime", "tests/core/door"];

/** A door that counts its work. One with mutants is not kept: its sources are not those of the files. */
async function compiled(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const make = async (): Promise<Uint8Array<ArrayBuffer>> => counting(await compile(`tests/core/door/${name}.ts`));
  return process.env[PLAN] === undefined ? kept(name, contentOf(SOURCES, ".ts"), make) : make();
}

async function compile(entry: string): Promise<Uint8Array<ArrayBuffer>> {
  const { main } = await import("assemblyscript/asc");
  const outputs: Uint8Array[] = [];
  const args = [entry, "--outFile", "door.wasm", "--runtime", "minimal", "--exportRuntime", "--debug"];
  const { error, stderr } = await main(args, {
    readFile: async (file, base) => {
      const source = path.resolve(root, base, file);
      return mutantSource(source, await readText(source));
    },
    writeFile: (_file, contents) => {
      if (typeof contents !== "string") outputs.push(contents);
    },
    listFiles: () => [],
  });
  const [wasm] = outputs;
  if (error !== null || wasm === undefined) throw new Error(`${entry} does not compile\n${stderr.toString()}`);
  return new Uint8Array(wasm);
}

async function readText(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch {
    return null;
  }
}

// AssemblyScript stores a string's length in bytes right before it.
function utf16(memory: WebAssembly.Memory | null, at: number): string {
  if (memory === null || at === 0) return "";
  const length = new DataView(memory.buffer).getUint32(at - 4, true);
  return new TextDecoder("utf-16le").decode(memory.buffer.slice(at, at + length));
}

/** Repeatable random numbers, for tests with random bytes. Below `limit`. */
export function randomFrom(seed: number): (limit: number) => number {
  let state = seed >>> 0 || 1;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}
