// An archive of images: members that the core names, the tars of layers among them.

import type { replies } from "../../shared/host.js";
import { endOfArchive, headerOf, NOTHING, paddingOf } from "./writer.js";

/** The tars of the layers that a host has, by the chains of which they are the top. */
export interface LayerTars {
  /** Bytes of a tar. Rejects with `no-such` when it can be had no more. */
  size(chain: string): Promise<number>;
  /** The tar as it came. Fails at its end when it is another one. */
  tar(chain: string): AsyncIterable<Uint8Array>;
}

/** The archive, in pieces. Nothing in it tells when it was made, or by whom. */
export async function* savedArchive(
  members: readonly replies.SavedMember[],
  tars: LayerTars,
): AsyncGenerator<Uint8Array> {
  for (const { name, content } of members) {
    const size = content.tag === "bytes" ? content.val.length : await tars.size(content.val);
    yield headerOf({ ...NOTHING, name, mode: 0o644, size });
    if (content.tag === "bytes") yield content.val;
    else yield* tars.tar(content.val);
    yield paddingOf(size);
  }
  yield endOfArchive();
}
