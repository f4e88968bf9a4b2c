// A reply of the daemon's own, which the core has no part in.

import type { Gate } from "./gate.js";
import type { Response } from "./response.js";

/** Lines of JSON, as fast as the client reads. A reply that comes to no end breaks the connection off. */
export async function sendOwn(pieces: AsyncIterable<Uint8Array>, gate: Gate, response: Response): Promise<void> {
  let isGone = false;
  response.onEnd(
    () => gate.next(),
    () => (isGone = true),
  );
  response.open({ status: 200, headers: "Content-Type: application/x-ndjson" });
  try {
    for await (const piece of pieces) {
      const wentOut = await new Promise<boolean>((resolve) => response.write(piece, resolve));
      if (isGone || !wentOut) return;
    }
    response.end();
  } catch {
    gate.destroy();
  }
}
