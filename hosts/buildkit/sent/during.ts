// Sends something while a client may end the call at any time.

import { interrupted } from "../../shared/index.js";
import type { Conversation } from "../conversation.js";

/** Something that is being sent. */
export interface Sending {
  call: Conversation;
  /** Settles when the client's messages are over. If it rejects, that is why nothing can be sent any more. */
  answers: Promise<void>;
  send: () => Promise<void>;
  /** The client may end the call: otherwise it has left. */
  isDone: () => boolean;
}

/** Nothing is sent or read any more when this has settled. */
export async function during({ call, answers, send, isDone }: Sending): Promise<void> {
  const over = answers.then(() => {
    if (!isDone()) throw interrupted("client-gone");
  });
  const sending = send();
  try {
    await Promise.race([over, sending.then(() => over)]);
    // A client may want nothing more before all is listed.
    await Promise.allSettled([sending]);
  } catch (error) {
    call.cancel();
    await Promise.allSettled([over, sending]);
    throw error;
  }
}
