// The channel of one exchange, for a caller of `fetch`.

import type { Channel, Exchange } from "../../request/index.js";
import type { HijackedClient } from "../../streams/index.js";
import type { replies } from "../../shared/index.js";
import { mayHaveBody } from "../../request/index.js";
import { BrokenOff } from "../failures.js";
import { headersOf } from "./reply-headers.js";
import { ReplyStream } from "./reply-stream.js";

/** A channel whose client is in this program. */
export interface LocalChannel extends Channel {
  /** Gets told what happens to the client. */
  exchange: Exchange | null;
  /** The head has been passed on, or never will be. */
  readonly answered: boolean;
  /** Breaks it off with this error, without telling the exchange. */
  fail(error: unknown): void;
}

export class FetchChannel implements LocalChannel {
  readonly response: Promise<Response>;
  exchange: Exchange | null = null;
  answered = false;
  readonly #isHead: boolean;
  readonly #stream = new ReplyStream(() => this.#left());
  /** The reader has cancelled. */
  #left: () => void = () => this.exchange?.closed();
  #resolve!: (response: Response) => void;
  #reject!: (error: unknown) => void;

  constructor(method: string) {
    this.#isHead = method === "HEAD";
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  whole(head: replies.Head, body: Uint8Array): void {
    const sends = body.length > 0 && this.#hasBody(head);
    this.#answer(head, sends ? (body as Uint8Array<ArrayBuffer>) : null, body.length);
    this.exchange?.finished();
  }

  open(head: replies.Head): void {
    this.#answer(head, this.#hasBody(head) ? this.#stream.readable : null, null);
  }

  write(bytes: Uint8Array, sent: (wentOut: boolean) => void): void {
    if (this.#isHead) sent(true);
    else this.#stream.write(bytes, sent);
  }

  end(): void {
    this.#stream.end(() => this.exchange?.finished());
  }

  bare({ head, body }: replies.Whole): void {
    this.whole(head, body);
  }

  /** The output becomes the body. Stdin stays open and gets nothing. */
  hijack(gone: () => void): HijackedClient {
    const left = new Promise<void>((resolve) => {
      this.#left = () => {
        resolve();
        gone();
      };
    });
    return {
      begin: (head) => this.#answer(head, this.#stream.readable, null),
      bytes: () => nothingUntil(left),
      write: (bytes) => new Promise((resolve) => this.#stream.write(bytes, resolve)),
      end: () => this.#stream.end(() => {}),
    };
  }

  destroy(): void {
    this.fail(new BrokenOff());
  }

  fail(error: unknown): void {
    this.answered = true;
    this.#reject(error);
    this.#stream.fail(error);
  }

  #hasBody(head: replies.Head): boolean {
    return !this.#isHead && mayHaveBody(head.status);
  }

  #answer(head: replies.Head, body: BodyInit | null, length: number | null): void {
    this.answered = true;
    this.#resolve(new Response(body, { status: head.status, headers: headersOf(head, length) }));
  }
}

function nothingUntil(left: Promise<void>): AsyncIterable<Uint8Array> {
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    await left;
    return { done: true, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}
