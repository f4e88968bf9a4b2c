// Loaded into a daemon before its own program: at SIGUSR2 it collects garbage, and writes down what memory is in use still.
// See `collected-memory.ts`.
const { renameSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { setFlagsFromString } = require("node:v8");
const { runInNewContext } = require("node:vm");
const { isMainThread } = require("node:worker_threads");

if (isMainThread) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  process.on("SIGUSR2", () => {
    collect();
    // What the first finds at its end the second frees.
    setImmediate(() => {
      collect();
      tell(process.memoryUsage());
    });
  });
}

function tell({ heapUsed, external }) {
  const file = join(tmpdir(), `coracle-memory-${process.pid}`);
  writeFileSync(`${file}.draft`, JSON.stringify({ objects: heapUsed, others: external }));
  renameSync(`${file}.draft`, file);
}
