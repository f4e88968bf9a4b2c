// One request and its answer. Follows redirects, notices silence, and can be aborted.

import { after, failureOf, HostFailure, interrupted, tooLarge } from "../shared/index.js";
import type { Clock } from "../shared/index.js";
import { failedExchange, unanswered } from "./failures.js";
import { MOST_REDIRECTS } from "./limits.js";
import { secretsIn, withoutMeta } from "./secrets.js";
import {
  isStream,
  type RequestBody,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "./transport.js";
import type { Trust } from "./trust.js";
import { brokenOff, unreachable } from "./unreachable.js";

/** A request to a registry or its token server. */
export interface Question {
  method: TransportRequest["method"];
  url: string;
  /** Names in lower case. `authorization` and `x-meta-*` are sent only to the origin of `url`. */
  headers: Record<string, string>;
  body?: RequestBody;
  trust: Trust;
  /** How long to wait for the other side to send something, if not as usual. */
  silenceMs?: number;
  signal?: AbortSignal | undefined;
}

/** An answer. Reading its body fails with a `HostFailure` if the other side breaks off or goes silent. */
export interface Answer extends TransportResponse {
  /** Who gave it, after all redirects: `https://registry.example`. */
  origin: string;
}

/** How requests are sent. */
export interface Line {
  transport: Transport;
  clock: Clock;
  /** How long to wait, by the clock, for the other side to send something. */
  silenceMs: number;
}

/** Sends the request and follows redirects. */
export async function exchange(line: Line, question: Question): Promise<Answer> {
  let { url, headers } = question;
  if (!URL.canParse(url)) throw failedExchange(question, { tag: "other", val: "invalid URL" });
  for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
    const answer = await ask(line, { ...question, url, headers });
    const location = REDIRECTS.has(answer.status) ? answer.header("location") : null;
    if (location === null) return answer;
    answer.cancel();
    const next = redirect(question, url, location);
    // A stream cannot be sent twice.
    if (isStream(question.body)) throw failedExchange(question, { tag: "bad-redirect" });
    if (next.origin !== new URL(url).origin) {
      // A form's fields are credentials too, so a form is not redirected.
      if (typeof question.body === "string") throw failedExchange(question, { tag: "form-redirect" });
      headers = forAnotherServer(headers);
    }
    url = next.href;
  }
  throw failedExchange(question, { tag: "redirects", val: MOST_REDIRECTS });
}

/** The whole body, up to `limit` bytes; a longer one fails as `too-large`. */
export async function readAll(body: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const { bytes, whole } = await readUpTo(body, limit);
  if (!whole) throw tooLarge("answer", "", limit);
  return bytes;
}

/** The beginning of the body, as text. */
export async function readText(body: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
  return new TextDecoder().decode((await readUpTo(body, limit)).bytes);
}

/** The body if it has at most `limit` bytes; otherwise its beginning. */
export async function readUpTo(
  body: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<{ bytes: Uint8Array; whole: boolean }> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    parts.push(part);
    size += part.length;
    if (size > limit) break;
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { bytes: bytes.subarray(0, limit), whole: size <= limit };
}

async function ask({ transport, clock, silenceMs }: Line, question: Question): Promise<Answer> {
  const { method, url, headers, body, trust, signal } = question;
  if (signal?.aborted) throw interrupted("given-up");
  const watch = new Watch(signal, clock, question.silenceMs ?? silenceMs);
  try {
    const { anyCertificate: insecure, registry, way } = trust;
    const sent = body === undefined ? {} : { body: isStream(body) ? watch.watched(body) : body };
    const request = { method, url, headers, insecure, registry, way, signal: watch.signal, ...sent };
    const response = await watch.over(transport(request));
    return {
      status: response.status,
      header: response.header,
      origin: new URL(response.followedTo || url).origin,
      ...(response.alsoSent && { alsoSent: response.alsoSent }),
      body: read(response.body, watch, question),
      cancel: () => {
        response.cancel();
        watch.end();
      },
    };
  } catch (error) {
    watch.end();
    throw watch.verdict(question, error);
  }
}

async function* read(body: AsyncIterable<Uint8Array>, watch: Watch, question: Question): AsyncGenerator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await watch.over(iterator.next());
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    throw watch.verdict(question, error, true);
  } finally {
    watch.end();
    iterator.return?.()?.catch(() => {});
  }
}

/** Ends a request if the caller aborts it or if the other side is silent for too long. */
class Watch {
  readonly #controller = new AbortController();
  readonly #givenUp: AbortSignal | undefined;
  readonly #clock: Clock;
  readonly #silenceMs: number;
  readonly #abort = (): void => this.#controller.abort();
  #silent = false;
  /** How many pieces of the request's body were taken. Each is a sign of life. */
  #taken = 0;
  /** Why the request's body could not be read. */
  #unread: HostFailure | undefined;

  constructor(givenUp: AbortSignal | undefined, clock: Clock, silenceMs: number) {
    this.#givenUp = givenUp;
    this.#clock = clock;
    this.#silenceMs = silenceMs;
    givenUp?.addEventListener("abort", this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Waits for one sign of life. Rejects by itself, because not every transport ends a pending read when it is aborted.
   */
  over<T>(pending: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const signal = this.#controller.signal;
      const stop = (): void => {
        callOff();
        signal.removeEventListener("abort", stopped);
      };
      const stopped = (): void => {
        stop();
        reject(new Error("stopped"));
      };
      let callOff = (): void => {};
      const wait = (): void => {
        const taken = this.#taken;
        callOff = after(this.#clock, this.#silenceMs, () => {
          if (this.#taken > taken) return wait();
          this.#silent = true;
          this.#controller.abort();
        });
      };
      wait();
      signal.addEventListener("abort", stopped, { once: true });
      if (signal.aborted) stopped();
      pending.then(
        (value) => (stop(), resolve(value)),
        (error: unknown) => (stop(), reject(error)),
      );
    });
  }

  /** The request's body, while the other side takes it. */
  async *watched(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of body) {
        this.#taken++;
        yield piece;
      }
    } catch (error) {
      this.#unread = error instanceof HostFailure ? error : new HostFailure(failureOf(error));
      throw this.#unread;
    }
  }

  end(): void {
    this.#givenUp?.removeEventListener("abort", this.#abort);
  }

  /** Why a request ended in an error. */
  verdict(question: Question, error: unknown, answered = false): HostFailure {
    if (this.#givenUp?.aborted) return interrupted("given-up");
    if (this.#unread !== undefined) return this.#unread;
    if (this.#silent) return unanswered(question, { tag: "timeout" });
    const secrets = secretsIn(question.headers);
    return (answered ? brokenOff : unreachable)(question, error, secrets);
  }
}

function redirect(question: Question, from: string, location: string): URL {
  if (!URL.canParse(location, from)) throw failedExchange(question, { tag: "bad-redirect" });
  const next = new URL(location, from);
  const plain = next.protocol === "http:" && (question.trust.plain || from.startsWith("http:"));
  if (next.protocol === "https:" || plain) return next;
  throw failedExchange(question, { tag: "insecure-redirect", val: next.protocol });
}

/** Another server gets nothing that may be a secret of the client's. */
function forAnotherServer({ authorization: _, ...headers }: Record<string, string>): Record<string, string> {
  return withoutMeta(headers);
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
