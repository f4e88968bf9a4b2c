// A running exchange: sends a request to the engine and collects the answer piece by piece.

import { computed, signal } from "@preact/signals-core";
import type { Engine } from "../../embedding/engine.js";
import { archiveOf } from "./archive.js";
import type { AnswerHead, Exchange, ExchangeState, Piece } from "./exchange.js";
import { hijacks } from "./request.js";
import type { WrittenRequest } from "./request.js";
import { viewOf } from "./view/views.js";

/** An arbitrary host: the engine looks only at path and query. */
const BASE = "http://engine";

export interface SendingOptions {
  number: number;
  cell: string;
  request: WrittenRequest;
  /** The current monotonic nanoseconds of the world. */
  now: () => bigint;
}

export class Sending implements Exchange {
  readonly number: number;
  readonly cell: string;
  readonly request: WrittenRequest;
  readonly at: bigint;
  readonly state = signal<ExchangeState>("sending");
  readonly problem = signal("");
  readonly head = signal<AnswerHead | null>(null);
  readonly pieces = signal<readonly Piece[]>([]);
  readonly typable = signal(false);
  readonly steps = signal<readonly number[]>([]);
  readonly view = computed(() => viewOf(this.request, this.head.value, this.pieces.value));
  readonly #now: () => bigint;
  readonly #gone = new AbortController();
  #input: WritableStreamDefaultWriter<Uint8Array> | null = null;

  constructor({ number, cell, request, now }: SendingOptions) {
    this.number = number;
    this.cell = cell;
    this.request = request;
    this.#now = now;
    this.at = now();
  }

  /** Sends it. Resolves when the answer is over; never rejects. */
  async send(engine: Engine): Promise<void> {
    try {
      if (!this.request.target.startsWith("/")) throw new Error("the path of a request must begin with /");
      if (hijacks(this.request)) await this.#connect(engine);
      else await this.#fetch(engine);
      this.state.value = "done";
    } catch (error) {
      this.problem.value = this.#gone.signal.aborted ? "you closed it" : messageOf(error);
      this.state.value = "broken";
    }
    this.typable.value = false;
  }

  type(text: string): void {
    void this.#input?.write(new TextEncoder().encode(text)).catch(() => {});
  }

  /** The half-close. */
  endInput(): void {
    void this.#input?.close().catch(() => {});
    this.#input = null;
    this.typable.value = false;
  }

  cancel(): void {
    this.#gone.abort();
  }

  /** Records a step that the exchange caused or that answers it. */
  reached(step: number): void {
    if (!this.steps.value.includes(step)) this.steps.value = [...this.steps.value, step];
  }

  async #fetch(engine: Engine): Promise<void> {
    const answer = await engine.fetch(BASE + this.request.target, this.#init());
    this.#answered(answer.status, answer.headers);
    if (answer.body !== null) await this.#read(answer.body);
  }

  async #connect(engine: Engine): Promise<void> {
    const connection = await engine.connect(BASE + this.request.target, this.#init());
    this.#answered(connection.status, connection.headers);
    if (connection.refusal !== null) return this.#add(new TextEncoder().encode(connection.refusal));
    this.#input = connection.writable.getWriter();
    this.typable.value = true;
    await this.#read(connection.readable);
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.getReader();
    const stop = (): void => void reader.cancel().catch(() => {});
    this.#gone.signal.addEventListener("abort", stop);
    for (let next = await reader.read(); !next.done; next = await reader.read()) this.#add(next.value);
    if (this.#gone.signal.aborted) throw new Error("closed");
  }

  #answered(status: number, headers: Headers): void {
    this.head.value = { status, headers: [...headers], at: this.#now() };
    this.state.value = "streaming";
  }

  #add(bytes: Uint8Array): void {
    if (bytes.length > 0) this.pieces.value = [...this.pieces.value, { at: this.#now(), bytes }];
  }

  #init(): RequestInit {
    const { method, headers, body: text, files } = this.request;
    const init = { method, headers: headers.map(([name, value]): [string, string] => [name, value]) };
    const body = files === undefined ? text : archiveOf(files);
    return { ...init, ...(body === "" ? {} : { body }), signal: this.#gone.signal };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
