// Loads an image that an engine has from the start.

import { ask } from "./ask.js";
import type { InternalReply, PlainDoor } from "./ask.js";

/** `archive`: as `docker save` makes it. Resolves to the reply that says why it cannot be loaded; null on success. */
export async function loadImage(archive: AsyncIterable<Uint8Array>, door: PlainDoor): Promise<InternalReply | null> {
  const headers = "content-type: application/x-tar";
  const request = { method: "POST", target: "/images/load?quiet=1", headers, body: archive };
  const { status, text } = await ask(request, door);
  return status === 200 && !text.includes('"errorDetail"') ? null : { status, text: text.trim() };
}
