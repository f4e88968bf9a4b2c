// Lets processes that follow the same files start one after the other, so that the second one finds the first. An engine
// may have been killed while its process started, and the next engine starts another one.

import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { attempt, errnoException } from "../kernel/calls.js";
import { EAGAIN, LOCK_EX, LOCK_NB } from "../kernel/numbers.js";

/** Less than an engine waits for a process that it starts. */
const LIMIT_MS = 8000;
const LOOK_MS = 10;

/** Waits for a lock of the directory (flock(2)). Resolves with what gives it back; a process that ends does that, too. */
export async function turnToStart(directory: string): Promise<() => void> {
  const fd = openSync(directory, "r");
  for (const end = performance.now() + LIMIT_MS; ; await sleep(LOOK_MS)) {
    const result = attempt("flock", fd, LOCK_EX | LOCK_NB);
    if (result === 0) return () => closeSync(fd);
    if (result === -EAGAIN && performance.now() < end) continue;
    closeSync(fd);
    throw errnoException(-result, "flock", directory);
  }
}
