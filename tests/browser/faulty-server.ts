// A server of the playground that fails for some files until it is repaired.

import type { RequestListener } from "node:http";
import { answersFrom } from "../../hosts/browser/serve.js";
import { PLAYGROUND } from "./chromium.js";

/** A status; a connection that ends without an answer; one that ends in the middle of an answer. */
export type Failure = 404 | 500 | "cut" | "broken off";

export class FaultyServer {
  readonly #files = answersFrom(PLAYGROUND);
  #failing: { readonly path: RegExp; readonly failure: Failure; times: number } | null = null;

  /** Fails this many times, or until it is repaired. */
  fail(path: RegExp, failure: Failure, times = Infinity): void {
    this.#failing = { path, failure, times };
  }

  mend(): void {
    this.#failing = null;
  }

  readonly answer: RequestListener = (request, response) => {
    const failing = this.#failing;
    if (failing === null || failing.times === 0 || !failing.path.test(request.url ?? "")) {
      return this.#files(request, response);
    }
    failing.times -= 1;
    if (failing.failure === "cut") return void request.socket.destroy();
    if (failing.failure !== "broken off") return void response.writeHead(failing.failure).end();
    response.writeHead(200, { "content-length": 1_000_000 });
    response.write("the beginning", () => request.socket.destroy());
  };
}
