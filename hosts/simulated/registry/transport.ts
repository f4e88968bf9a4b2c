// The network between the engine and the simulated registries: its delays and faults.

import { joined } from "../../shared/index.js";
import type { Clock } from "../../shared/index.js";
import { isStream } from "../../registry/index.js";
import type { Transport, TransportRequest, TransportResponse } from "../../registry/index.js";
import { sleep } from "../content/sleep.js";
import type { FaultSource } from "../faults.js";
import { refusal, type Answer } from "./answer.js";
import type { Catalogue } from "./catalogue.js";
import { RegistryServer } from "./server.js";

/** A request that reached a simulated registry. */
export interface LoggedRequest {
  /** The world's monotonic time. */
  at: bigint;
  method: string;
  /** The URL without account names. */
  url: string;
  /** 0 if there was no response. */
  status: number;
}

export interface NetworkOptions {
  catalogue: Catalogue;
  clock: Clock;
  faults: FaultSource;
  /** Handles requests to hosts that the world does not have. Without it they do not exist. */
  elsewhere?: Transport | undefined;
  /** Is passed every promise that depends on something outside the world, and returns it. */
  beyond?: <T>(pending: Promise<T>) => Promise<T>;
  /** Speed of every connection; 20 MB/s if not given. */
  bytesPerSecond?: number;
  /** Time from a request to its response; 20 ms if not given. */
  latencyNs?: bigint;
}

export class RegistryNetwork {
  readonly requests: LoggedRequest[] = [];
  readonly #options: NetworkOptions;
  readonly #server: RegistryServer;

  constructor(options: NetworkOptions) {
    this.#options = options;
    this.#server = new RegistryServer(options.catalogue, () => Number(options.clock.now().wall / 1_000_000_000n));
  }

  readonly transport: Transport = async (request) => {
    const { elsewhere, clock, faults, latencyNs = LATENCY_NS } = this.#options;
    const { host, protocol } = new URL(request.url);
    const isOurs = this.#server.has(host);
    if (!isOurs && elsewhere) return this.#ask(elsewhere, request);
    const logged: LoggedRequest = {
      at: clock.now().monotonic,
      method: request.method,
      url: shown(request.url),
      status: 0,
    };
    if (isOurs) this.#log(logged);
    await sleep(clock, latencyNs, request.signal);
    if (!isOurs) throw networkError("ENOTFOUND", `getaddrinfo ENOTFOUND ${host}`);
    if (faults.strike("registry-down", { authority: host }) || protocol !== "https:") {
      throw networkError("ECONNREFUSED", `connect ECONNREFUSED ${host}`);
    }
    const refused = this.#refused(request, host);
    const answer = refused ?? this.#server.answer(request, await this.#bodyOf(request, host));
    logged.status = answer.status;
    return this.#response(answer, host, request.signal);
  };

  /** The body of a request. Of an upload that breaks off, the registry keeps what has come. */
  async #bodyOf(request: TransportRequest, host: string): Promise<Uint8Array> {
    const isPart = request.method === "PATCH";
    if (!isPart && !isStream(request.body)) return bytesOf(request.body);
    const arrived: Uint8Array[] = [];
    try {
      for await (const piece of this.#arriving(request, host)) arrived.push(piece);
    } catch (error) {
      // Nobody hears the answer.
      if (isPart) this.#server.answer(request, joined(arrived));
      throw error;
    }
    return joined(arrived);
  }

  /** Yields what comes of a request's body, at the speed of the connection, which may break. */
  async *#arriving({ body, signal }: TransportRequest, host: string): AsyncGenerator<Uint8Array> {
    const { clock, faults, bytesPerSecond = BYTES_PER_SECOND } = this.#options;
    const about = { authority: host };
    const speed = faults.strike("registry-slow", about)?.bytesPerSecond ?? bytesPerSecond;
    let size = 0;
    for await (const piece of isStream(body) ? body : inPieces(bytesOf(body))) {
      const cut = faults.strike("registry-cut", { ...about, bytes: size + piece.length });
      const sent = cut ? piece.subarray(0, Math.max(0, cut.afterBytes - size)) : piece;
      await sleep(clock, BigInt(Math.ceil((sent.length * 1e9) / speed)), signal);
      size += sent.length;
      yield sent;
      if (cut) throw networkError("ECONNRESET", `connection to ${host} was reset`);
    }
  }

  async #ask(elsewhere: Transport, request: TransportRequest): Promise<TransportResponse> {
    const { beyond = (pending) => pending } = this.#options;
    const response = await beyond(elsewhere(request));
    const { status, body } = response;
    return {
      status,
      header: (name) => response.header(name),
      body: awaited(body, beyond),
      cancel: () => response.cancel(),
    };
  }

  /** The response or error of a fault, in place of the registry's. */
  #refused({ url, headers }: TransportRequest, host: string): Answer | null {
    const { faults } = this.#options;
    const path = /^\/v2\/(.+)\/(?:tags|manifests|blobs)\//.exec(new URL(url).pathname)?.[1] ?? null;
    const isAsking = path !== null || (url.endsWith("/v2/") && headers["authorization"] !== undefined);
    if (isAsking && faults.strike("registry-unauthorized", { authority: host })) {
      return this.#server.challenge(host, path, false);
    }
    if (path === null) return null;
    const limited = faults.strike("registry-limited", { authority: host });
    if (limited) {
      const after = { "retry-after": String(limited.retryAfter) };
      return refusal(429, "TOOMANYREQUESTS", "You have reached your pull rate limit.", after);
    }
    const failing = faults.strike("registry-fails", { authority: host });
    return failing && refusal(failing.status, "UNAVAILABLE", "service unavailable");
  }

  #response({ status, headers, bytes, isBlob }: Answer, host: string, signal: AbortSignal): TransportResponse {
    const body = isBlob ? this.#blob(bytes, host, signal) : this.#paced(bytes, host, signal);
    return { status, header: (name) => headers[name] ?? null, body, cancel: () => void body.return(undefined) };
  }

  async *#blob(bytes: Uint8Array, host: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { faults } = this.#options;
    const about = { authority: host };
    const sent = faults.strike("registry-corrupt", about) ? corrupted(bytes) : bytes;
    const cut = faults.strike("registry-cut", { ...about, bytes: sent.length });
    yield* this.#paced(cut ? sent.subarray(0, cut.afterBytes) : sent, host, signal);
    if (cut) throw networkError("ECONNRESET", `connection to ${host} was reset`);
  }

  /** Yields one piece at a time, each after the delay of the connection. */
  async *#paced(bytes: Uint8Array, host: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { clock, faults, bytesPerSecond = BYTES_PER_SECOND } = this.#options;
    const speed = faults.strike("registry-slow", { authority: host })?.bytesPerSecond ?? bytesPerSecond;
    // At least ten pieces a second, so that a slow connection does not look stalled.
    const size = Math.max(1, Math.min(PIECE, Math.floor(speed / 10)));
    for (let at = 0; at < bytes.length; at += size) {
      const piece = bytes.subarray(at, at + size);
      await sleep(clock, BigInt(Math.ceil((piece.length * 1e9) / speed)), signal);
      yield piece;
    }
  }

  #log(request: LoggedRequest): void {
    this.requests.push(request);
    if (this.requests.length > MOST_LOGGED) this.requests.shift();
  }
}

function bytesOf(body: string | Uint8Array | undefined): Uint8Array {
  return typeof body === "string" ? new TextEncoder().encode(body) : (body ?? NOTHING);
}

function* inPieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

async function* awaited(
  body: AsyncIterable<Uint8Array>,
  beyond: NonNullable<NetworkOptions["beyond"]>,
): AsyncGenerator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  try {
    for (let next = await beyond(iterator.next()); !next.done; next = await beyond(iterator.next())) yield next.value;
  } finally {
    await iterator.return?.();
  }
}

/** Hides the name of an account. */
function shown(url: string): string {
  const at = new URL(url);
  at.searchParams.delete("account");
  return at.href;
}

/** Shaped like the platform's own errors, which carry a code for the reason. */
function networkError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function corrupted(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  const middle = copy.length >> 1;
  copy[middle] = (copy[middle] ?? 0) ^ 1;
  return copy;
}

const NOTHING = new Uint8Array();
const LATENCY_NS = 20_000_000n;
const BYTES_PER_SECOND = 20_000_000;
const PIECE = 64 << 10;
const MOST_LOGGED = 1000;
