// Turns a request in the platform's own types into a request for the core: method, target, header lines, body.

import { bodyOfRequest, unsentBody } from "./request-body.js";
import type { UnsentBody } from "./request-body.js";

export interface Asked {
  method: string;
  /** Path and query. */
  target: string;
  headers: Headers;
  body: UnsentBody | null;
  signal: AbortSignal | null;
}

/** Reads the arguments of `fetch`; `init` overrides `input`. Throws `TypeError` if they do not make a request. */
export function readRequest(input: Request | URL | string, init: RequestInit = {}): Asked {
  const request = typeof input === "string" || input instanceof URL ? null : input;
  const method = spelled(init.method ?? request?.method ?? "GET");
  const headers = new Headers(init.headers ?? request?.headers);
  const body = bodyOf(request, init, headers);
  if (body !== null && (method === "GET" || method === "HEAD")) throw new TypeError(`${method} has no body`);
  return { method, target: targetOf(input), headers, body, signal: init.signal ?? request?.signal ?? null };
}

/** `Name: value`, joined by LF. Leaves out headers about the connection, because there is none (RFC 9110, 7.6.1). */
export function headerLines(headers: Headers): string {
  const lines = [...headers].filter(([name]) => !OF_CONNECTIONS.has(name)).map(([name, value]) => `${name}: ${value}`);
  return lines.join("\n");
}

const OF_CONNECTIONS = new Set(["connection", "upgrade", "keep-alive", "transfer-encoding", "te", "trailer"]);

/** Fetch standard, "normalize a method". */
const NORMALIZED = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"]);

function spelled(method: string): string {
  const upper = method.toUpperCase();
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(method))
    throw new TypeError(`${JSON.stringify(method)} is not an HTTP method`);
  return NORMALIZED.has(upper) ? upper : method;
}

function targetOf(input: Request | URL | string): string {
  const url = typeof input === "string" ? urlOf(input) : input instanceof URL ? input : new URL(input.url);
  return url.pathname + url.search;
}

function urlOf(text: string): URL {
  return new URL(text.startsWith("/") ? `http://engine${text}` : text);
}

/** The platform's content type for a body becomes a header, as with `fetch`. */
function bodyOf(request: Request | null, init: RequestInit, headers: Headers): UnsentBody | null {
  if (init.body === undefined || init.body === null) return request === null ? null : bodyOfRequest(request);
  const { body, type } = unsentBody(init.body);
  if (type !== null && !headers.has("content-type")) headers.set("content-type", type);
  return body;
}
