// An archive that a session's client has: what is piped into `docker buildx build -` (moby/buildkit, session/upload).

import { readFrom, type Caller, type Conversation } from "./conversation.js";
import { decode } from "./messages/codec.js";
import { bytesMessage } from "./messages/control.js";

const CALL = "/moby.upload.v1.Upload/Pull";
/** The host in the addresses that clients make for their archives. */
const HOST = "buildkit-session";

/** Its bytes. Fails as `body-broke` with the client's words, or as `interrupted` if the session ends. */
export function uploadedArchive(caller: Caller, path: string): AsyncIterable<Uint8Array> {
  return readFrom(() => caller(CALL, { urlpath: [path], urlhost: [HOST] }), bytesOf);
}

async function* bytesOf(call: Conversation): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const message of call.messages) {
    const { data } = decode(bytesMessage, message) as { data?: Uint8Array };
    if (data !== undefined && data.length > 0) yield data;
  }
}
