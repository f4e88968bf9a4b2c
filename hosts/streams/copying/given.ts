// Files of given bytes: here-documents.

import type { content } from "../../shared/index.js";
import { changedMode } from "./mode.js";
import { directoryOf, madeEntry, makeDirectories, placeOf, type CopiedAttributes } from "./places.js";
import type { CopyTarget } from "./source.js";

/** Makes them, with a mode of 0644 before all changes. */
export async function copyGiven(
  files: readonly content.GivenFile[],
  target: CopyTarget,
  { owner, mode }: CopiedAttributes,
): Promise<void> {
  const { sink } = target;
  for (const { to, content: bytes } of files) {
    const { path } = placeOf(to, target);
    await makeDirectories(directoryOf(path), target, owner);
    const made = { ...madeEntry(path, target, owner), mtime: 0n, size: bytes.length };
    await sink.entry({ ...made, type: "file", mode: changedMode(0o644, false, mode) });
    if (bytes.length > 0) await sink.data(bytes);
    await sink.end();
  }
}
