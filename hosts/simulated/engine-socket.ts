// The engine's own socket, as programs of its simulated machine reach it: containers that clean up for their creators
// get `/var/run/docker.sock` as a mount.

import { SocketError } from "./traffic/errors.js";
import type { WorldTime } from "./world-time.js";

/** Where clients mount it. */
export const SOCKET = "/var/run/docker.sock";

/** How the engine on this host answers a request. Rejects while there is none. */
type Answering = (target: string, init: RequestInit) => Promise<Response>;

export interface SocketAnswer {
  readonly status: number;
  readonly text: string;
}

export class EngineSocket {
  readonly #time: Pick<WorldTime, "beyond">;
  #answer: Answering | null = null;

  constructor(time: Pick<WorldTime, "beyond">) {
    this.#time = time;
  }

  /** The engine that was opened last serves it. */
  serve(answer: Answering): void {
    this.#answer = answer;
  }

  /** Rejects if no engine answers. `ended` takes the request back. */
  async request(method: string, target: string, ended: AbortSignal): Promise<SocketAnswer> {
    const answer = this.#answer;
    if (answer === null) throw new SocketError("ECONNREFUSED");
    return this.#time.beyond(
      answer(target, { method, signal: ended }).then(async (response) => ({
        status: response.status,
        text: await response.text(),
      })),
    );
  }
}
