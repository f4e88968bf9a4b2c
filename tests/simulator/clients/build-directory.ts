// A directory of the clients, in which builds keep their cache. Engines come and go; it stays for the whole story.

import type { Session } from "../../../hosts/request/index.js";
import { noSuch, joined } from "../../../hosts/shared/index.js";

const DIRECTORIES = new WeakMap<object, Map<string, Uint8Array>>();

/** `story`: all that have the same one have the same directory. */
export function directoryOf(story: object): Pick<Session, "document" | "blob" | "give"> {
  const blobs = DIRECTORIES.get(story) ?? new Map<string, Uint8Array>();
  DIRECTORIES.set(story, blobs);
  const found = (digest: string): Uint8Array => {
    const bytes = blobs.get(digest);
    if (bytes === undefined) throw noSuch("blob", digest);
    return bytes;
  };
  return {
    document: async ({ digest }) => found(digest),
    async *blob({ digest }) {
      yield found(digest);
    },
    give: async (_store, given) => {
      for (const { digest, bytes } of given) {
        const pieces: Uint8Array[] = [];
        for await (const piece of bytes()) pieces.push(piece.slice());
        blobs.set(digest, joined(pieces));
      }
    },
  };
}
