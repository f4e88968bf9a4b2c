// A secret of a session's client. SECRET: it goes to whoever holds it for a run, and nowhere else.

import { interrupted, noSuch, tooLarge } from "../shared/index.js";
import { CallFailed, TooLarge, type Caller } from "./conversation.js";
import { decode, encode } from "./messages/codec.js";
import { secretRequest, secretResponse } from "./messages/secrets.js";

const CALL = "/moby.buildkit.secrets.v1.Secrets/GetSecret";
/** Codes of gRPC by which a client says that it has no such secret, or no secrets at all. */
const MISSING: ReadonlySet<number> = new Set([5, 12]);
/** Bytes of a message besides the secret. */
const ENVELOPE = 1024;

export interface WantedSecret {
  /** As the client calls it. */
  id: string;
  /** Bytes at most. */
  limit: number;
}

/**
 * Fails as `no-such` or `too-large` of `secret`, as `body-broke` with the client's words, or as `interrupted` if the
 * session ends or nobody waits any more. Whoever gets the bytes may overwrite them.
 */
export async function askedSecret(caller: Caller, wanted: WantedSecret, signal: AbortSignal): Promise<Uint8Array> {
  const { id, limit } = wanted;
  const call = caller(CALL, {}, limit + ENVELOPE);
  const cancel = (): void => call.cancel();
  signal.addEventListener("abort", cancel);
  try {
    await call.send(encode(secretRequest, { ID: id }));
    call.finish();
    for await (const message of call.messages) {
      const { data = NOTHING } = decode(secretResponse, message) as { data?: Uint8Array };
      if (data.length > limit) throw tooLarge("secret", id, limit);
      return data;
    }
    throw interrupted(signal.aborted ? "given-up" : "client-gone");
  } catch (error) {
    if (error instanceof TooLarge) throw tooLarge("secret", id, limit);
    if (error instanceof CallFailed && MISSING.has(error.code)) throw noSuch("secret", id);
    throw error;
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

const NOTHING = new Uint8Array();
