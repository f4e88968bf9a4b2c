// What the client of a session knows of a registry. SECRET: it goes into the core's input and nowhere else.

import { interrupted } from "../shared/index.js";
import type { types } from "../shared/index.js";
import type { Caller } from "./conversation.js";
import { credentialsRequest, credentialsResponse } from "./messages/auth.js";
import { decode, encode } from "./messages/codec.js";

const CALL = "/moby.filesync.v1.Auth/Credentials";

/** Fails as `body-broke` with the client's words, or as `interrupted` if the session ends or nobody waits any more. */
export async function askedCredentials(
  caller: Caller,
  registry: string,
  signal: AbortSignal,
): Promise<types.Credentials> {
  const call = caller(CALL, {});
  const cancel = (): void => call.cancel();
  signal.addEventListener("abort", cancel);
  try {
    await call.send(encode(credentialsRequest, { Host: registry }));
    call.finish();
    for await (const message of call.messages) {
      const { Username = "", Secret = "" } = decode(credentialsResponse, message) as Answer;
      return { username: Username, password: Secret, identityToken: "", registryToken: "", meta: "" };
    }
    throw interrupted(signal.aborted ? "given-up" : "client-gone");
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

interface Answer {
  Username?: string;
  Secret?: string;
}
