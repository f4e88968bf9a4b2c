// Puts blobs into a content store of a session's client. A writer says what comes, then sends bytes, and then commits; the
// client answers each of its messages with how far it has got (containerd, api/services/content/v1).

import { HostFailure, interrupted, type KeptBlob } from "../../shared/index.js";
import type { content } from "../../shared/index.js";
import { CallFailed, type Caller, type Conversation } from "../conversation.js";
import { decode, encode, type Fields } from "../messages/codec.js";
import { COMMIT, STAT, WRITE, writeRequest, writeResponse } from "../messages/content.js";
import { SERVICE, storeHeader } from "./store.js";

/** Code of gRPC by which a client says that it has a blob. */
const EXISTS = 6;
/** Bytes of a message: clients take up to 4 MiB, and each message waits for an answer. */
const PIECE = 1 << 20;

/** Fails as `body-broke` with the client's words, or as `interrupted` if the session ends or nobody waits any more. */
export async function giveBlobs(
  caller: Caller,
  store: content.ClientStore,
  blobs: readonly KeptBlob[],
  signal: AbortSignal,
): Promise<void> {
  for (const blob of blobs) {
    if (signal.aborted) throw interrupted("given-up");
    const writer = new Writer(caller(`${SERVICE}/Write`, storeHeader(store)), blob);
    const cancel = (): void => writer.cancel();
    signal.addEventListener("abort", cancel);
    try {
      await writer.write();
    } catch (error) {
      if (signal.aborted) throw interrupted("given-up");
      if (!(error instanceof CallFailed && error.code === EXISTS)) throw error;
    } finally {
      signal.removeEventListener("abort", cancel);
      cancel();
    }
  }
}

class Writer {
  readonly #answers: AsyncIterator<Uint8Array>;

  constructor(
    private readonly call: Conversation,
    private readonly blob: KeptBlob,
  ) {
    this.#answers = call.messages[Symbol.asyncIterator]();
  }

  /** What an earlier writer has left of the blob is written anew: the first bytes say so by their place. */
  async write(): Promise<void> {
    const { digest } = this.blob;
    const total = await this.blob.size();
    const about = { ref: digest, total, expected: digest };
    await this.#say({ action: STAT, ...about });
    let offset = 0;
    for await (const data of inPieces(this.blob.bytes())) {
      await this.#say({ action: WRITE, offset, data });
      offset += data.length;
    }
    await this.#say({ action: COMMIT, ...about, offset });
    this.call.finish();
  }

  cancel(): void {
    this.call.cancel();
  }

  async #say(fields: Fields): Promise<void> {
    await this.call.send(encode(writeRequest, fields)).catch((error: unknown) => this.#whyOver(error));
    const { done, value } = await this.#answers.next();
    if (done === true) throw interrupted("client-gone");
    const { action = STAT } = decode(writeResponse, value) as { action?: number };
    if (action !== fields["action"])
      throw new HostFailure({ tag: "body-broke", val: "an answer of another kind came" });
  }

  /** A client that has ended the call says why in its last words. */
  async #whyOver(error: unknown): Promise<never> {
    while ((await this.#answers.next()).done !== true);
    throw error;
  }
}

/** The same bytes in larger pieces, none larger than `PIECE`. */
async function* inPieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(PIECE);
  let filled = 0;
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length;) {
      const taken = chunk.subarray(at, at + PIECE - filled);
      piece.set(taken, filled);
      filled += taken.length;
      at += taken.length;
      if (filled < PIECE) continue;
      yield piece;
      filled = 0;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}
