// The event stream that keeps a session's world up to date: one request, repeated with each new engine instance.

import type { Engine } from "../../embedding/engine.js";
import type { engine } from "../../shared/index.js";

export class EventWatch {
  /** Target of the pending request. */
  #awaited: string | null = null;
  #since = 0n;
  #reads = false;

  /** An instance was opened at this time of day. Events from then on are watched. */
  engineOpened(wall: bigint): void {
    this.#since = wall;
  }

  /**
   * Resolves when the engine has answered, and then reads to the end. Does nothing if the engine is down or already
   * watched.
   */
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

  /** Whether this is that request; true only once. */
  claims(request: engine.Request): boolean {
    if (request.method !== "GET" || request.target !== this.#awaited) return false;
    this.#awaited = null;
    return true;
  }
}

/** Discards the bytes: the events were seen when they left the core. */
async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // Cut off with the instance. A new stream watches the next one.
  }
}
