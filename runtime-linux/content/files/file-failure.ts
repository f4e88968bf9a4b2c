// What the kernel says of a container's file, told by the name that the file has there.

import { refusedCall } from "../../../hosts/shared/failure.js";
import { textOf } from "../../../hosts/streams/tar/latin1.js";

/** `path` is bytes, one per character (see `tar/latin1.ts`). `call`: its name in Go's libraries. */
export function fileFailure(error: unknown, call: string, path: string): unknown {
  return refusedCall(error, call, textOf(path));
}
