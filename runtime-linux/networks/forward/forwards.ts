// The engine's end of the process that forwards published ports where no rules of the kernel do. It outlives the engine,
// so that these ports, too, are served while no engine runs.

import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { bundled, FollowerProcess } from "../../followers/follower-process.js";
import type { Refused } from "../../followers/protocol.js";
import type { Kernel } from "../../kernel.js";
import type { Paths } from "../../paths.js";
import { ForwardFiles, type Forward } from "./forward-files.js";

/** MiB for as many connections as the process serves at once. */
const HEAP = 96;
/** Before a process that was killed is started anew. */
const PAUSE_MS = 100;
const NONE: readonly Refused[] = [];

export class Forwards {
  readonly #files: ForwardFiles;
  readonly #process: FollowerProcess;
  #isClosed = false;

  /** `program`: the file that the process runs. */
  constructor(kernel: Kernel, paths: Paths, program = bundled("ports.cjs")) {
    this.#files = new ForwardFiles(paths.networks("ports"));
    this.#files.make();
    this.#process = new FollowerProcess(kernel, this.#files.directory, { file: program, heap: HEAP }, () => {
      void this.#revive().catch(() => {});
    });
  }

  /** Forwards exactly these ports for `holder` from now on. Tells which of them cannot be had; the others are served. */
  async serve(holder: string, forwards: Forward[]): Promise<readonly Refused[]> {
    const before = this.#files.read("forwards", holder);
    if (forwards.length === 0) {
      if (before !== undefined) await this.#end(holder);
      return NONE;
    }
    if (!isDeepStrictEqual(before, { forwards })) this.#files.write("forwards", holder, { forwards });
    const { errno, refused = NONE } = await this.#process.changed("forwards", holder);
    if (errno !== undefined) throw new Error(`ports of ${holder}: ${errno}`);
    return refused;
  }

  /** Forgets what a crash has left: ports of others than these. */
  async found(holders: readonly string[]): Promise<void> {
    const gone = this.#files.names("forwards").filter((name) => !holders.includes(name));
    // A process that is still there serves them.
    if (gone.length > 0 && this.#process.wasThere) await this.#process.connection();
    for (const name of gone) await this.#end(name);
  }

  /** The process goes on if it is of use. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#process.close();
  }

  /** A process that starts later finds no file. */
  async #end(holder: string): Promise<void> {
    this.#files.remove("forwards", holder);
    if (this.#process.isThere) await this.#process.changed("forwards", holder);
  }

  /** A port that another program has taken meanwhile is no longer ours. */
  async #revive(): Promise<void> {
    await sleep(PAUSE_MS, undefined, { ref: false });
    if (!this.#isClosed && this.#files.names("forwards").length > 0) await this.#process.connection();
  }
}
