// The channel of one exchange, for a caller of `connect`.

import type { Exchange } from "../../request/index.js";
import type { HijackedClient } from "../../streams/index.js";
import type { replies } from "../../shared/index.js";
import { BrokenOff } from "../failures.js";
import type { Connection } from "./connection.js";
import type { LocalChannel } from "./fetch-channel.js";
import { headersOf } from "./reply-headers.js";
import { ReplyStream } from "./reply-stream.js";
import { SentStream } from "./sent-stream.js";

export class ConnectChannel implements LocalChannel {
  readonly connection: Promise<Connection>;
  exchange: Exchange | null = null;
  answered = false;
  #gone: () => void = () => this.exchange?.closed();
  readonly #output = new ReplyStream(() => this.#leave());
  readonly #input = new SentStream(() => this.#gone());
  #resolve!: (connection: Connection) => void;
  #reject!: (error: unknown) => void;

  constructor() {
    this.connection = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  whole(head: replies.Head, body: Uint8Array): void {
    this.#answer(head, new TextDecoder().decode(body), body.length);
    this.#close();
    this.exchange?.finished();
  }

  bare({ head, body }: replies.Whole): void {
    this.whole(head, body);
  }

  /** There is nowhere to put a body that arrives bit by bit. */
  open(): void {
    this.exchange?.closed();
    this.fail(new TypeError("the request does not take its connection off HTTP: use `fetch`"));
  }

  write(_bytes: Uint8Array, sent: (wentOut: boolean) => void): void {
    sent(false);
  }

  end(): void {}

  hijack(gone: () => void): HijackedClient {
    this.#gone = gone;
    return {
      begin: (head) => this.#answer(head, null, null),
      bytes: () => this.#input.bytes(),
      write: (bytes) => new Promise((resolve) => this.#output.write(bytes, resolve)),
      end: () => this.#close(),
    };
  }

  destroy(): void {
    this.fail(new BrokenOff());
  }

  fail(error: unknown): void {
    this.answered = true;
    this.#reject(error);
    this.#output.fail(error);
    this.#input.fail(error);
  }

  #close(): void {
    this.#output.end(() => {});
    this.#input.fail(new TypeError("the connection is closed"));
  }

  /** The program closes it: as with a socket, in both directions. */
  #leave(): void {
    this.#input.fail(new TypeError("the connection is closed"));
    this.#gone();
  }

  #answer(head: replies.Head, refusal: string | null, length: number | null): void {
    this.answered = true;
    const { readable } = this.#output;
    const { writable } = this.#input;
    this.#resolve({ status: head.status, headers: headersOf(head, length), refusal, readable, writable });
  }
}
