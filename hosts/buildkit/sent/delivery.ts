// What a build made, for its client (moby/buildkit, session/filesync: FileSend). The messages of one call are either the
// bytes of a file, or the packets of a directory.

import { interrupted, type Delivery } from "../../shared/index.js";
import type { Caller } from "../conversation.js";
import { sendBytes } from "./bytes.js";
import { sendFiles } from "./files.js";

const CALL = "/moby.filesync.v1.FileSend/DiffCopy";

/** The header that tells a client which of its outputs it gets. One that asks for a single output may not look at it. */
const OUTPUT = "buildkit-attachable-exporter-id";

/**
 * Resolves when the client has all of it. Fails as `body-broke` with the client's words, or as `interrupted` if the session
 * ends or nobody waits any more; and as the tar does. Then nothing more of the tar is read.
 */
export async function deliver(caller: Caller, { form, tar, output }: Delivery, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const call = caller(CALL, { [OUTPUT]: [String(output)] });
  const cancel = (): void => call.cancel();
  signal.addEventListener("abort", cancel);
  try {
    await (form === "files" ? sendFiles(call, tar) : sendBytes(call, tar));
    signal.throwIfAborted();
  } catch (error) {
    throw signal.aborted ? interrupted("given-up") : error;
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}
