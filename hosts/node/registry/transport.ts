// Sends requests to a registry with `node:http` over kept connections. It moves bytes with less work than `fetch`, can
// use TLS with a registry whose certificate no authority has signed, or with the machine's own certificates for it, and
// goes through proxies.

import * as http from "node:http";
import * as https from "node:https";
import { createSecureContext, type SecureContext } from "node:tls";
import {
  failedExchange,
  isStream,
  unanswered,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "../../registry/index.js";
import { failureOf, firstOf } from "../../shared/index.js";
import type { engine } from "../../shared/index.js";
import { usualAuthorities } from "./authorities.js";
import { certificatesOf, type Found } from "./certificates.js";
import { proxyFor } from "./proxies.js";
import { setHeaders } from "./set-headers.js";
import { ask, limitConnecting, ProxyError, refusalOf, tunnelAgent, type Limited } from "./tunnel.js";

/** How requests leave the machine. */
export interface WayOut {
  /** Directory with the certificates of registries. Without it there are none. */
  certificates?: string;
  /** SECRET: addresses may contain a password. Without it no proxy is used. */
  proxies?: engine.Proxies;
}

export function nodeTransport(way: WayOut = {}): Transport {
  const agents = new Agents(way.certificates ?? null);
  const { proxies = { http: "", https: "", none: "" } } = way;
  const transport: Transport = (request) =>
    new Promise((resolve, reject) => {
      const proxy = proxyFor(new URL(request.url), proxies);
      const set = usable(request, () => setHeaders(request));
      const outgoing = send({ ...request, headers: { ...set, ...request.headers } }, agents, proxy);
      limitConnecting(outgoing, request.way?.connectWithin);
      const { body } = request;
      const streamed = isStream(body);
      outgoing.on("response", (incoming) => {
        // An answer before the end of the body: the rest is not sent, and the connection cannot be kept.
        if (!outgoing.writableEnded) incoming.on("close", () => outgoing.destroy());
        resolve({ ...answer(incoming), alsoSent: Object.values(set) });
      });
      outgoing.on("error", (thrown) => {
        const error = firstOf(thrown);
        // The server had closed the kept connection before it saw the request: that is not an answer.
        const unseen = outgoing.reusedSocket && (error as NodeJS.ErrnoException).code === "ECONNRESET";
        if (unseen && !streamed && !request.signal.aborted) resolve(transport(request));
        else reject(proxy === null ? error : onTheWay(request, proxy, error));
      });
      if (streamed) void stream(body, outgoing, reject);
      else outgoing.end(body);
    });
  return transport;
}

/** What is the proxy's fault is told apart. Without a tunnel the connection is the proxy's. */
function onTheWay(request: TransportRequest, proxy: URL, error: NodeJS.ErrnoException): Error {
  if (error instanceof ProxyError) return unanswered(request, error.why);
  const isUnmet = error.syscall === "connect" || error.syscall === "getaddrinfo";
  return isUnmet ? unanswered(request, refusalOf(proxy, error)) : error;
}

/** Sends a body piece by piece, as the connection takes it, until the answer comes. */
async function stream(
  body: AsyncIterable<Uint8Array>,
  outgoing: http.ClientRequest,
  failed: (error: unknown) => void,
): Promise<void> {
  let isOver = false;
  for (const event of ["response", "close"]) outgoing.once(event, () => (isOver = true));
  try {
    for await (const piece of body) {
      if (isOver) return;
      if (!outgoing.write(piece)) await room(outgoing);
    }
    outgoing.end();
  } catch (error) {
    failed(error);
    outgoing.destroy();
  }
}

/** Resolves when more may be written, or nothing more has to be. */
function room(outgoing: http.ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const events = ["drain", "response", "close"];
    const done = (): void => {
      for (const event of events) outgoing.off(event, done);
      resolve();
    };
    for (const event of events) outgoing.on(event, done);
  });
}

/** What connections share that may serve each other's requests. */
class Agents {
  readonly plain = new http.Agent(KEPT);
  readonly #certificates: string | null;
  readonly #tls = new Map<string, https.Agent>();

  constructor(certificates: string | null) {
    this.#certificates = certificates;
  }

  /** The most recent ones are remembered: certificates change, and registries are named by clients. */
  tls({ registry, way, insecure }: TransportRequest, proxy: URL | null): https.Agent {
    const found = certificatesOf(this.#certificates, registry, way);
    const key = JSON.stringify([insecure, proxy?.href, found && [registry, found.mark]]);
    const agent = this.#tls.get(key) ?? newAgent(found, insecure, proxy);
    this.#tls.delete(key);
    this.#tls.set(key, agent);
    if (this.#tls.size > MOST_AGENTS) this.#tls.delete(this.#tls.keys().next().value!);
    return agent;
  }
}

function newAgent(found: Found | null, insecure: boolean, proxy: URL | null): https.Agent {
  const options = { ...KEPT, secureContext: contextOf(found, insecure), rejectUnauthorized: !insecure };
  return proxy === null ? new https.Agent(options) : tunnelAgent(proxy, options);
}

/**
 * Made once for all connections of an agent: reading the list of authorities takes 25 ms. Nobody asks them about a
 * registry whose certificate may be any.
 */
function contextOf(found: Found | null, insecure: boolean): SecureContext {
  return createSecureContext({ ca: insecure ? [] : [...usualAuthorities()], ...found?.read() });
}

/** If the machine's own files are at fault, not the registry, then another way to speak to it is no remedy. */
function usable<T>(request: TransportRequest, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const failure = failureOf(error);
    const isCall = failure.tag === "call";
    throw failedExchange(request, isCall ? failure : { tag: "other", val: (error as Error).message });
  }
}

function send(request: TransportRequest, agents: Agents, proxy: URL | null): http.ClientRequest {
  const { method, url, headers, signal } = request;
  const options = { method, headers, signal };
  if (!url.startsWith("http:")) {
    const own: https.RequestOptions & Limited = {
      ...options,
      agent: usable(request, () => agents.tls(request, proxy)),
      givenUp: signal,
      connectWithin: request.way?.connectWithin,
    };
    return https.request(url, own);
  }
  if (proxy === null) return http.request(url, { ...options, agent: agents.plain });
  // A proxy without a tunnel gets the whole address (RFC 9112 §3.2.2).
  return ask(proxy, { ...options, path: url, headers: { host: new URL(url).host, ...headers } });
}

function answer(incoming: http.IncomingMessage): TransportResponse {
  return {
    status: incoming.statusCode ?? 0,
    header: (name) => {
      const value = incoming.headers[name];
      return Array.isArray(value) ? value.join(", ") : (value ?? null);
    },
    body: incoming,
    cancel: () => void incoming.on("error", () => {}).destroy(),
  };
}

/** How long an idle connection is kept, in milliseconds. */
const IDLE_MS = 15_000;
const KEPT = { keepAlive: true, timeout: IDLE_MS };
const MOST_AGENTS = 64;
