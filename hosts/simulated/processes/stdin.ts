// Bytes for a process's stdin. Input sent before the launch is queued. All clients of a run share one pipe.

import type { Stdin } from "../../shared/index.js";
import type { Sink } from "./streams.js";
import type { Terminal } from "./terminal.js";

/** Where clients' bytes go: a terminal, or a pipe that ends when it is released. */
export type StdinTarget = { terminal: Terminal } | { sink: Sink; endsOnce: boolean } | null;

export class StdinPipe {
  /** Clients that have not released it. */
  clients = 0;
  #target: StdinTarget = null;
  #state: "waiting" | "open" | "over" = "waiting";
  #ended = false;
  #released = false;
  /** Writes in their order. */
  #queue: { bytes: Uint8Array; taken: () => void }[] = [];
  #moving = false;

  /** The process exists now. Null: it does not read clients' input. */
  connect(target: StdinTarget): void {
    if (this.#state !== "waiting") return;
    if (target === null) return this.close();
    this.#target = target;
    this.#state = "open";
    this.#move();
  }

  /** Resolves when the bytes are taken, or the process has ended. */
  write(bytes: Uint8Array): Promise<void> {
    if (this.#state === "over" || this.#released || bytes.length === 0) return Promise.resolve();
    return new Promise((taken) => {
      this.#queue.push({ bytes: bytes.slice(), taken });
      this.#move();
    });
  }

  /** Whether no client is left that could send input to a future launch. */
  isIdle(): boolean {
    return this.#state === "waiting" && this.clients === 0 && !this.#ended && this.#queue.length === 0;
  }

  /** A client's half-close. */
  end(): void {
    this.#ended = true;
    this.#move();
  }

  /** The run is over or never began: nobody reads any more. */
  close(): void {
    if (this.#state === "over") return;
    this.#state = "over";
    for (const { taken } of this.#queue.splice(0)) taken();
    this.#release();
  }

  #move(): void {
    const target = this.#target;
    if (this.#state !== "open" || this.#moving || target === null) return;
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      const count = this.#put(target, next.bytes);
      if (count === null) return this.close();
      next.bytes = next.bytes.subarray(count);
      if (next.bytes.length > 0) return this.#wait(target);
      this.#queue.shift();
      next.taken();
    }
    if (this.#ended && "sink" in target && target.endsOnce) this.#release();
  }

  #put(target: NonNullable<StdinTarget>, bytes: Uint8Array): number | null {
    if ("sink" in target) return target.sink.put(bytes);
    target.terminal.type(bytes);
    return bytes.length;
  }

  #wait(target: NonNullable<StdinTarget>): void {
    if (!("sink" in target)) return;
    this.#moving = true;
    target.sink.wake(() => {
      this.#moving = false;
      this.#move();
    });
  }

  #release(): void {
    if (this.#released) return;
    this.#released = true;
    if (this.#target && "sink" in this.#target) this.#target.sink.release();
  }
}

/** One client's access to the pipe. */
export class StdinClient implements Stdin {
  #pipe: StdinPipe | undefined;
  readonly #released: () => void;

  /** `released` is called when the client has released its access. */
  constructor(pipe: StdinPipe, released: () => void) {
    this.#pipe = pipe;
    this.#released = released;
    pipe.clients++;
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#pipe?.write(bytes);
  }

  end(): void {
    this.#pipe?.end();
    this.release();
  }

  release(): void {
    if (!this.#pipe) return;
    this.#pipe.clients--;
    this.#pipe = undefined;
    this.#released();
  }
}
