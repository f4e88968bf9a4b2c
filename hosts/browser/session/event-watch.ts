// The stream of events that a session's world is told by: one request of its own, made anew with each instance of the
// engine.

import type { Engine } from "../../embedding/engine.js";
import type { engine } from "../../shared/host.js";

export class EventWatch {
  /** Target of the request that is on its way. */
  #awaited: string | null = null;
  #since = 0n;
  #reads = false;

  /** An instance was opened at this time of day: what it says from then on is watched. */
  engineOpened(wall: bigint): void {
    this.#since = wall;
  }

  /** Resolves when the engine has answered; reads to the end then. An engine that is down, or watched, is left alone. */
  async begin(engine: Engine): Promise<void> {
    if (this.#reads || engine.state !== "open") return;
    this.#reads = true;
    const [seconds, nanos] = [this.#since / 1_000_000_000n, this.#since % 1_000_000_000n];
    this.#awaited = `/v1.55/events?since=${seconds}.${String(nanos).padStart(9, "0")}`;
    const answer = await engine.fetch(this.#awaited).catch(() => null);
    const body = answer?.body;
    if (body) void drain(body.getReader()).then(() => (this.#reads = false));
    else this.#reads = false;
  }

  /** Whether this is that request; asked once. */
  claims(request: engine.Request): boolean {
    if (request.method !== "GET" || request.target !== this.#awaited) return false;
    this.#awaited = null;
    return true;
  }
}

/** What it says was seen on its way out of the core. */
async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // Cut off with the instance; the next one is watched anew.
  }
}
