// Who runs shows nothing of the runs before: no exit code, no failed start, and no want of memory that was not in this run.

import { Breach } from "../../breach.js";
import { RUNNING, wordOf } from "../../ledger.js";
import type { Invariant, Seen } from "../invariant.js";

export class Begun implements Invariant {
  stepped({ ledger }: Seen): void {
    for (const key of ledger.changed) {
      const record = key.startsWith("container/") ? ledger.containers.get(key.slice("container/".length)) : undefined;
      if (record === undefined || !RUNNING.includes(wordOf(record))) continue;
      const { id, exitCode, error, outOfMemory, memoryKills = 0 } = record;
      if (exitCode !== 0) broken(`${id} runs, and has ended with ${exitCode}`);
      if (error !== "") broken(`${id} runs, and could not be started: ${error}`);
      if (outOfMemory !== memoryKills > 0) broken(`${id} was killed ${memoryKills} times, and is told otherwise`);
    }
  }
}

function broken(message: string): never {
  throw new Breach("begun", message);
}
