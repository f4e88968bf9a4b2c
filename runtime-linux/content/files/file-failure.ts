// The failure for a kernel error at a container's file. It names the file as the container does.

import { refusedCall } from "../../../hosts/shared/index.js";
import { textOf } from "../../../hosts/streams/tar/index.js";

/** `path` is bytes, one for each character (see `tar/latin1.ts`). `call` is the call's name in Go's libraries. */
export function fileFailure(error: unknown, call: string, path: string): unknown {
  return refusedCall(error, call, textOf(path));
}
