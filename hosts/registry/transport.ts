// How requests reach a registry: one exchange without redirects. `fetch` by default; a host may supply its own.

import type { types } from "../shared/index.js";
import { withoutMeta } from "./secrets.js";

/** The body of a request. A stream is read once; it is not read to its end if the answer comes earlier. */
export type RequestBody = string | Uint8Array | AsyncIterable<Uint8Array>;

export function isStream(body: RequestBody | undefined): body is AsyncIterable<Uint8Array> {
  return typeof body === "object" && !(body instanceof Uint8Array);
}

/** One HTTP request. */
export interface TransportRequest {
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH";
  /** An absolute URL with `https:` or, if allowed, `http:`. */
  url: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body?: RequestBody;
  /** The server's certificate need not be valid. A transport that cannot skip the check verifies it anyway. */
  insecure: boolean;
  /** Authority of the registry whose own certificates count, also for its token server and redirects; or empty. */
  registry: string;
  /** Files of the machine that count besides those. */
  way?: types.RegistryWay | undefined;
  /** Aborts the request and the reading of its body. */
  signal: AbortSignal;
}

/** Its answer. */
export interface TransportResponse {
  status: number;
  /** Value of a header by its name in lower case; null if there is none. */
  header(name: string): string | null;
  /** Must be read once, to its end, or ended with `cancel`. */
  body: AsyncIterable<Uint8Array>;
  /** Closes the body without reading it. */
  cancel(): void;
  /** Where the answer comes from, if the transport has followed a redirect itself. */
  followedTo?: string;
  /** SECRET. What the transport sent besides the request's own headers: failures repeat nothing of it. */
  alsoSent?: readonly string[];
}

/** Rejects if there is no answer. An answer with any status is a success. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** The transport that every JavaScript platform has. */
export function fetchTransport(fetch: typeof globalThis.fetch = globalThis.fetch): Transport {
  return async ({ method, url, headers, body, signal }) => {
    const init: RequestInit = { method, headers, signal, redirect: "manual", credentials: "omit", cache: "no-store" };
    if (body !== undefined) Object.assign(init, bodyOf(body));
    // Node's fetch closes a connection after an answer to HEAD, and may have sent the next request on it by then.
    const response = await fetch(url, init).catch((error: unknown) => {
      if (method !== "HEAD" || signal.aborted) throw error;
      return fetch(url, init);
    });
    if (response.type !== "opaqueredirect") return answer(response);
    // A browser hides the target of a redirect, so it must follow it itself. It then drops Authorization for another
    // origin (Fetch standard, HTTP-redirect fetch), but nothing else of the client's.
    const followed = await fetch(url, { ...init, headers: withoutMeta(headers), redirect: "follow" });
    return { ...answer(followed), followedTo: followed.url };
  };
}

/** A stream needs `duplex` (Fetch standard, RequestInit), which TypeScript's types do not have yet. */
function bodyOf(body: RequestBody): object {
  if (typeof body === "string" || body instanceof Uint8Array) return { body };
  const iterator = body[Symbol.asyncIterator]();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await iterator.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: () => void iterator.return?.(),
  });
  return { body: stream, duplex: "half" };
}

function answer(response: Response): TransportResponse {
  const { body } = response;
  return {
    status: response.status,
    header: (name) => response.headers.get(name),
    body: body ? chunks(body) : nothing(),
    cancel: () => void body?.cancel().catch(() => {}),
  };
}

/** No `for await` over the stream itself: not every browser supports that. */
async function* chunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    reader.cancel().catch(() => {});
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
