// Loads an image that an engine has from the start, by the same door as everybody.

import type { Ask } from "./ground.js";
import type { InternalReply } from "./internal-request.js";

/** `archive`: as `docker save` makes it. Resolves to the reply that says why it cannot be loaded; null if it was. */
export async function loadImage(archive: AsyncIterable<Uint8Array>, ask: Ask): Promise<InternalReply | null> {
  const headers = "Content-Type: application/x-tar";
  const { status, text } = await ask({ method: "POST", target: "/images/load?quiet=1", headers, body: archive });
  return status === 200 && !text.includes('"errorDetail"') ? null : { status, text: text.trim() };
}
