// The reply to a call: the core's JSON becomes messages, and its error becomes a status of gRPC.

import { constants } from "node:http2";
import type { ServerHttp2Stream } from "node:http2";
import { encode, status } from "../../buildkit/index.js";
import type { Fields, Method } from "../../buildkit/index.js";
import type { Channel, Exchange, Session } from "../../request/index.js";
import { namesAndValues } from "../../request/index.js";
import type { HijackedClient } from "../../streams/index.js";
import type { replies } from "../../shared/index.js";
import { CarriedConnection } from "./carried-connection.js";
import { sessionOn } from "./call-client.js";
import { INTERNAL, RESOURCE_EXHAUSTED, framed } from "./messages.js";
import type { Limits } from "./messages.js";

/** The header in which the core tells the code of gRPC's. */
const CODE = "grpc-status";
const UNKNOWN = 2;
const NEWLINE = 0x0a;

export class CallChannel implements Channel {
  readonly #stream: ServerHttp2Stream;
  /** Null if there is no such call. */
  readonly #method: Method | null;
  readonly #limits: Limits;
  /** A line of JSON that has not ended. */
  #held: Uint8Array[] = [];
  #heldLength = 0;
  /** Bytes of answers that the client has not read. */
  #unread = 0;
  #responded = false;
  #exchange: Exchange | null = null;
  #ended = false;

  /** Keeps what a client gives on a session that this call carries. */
  offer: (session: Session) => void = () => {};

  /** `limits`: of its connection. */
  constructor(stream: ServerHttp2Stream, method: Method | null, limits: Limits) {
    this.#stream = stream;
    this.#method = method;
    this.#limits = limits;
    stream.once("close", () => this.#forget(this.#unread));
  }

  /** The client has left. */
  get isGone(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  reportTo(exchange: Exchange): void {
    this.#exchange = exchange;
    this.#stream.once("close", () => this.lost());
  }

  /** The client can no longer be reached. */
  lost(): void {
    if (!this.#ended) this.#exchange?.closed();
  }

  whole(head: replies.Head, body: Uint8Array): void {
    const answer = parsed(body);
    if (head.status < 300) {
      const message = this.#messageOf(answer ?? {});
      if (message === null) return this.fail(INTERNAL);
      if (!this.#keep(message.length)) return this.fail(RESOURCE_EXHAUSTED);
      this.#respond();
      this.#stream.write(message, () => this.#forget(message.length));
      return this.end();
    }
    this.#fail(codeOf(head), String(answer?.message ?? ""), (answer?.details as unknown[] | undefined) ?? []);
  }

  /** Fails without words: the core was not asked. */
  fail(code: number): void {
    this.#close({ [CODE]: String(code) });
  }

  open(): void {
    this.#respond();
  }

  write(bytes: Uint8Array, sent: (wentOut: boolean) => void): void {
    if (this.#stream.destroyed) return sent(false);
    if (!this.#keep(bytes.length)) return this.#breakOff(RESOURCE_EXHAUSTED, sent);
    const length = this.#heldLength + bytes.length;
    const ready = this.#messagesTo(bytes);
    if (ready === null) return this.#breakOff(INTERNAL, sent);
    const going = length - this.#heldLength;
    this.#respond();
    this.#stream.write(Buffer.concat(ready), (error) => {
      this.#forget(going);
      sent(!error);
    });
  }

  end(): void {
    this.#close({ [CODE]: "0" });
  }

  bare({ head, body }: replies.Whole): void {
    this.whole(head, body);
  }

  hijack(): HijackedClient {
    throw new Error("a call does not become a stream of bytes");
  }

  calls({ pulse }: replies.Calls, gone: () => void): void {
    this.#respond();
    this.#stream.once("wantTrailers", () => this.#stream.sendTrailers({ [CODE]: "0" }));
    this.offer(sessionOn(new CarriedConnection(this.#stream, this.#limits), pulse, gone));
  }

  destroy(): void {
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  /** Null if the values do not fit the message: what the core tells may come from a record that was damaged. */
  #messageOf(fields: Fields): Buffer | null {
    try {
      return framed(encode(this.#method?.response ?? {}, fields));
    } catch {
      return null;
    }
  }

  /** The messages whose lines end in these bytes; null if one does not fit. */
  #messagesTo(bytes: Uint8Array): Buffer[] | null {
    let from = 0;
    const ready: Buffer[] = [];
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
      this.#held.push(bytes.subarray(from, at));
      const message = this.#messageOf(parsed(Buffer.concat(this.#held)) ?? {});
      this.#held = [];
      if (message === null) return null;
      ready.push(message);
      from = at + 1;
    }
    this.#heldLength = bytes.length - from + (from === 0 ? this.#heldLength : 0);
    if (from < bytes.length) this.#held.push(bytes.slice(from));
    return ready;
  }

  /** False if the connection's client leaves too much unread. */
  #keep(length: number): boolean {
    if (this.#limits.unread + length > this.#limits.mostUnread) return false;
    this.#unread += length;
    this.#limits.unread += length;
    return true;
  }

  /** What was kept is read, or is dropped with the stream. */
  #forget(length: number): void {
    const kept = Math.min(length, this.#unread);
    this.#unread -= kept;
    this.#limits.unread -= kept;
  }

  #breakOff(code: number, sent: (wentOut: boolean) => void): void {
    sent(false);
    this.lost();
    this.fail(code);
  }

  #respond(): void {
    if (this.#responded || this.isGone) return;
    this.#responded = true;
    this.#stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  }

  /** Messages and details have any characters; a trailer has few. */
  #fail(code: number, message: string, details: unknown[]): void {
    const shown = details.map((detail) => {
      const { type, value } = detail as { type: string; value: unknown };
      return { type_url: type, value: Buffer.from(JSON.stringify(value)).toString("base64") };
    });
    const whole = encode(status, { code, message, details: shown });
    this.#close({
      [CODE]: String(code),
      "grpc-message": escaped(message),
      "grpc-status-details-bin": Buffer.from(whole).toString("base64").replaceAll("=", ""),
    });
  }

  #close(trailers: Record<string, string>): void {
    this.#ended = true;
    this.#respond();
    if (!this.isGone) {
      this.#stream.once("wantTrailers", () => this.#stream.sendTrailers(trailers));
      this.#stream.end();
    }
    if (this.#exchange?.over === false) this.#exchange.finished();
  }
}

/** Only what is no printable ASCII, and the sign of an escape itself: some clients show the rest as it is. */
function escaped(message: string): string {
  return message.replaceAll(/[^\x20-\x24\x26-\x7e]+/g, encodeURIComponent);
}

function codeOf({ headers }: replies.Head): number {
  const all = namesAndValues(headers);
  const at = all.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === CODE);
  return at < 0 ? UNKNOWN : Number(all[at + 1]);
}

/** Null if it is no JSON: a redirect's body, say. */
function parsed(bytes: Uint8Array): Fields | null {
  if (bytes.length === 0) return null;
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as Fields;
  } catch {
    return null;
  }
}
