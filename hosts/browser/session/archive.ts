// Makes a tar of files, for requests with an archive as their body. Equal files give equal bytes.

import { bytesOf, endOfArchive, headerOf, NOTHING, paddingOf } from "../../streams/tar/index.js";
import { joined } from "../../shared/index.js";
import type { TextFile } from "./request.js";

/** All files belong to root, and date from 1970. */
export function archiveOf(files: readonly TextFile[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const parts = files.flatMap(({ name, text }) => {
    const content = encoder.encode(text);
    const header = headerOf({ ...NOTHING, name: bytesOf(name), mode: 0o644, size: content.length });
    return [header, content, paddingOf(content.length)];
  });
  return new Uint8Array(joined([...parts, endOfArchive()]));
}
