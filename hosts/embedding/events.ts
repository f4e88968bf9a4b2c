// `GET /events`, message by message.

import { EngineClosed } from "../engine/index.js";
import type { EngineEvent, EventQuery } from "./engine.js";

type Fetch = (target: string, init: RequestInit) => Promise<Response>;

/** Sends the request at once, so that nothing after this call is missed. */
export function eventsOf(fetch: Fetch, query: EventQuery): AsyncIterableIterator<EngineEvent> {
  const left = new AbortController();
  const signal = query.signal === undefined ? left.signal : AbortSignal.any([left.signal, query.signal]);
  const response = fetch(targetOf(query), { signal });
  response.catch(() => {});
  const messages = read(response, signal);
  return {
    next: () => messages.next(),
    return: () => {
      left.abort();
      return messages.return(undefined);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function targetOf({ since, until, filters }: EventQuery): string {
  const parameters = new URLSearchParams();
  if (since !== undefined) parameters.set("since", since);
  if (until !== undefined) parameters.set("until", until);
  if (filters !== undefined) parameters.set("filters", JSON.stringify(filters));
  return `/events?${parameters}`;
}

async function* read(answered: Promise<Response>, signal: AbortSignal): AsyncGenerator<EngineEvent, undefined> {
  try {
    const response = await answered;
    if (!response.ok) throw new Error(((await response.json()) as { message: string }).message);
    yield* messagesIn(response.body!);
  } catch (error) {
    if (!signal.aborted && !(error instanceof EngineClosed)) throw error;
  }
}

async function* messagesIn(body: ReadableStream<Uint8Array>): AsyncGenerator<EngineEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    text += decoder.decode(next.value, { stream: true });
    const lines = text.split("\n");
    text = lines.pop()!;
    for (const line of lines) if (line !== "") yield JSON.parse(line) as EngineEvent;
  }
}
