// Checks that a running container shows nothing of earlier runs: no exit code, no start error, and no lack of memory.

import { Breach } from "../../breach.js";
import { RUNNING, wordOf } from "../../ledger.js";
import type { Invariant, Seen } from "../invariant.js";

export class Begun implements Invariant {
  stepped({ ledger }: Seen): void {
    for (const key of ledger.changed) {
      const record = key.startsWith("container/") ? ledger.containers.get(key.slice("container/".length)) : undefined;
      if (record === undefined || !RUNNING.includes(wordOf(record))) continue;
      const { id, exitCode, error, outOfMemory, memoryKills = 0 } = record;
      if (exitCode !== 0) broken(`${id} runs, but has exit code ${exitCode}`);
      if (error !== "") broken(`${id} runs, but has a start error: ${error}`);
      if (outOfMemory !== memoryKills > 0) broken(`${id} has ${memoryKills} kills, but outOfMemory is ${outOfMemory}`);
    }
  }
}

function broken(message: string): never {
  throw new Breach("begun", message);
}
