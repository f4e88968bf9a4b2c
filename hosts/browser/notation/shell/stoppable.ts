// Requests of a command that can be stopped while it runs. Their output is fed to the reader.

import type { Exchange } from "../../session/exchange.js";
import type { TextFile, WrittenRequest } from "../../session/request.js";
import type { Sender } from "../plan.js";
import type { Feed } from "./feed.js";
import { following } from "./growing.js";
import { OUTPUT, type Taken } from "./output.js";

/** A command was stopped before it finished. */
export class Stopped extends Error {}

export class StoppableSender implements Sender {
  readonly #sender: Sender;
  readonly #stopped: AbortSignal;
  readonly #feed: Feed | undefined;
  readonly #taken: Taken;
  readonly #sent: Exchange[] = [];
  readonly #feeding: (() => Promise<boolean>)[] = [];
  readonly #stop = (): void => this.#cancelAll();

  constructor(
    sender: Sender,
    stopped: AbortSignal,
    how: { readonly feed?: Feed | undefined; readonly taken?: Taken | undefined },
  ) {
    this.#sender = sender;
    this.#stopped = stopped;
    this.#feed = how.feed;
    this.#taken = how.taken ?? OUTPUT;
    stopped.addEventListener("abort", this.#stop);
  }

  async send(request: WrittenRequest): Promise<Exchange> {
    if (this.#stopped.aborted) throw new Stopped();
    const exchange = await this.#sender.send(request);
    this.#sent.push(exchange);
    const feed = this.#feed;
    if (feed !== undefined) this.#feeding.push(following(exchange, this.#taken, (text) => feed.write(text)));
    if (this.#stopped.aborted) this.#cancelAll();
    return exchange;
  }

  cancel(exchange: number): Promise<void> {
    return this.#sender.cancel(exchange);
  }

  folder(): readonly TextFile[] {
    return this.#sender.folder();
  }

  /** Its requests are over. Resolves when all output is written, to whether there was any. */
  async end(): Promise<boolean> {
    this.#stopped.removeEventListener("abort", this.#stop);
    const fed = await Promise.all(this.#feeding.map((stop) => stop()));
    return fed.includes(true);
  }

  #cancelAll(): void {
    for (const { number, state } of this.#sent) {
      if (state.value === "sending" || state.value === "streaming") void this.#sender.cancel(number);
    }
  }
}
