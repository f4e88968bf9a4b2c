// Replies that the daemon gives itself, without the core.

import type { replies } from "../../shared/index.js";
import type { Gate } from "./gate.js";
import type { Response } from "./response.js";

/** A complete reply, or lines of JSON in pieces. */
export type OwnReply = AsyncIterable<Uint8Array> | Pick<replies.Whole, "head" | "body">;

/** Sends pieces as fast as the client reads. If the reply fails, the connection is broken off. */
export async function sendOwn(reply: OwnReply, gate: Gate, response: Response): Promise<void> {
  let isGone = false;
  response.onEnd(
    () => gate.next(),
    () => (isGone = true),
  );
  if ("head" in reply) return response.whole(reply.head, reply.body, false);
  response.open({ status: 200, headers: "Content-Type: application/x-ndjson" });
  try {
    for await (const piece of reply) {
      const wentOut = await new Promise<boolean>((resolve) => response.write(piece, resolve));
      if (isGone || !wentOut) return;
    }
    response.end();
  } catch {
    gate.destroy();
  }
}
