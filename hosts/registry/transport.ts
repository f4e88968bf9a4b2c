// How requests reach a registry: one exchange, no redirects followed. `fetch` by default; a host may bring its own.

/** One HTTP request. */
export interface TransportRequest {
  method: "GET" | "POST";
  /** Absolute, `https:` or, where that is allowed, `http:`. */
  url: string;
  /** Lower-case names. */
  headers: Record<string, string>;
  body?: string;
  /** The server's certificate need not be vouched for. Transports that cannot do this verify it all the same. */
  insecure: boolean;
  /** Gives it up, body included. */
  signal: AbortSignal;
}

/** Its answer. */
export interface TransportResponse {
  status: number;
  /** Value of a header, by lower-case name; null without one. */
  header(name: string): string | null;
  /** To be read once, to its end, or given up by `cancel`. */
  body: AsyncIterable<Uint8Array>;
  /** Lets go of the body unread. */
  cancel(): void;
}

/** Rejects when there is no answer; an answer of any status is a success. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** The transport that every JavaScript platform has. */
export function fetchTransport(fetch: typeof globalThis.fetch = globalThis.fetch): Transport {
  return async ({ method, url, headers, body, signal }) => {
    const init: RequestInit = { method, headers, signal, redirect: "manual", credentials: "omit", cache: "no-store" };
    if (body !== undefined) init.body = body;
    const response = await fetch(url, init);
    // A browser hides the target of a redirect; following it, it drops Authorization for another origin by itself
    // (Fetch standard, HTTP-redirect fetch).
    return answer(response.type === "opaqueredirect" ? await fetch(url, { ...init, redirect: "follow" }) : response);
  };
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

/** Not `for await` over the stream itself, which not every browser has. */
async function* chunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    reader.cancel().catch(() => {});
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
