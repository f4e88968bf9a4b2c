// An archive of images, with the members that the core names, including tars of layers.

import type { replies } from "../../shared/index.js";
import { endOfArchive, headerOf, NOTHING, paddingOf } from "./writer.js";

/** The tars of a host's layers, by the chain whose top they are. */
export interface LayerTars {
  /** Size of a tar. Rejects with `no-such` if the tar is no longer available. */
  size(chain: string): Promise<number>;
  /** The tar as it was received. Fails at its end if it has changed. */
  tar(chain: string): AsyncIterable<Uint8Array>;
}

/** The archive, in pieces. Nothing in it tells when or by whom it was made. */
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
