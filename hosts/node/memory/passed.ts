// Frees the memory of bytes that have passed through the engine's thread. They are garbage at once, but V8 counts them
// until it looks for garbage. By itself it then looks through its whole heap, once for each 32 MiB. The youngest objects
// alone take it a millisecond, and the next bytes get memory that is still in the processor's cache.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const OFTEN_BYTES = 8 << 20;

let passed = 0;
let collect: ((how: { type: "minor" }) => void) | undefined;

/** So many more bytes of requests or replies were handed on. It changes a setting of V8, so it is for a process of our own. */
export function notePassed(bytes: number): void {
  passed += bytes;
  if (passed < OFTEN_BYTES) return;
  passed = 0;
  if (collect === undefined) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as (how: { type: "minor" }) => void;
  }
  collect({ type: "minor" });
}
