// Requests to registries of the real network. While a response is pending, the world's time does not jump ahead.

import type { Transport, TransportResponse } from "../registry/index.js";
import type { WorldTime } from "./world-time.js";

export function beyond(time: Pick<WorldTime, "beyond">, transport: Transport): Transport {
  return async (request) => {
    const response = await time.beyond(transport(request));
    return { ...response, body: pieces(time, response.body) };
  };
}

async function* pieces(time: Pick<WorldTime, "beyond">, body: TransportResponse["body"]): AsyncGenerator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await time.beyond(iterator.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
