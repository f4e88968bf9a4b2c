// Keeps the part of V8's heap for new objects at its first megabyte: V8 would permanently give them 32, without a gain
// here.

import { setFlagsFromString } from "node:v8";

/** It changes a setting of V8, so it is for a process of our own. Bytes of buffers are outside of this part. */
export function keepYoungSmall(): void {
  dontGrow();
  // The heap of each new thread sets the flag back, for all threads.
  process.on("worker", (thread) => thread.once("online", dontGrow));
}

function dontGrow(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}
