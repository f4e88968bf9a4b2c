// TLS through a proxy: `CONNECT` (RFC 9110 §9.3.6), then TLS with the registry itself.

import * as http from "node:http";
import * as https from "node:https";
import type { Duplex } from "node:stream";
import * as tls from "node:tls";
import { firstOf } from "../../shared/index.js";
import type { failures } from "../../shared/index.js";
import { proxyAuthorization } from "./proxies.js";

/** An agent that makes connections through a proxy. A class for it would load TLS whenever a daemon starts. */
export function tunnelAgent(proxy: URL, options: https.AgentOptions): https.Agent {
  const createConnection = (to: Target, done: Done): undefined => connect(proxy, to, done);
  return Object.assign(new https.Agent(options), { createConnection });
}

type Target = https.AgentOptions & tls.ConnectionOptions & Limited;
type Done = (error: Error | null, stream: Duplex) => void;

function connect(proxy: URL, to: Target, done: Done): undefined {
  const failed = (error: Error): void => done(error, undefined as unknown as Duplex);
  const path = `${to.host?.includes(":") ? `[${to.host}]` : to.host}:${to.port}`;
  const { givenUp } = to;
  const asked = ask(proxy, { method: "CONNECT", path, headers: { host: path }, ...(givenUp && { signal: givenUp }) });
  limitConnecting(asked, to.connectWithin);
  asked.on("connect", (answer, socket) => {
    socket.setTimeout(0);
    if (answer.statusCode === OK) return done(null, tls.connect({ ...to, socket }));
    socket.destroy();
    failed(new ProxyError({ tag: "proxy-refused", val: answer.statusMessage ?? "" }));
  });
  asked.setTimeout(CONNECT_MS, () => asked.destroy(new ProxyError({ tag: "timeout" })));
  asked.on("error", (error) => failed(error instanceof ProxyError ? error : new ProxyError(refusalOf(proxy, error))));
  asked.end();
  return undefined;
}

/** Node takes `signal` out of a request's options before its agent sees them. */
export interface Limited {
  /** Gives up the request that needs the connection. */
  givenUp?: AbortSignal;
  /** In milliseconds: how long the connection to the proxy may take. */
  connectWithin?: number | undefined;
}

/** As containerd's dial_timeout: only the first connection of the way counts, which through a proxy is that to the proxy. */
export function limitConnecting(asked: http.ClientRequest, within: number | undefined): void {
  if (within === undefined) return;
  asked.on("socket", (socket) => {
    if (!socket.connecting) return;
    const late = (): void => void asked.destroy(Object.assign(new Error("no connection in time"), TOO_LATE));
    const timer = setTimeout(late, within);
    for (const event of ["connect", "close"]) socket.once(event, () => clearTimeout(timer));
  });
}

/** A request to the proxy itself. */
export function ask(proxy: URL, options: http.RequestOptions): http.ClientRequest {
  const authorization = proxyAuthorization(proxy);
  const own = authorization === undefined ? {} : { "proxy-authorization": authorization };
  const { hostname, port, protocol } = proxy;
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const headers = { ...options.headers, ...own };
  const isTls = protocol === "https:";
  const to = { ...options, host, port: port === "" ? (isTls ? 443 : 80) : port, headers };
  return isTls ? https.request(to) : http.request(to);
}

/** What went wrong on the way to a server: not what the server did. */
export class ProxyError extends Error {
  constructor(readonly why: failures.ExchangeFailure) {
    super(why.tag);
  }
}

/** Why a proxy could not be asked. Its address is shown without user and password. */
export function refusalOf(
  { host, hostname, port, protocol }: URL,
  thrown: NodeJS.ErrnoException,
): failures.ExchangeFailure {
  const error = firstOf(thrown);
  const { code = "", syscall = "" } = error;
  if (code === "ECONNRESET" && syscall === "") return { tag: "closed" };
  if (!ERRNO.test(code)) return { tag: "other", val: `${host}: ${error.message}` };
  const name = syscall === "getaddrinfo" ? hostname : `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
  return { tag: "proxy-call", val: { call: syscall, path: name, inside: false, error: code } };
}

/** Codes of errno(3) and getaddrinfo(3), but not Node's own. */
const ERRNO = /^E(?!RR_)[A-Z0-9_]+$/;
/** As the kernel says it when it gives up. */
const TOO_LATE = { code: "ETIMEDOUT", syscall: "connect" };
const OK = 200;
/** How long a proxy may take to reach a registry. */
const CONNECT_MS = 30_000;
