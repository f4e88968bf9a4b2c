// Bodies of requests as hosts read them.

import { HostFailure, interrupted } from "../shared/index.js";
import type { Bodies, SentBefore, content } from "../shared/index.js";

/** The tar with the entries: a body, or what the client of a session sends. `came` hears of a directory's bytes. */
export function entriesOf(
  source: content.EntriesSource,
  bodies: Bodies,
  before: SentBefore | null = null,
  came: (bytes: number) => void = () => {},
): AsyncIterable<Uint8Array> {
  if (source.tag === "body") return bodies.take(source.val);
  return source.tag === "session" ? bodies.session(source.val, before, came) : bodies.upload(source.val);
}

/** If a body breaks off, the client went away. An aborted one is not awaited, because it may never continue. */
export async function* fromClient(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  const gone = (error: unknown): never => {
    throw error instanceof HostFailure ? error : interrupted("client-gone");
  };
  try {
    for (;;) {
      const next = await unlessAborted(iterator.next().catch(gone), signal);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    const returned = iterator.return?.();
    if (!signal.aborted) await returned;
    else void returned?.catch(() => {});
  }
}

/** Settles like `wanted`, or rejects as soon as the signal is aborted. */
function unlessAborted<T>(wanted: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(interrupted("given-up"));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    const settled = (): void => signal.removeEventListener("abort", abort);
    wanted.then(resolve, reject).then(settled, settled);
  });
}
