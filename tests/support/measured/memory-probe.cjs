// Preloaded into a daemon. At SIGUSR2 it collects garbage in the core and in JavaScript, and writes the memory in use
// to a file. See `collected-memory.ts`.
const { renameSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { getHeapSpaceStatistics, setFlagsFromString } = require("node:v8");
const { runInNewContext } = require("node:vm");
const { isMainThread } = require("node:worker_threads");

/** Memories of cores that are in use, and how each collects its garbage (`hosts/driver/component.ts`). */
const memories = new Set();
const collections = new WeakMap();

if (isMainThread) {
  WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
    construct: (Instance, args) => noted(new Instance(...args)),
  });
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  process.on("SIGUSR2", () => {
    for (const memory of held()) collections.get(memory)();
    collect();
    // The second collection frees what the first one finalized.
    setImmediate(() => {
      collect();
      tell();
    });
  });
}

function noted(instance) {
  const { memory, collectAndWipe } = instance.exports;
  if (collectAndWipe === undefined) return instance;
  memories.add(new WeakRef(memory));
  collections.set(memory, collectAndWipe);
  return instance;
}

function held() {
  return [...memories].flatMap((memory) => memory.deref() ?? []);
}

/** Bytes in use: the core fills freed memory with zeros, and unused memory is zero too. */
function used(memory) {
  const words = new Uint32Array(memory.buffer);
  let count = 0;
  // By index: an iterator takes eight times as long, and there are millions.
  for (let at = 0; at < words.length; at += 1) if (words[at] !== 0) count += 4;
  return count;
}

/** What V8 has compiled: it goes on compiling for thousands of operations, and nobody's object keeps it. */
function codeBytes() {
  const spaces = getHeapSpaceStatistics().filter((space) => space.space_name.startsWith("code_"));
  return spaces.reduce((sum, space) => sum + space.space_used_size, 0);
}

function tell() {
  const { heapUsed, external } = process.memoryUsage();
  const file = join(tmpdir(), `coracle-memory-${process.pid}`);
  const core = held().reduce((sum, memory) => sum + used(memory), 0);
  const whole = held().reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
  writeFileSync(`${file}.draft`, JSON.stringify({ objects: heapUsed - codeBytes(), others: external - whole, core }));
  renameSync(`${file}.draft`, file);
}
