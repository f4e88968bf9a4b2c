// A file for a client: its bytes in messages. The client ends the call once it has written all of them.

import { joined } from "../../shared/index.js";
import type { Conversation } from "../conversation.js";
import { encode } from "../messages/codec.js";
import { bytesMessage } from "../messages/control.js";
import { during } from "./during.js";

/** Bytes of a message, about: the headers of a tar's entries are only 512 each. */
const ENOUGH = 256 * 1024;
/** Bytes of a message at most: clients of gRPC take 4 MiB. */
const MOST = 1 << 20;

export async function sendBytes(call: Conversation, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  let isDone = false;
  const send = async (): Promise<void> => {
    for await (const message of inMessages(bytes)) await call.send(encode(bytesMessage, { data: message }));
    isDone = true;
    call.finish();
  };
  await during({ call, answers: ends(call), send, isDone: () => isDone });
}

/** A client has nothing to say but that it is done. */
async function ends(call: Conversation): Promise<void> {
  for await (const _ of call.messages);
}

/** Each is valid until the next is asked for. */
async function* inMessages(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const piece of bytes) {
    // A copy: the next piece may be in the same memory.
    held.push(piece.slice());
    size += piece.length;
    if (size < ENOUGH) continue;
    yield* parts(joined(held));
    held = [];
    size = 0;
  }
  yield* parts(joined(held));
}

function* parts(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += MOST) yield bytes.subarray(at, at + MOST);
}
