// Sends the engine's own messages in the output stream of a process, as its stdout (surface §2.3).

import { Call } from "../call";
import { frameOf, STDOUT } from "../frame";
import { sendChunk, textBody } from "../reply";

/** `framed`: put the eight bytes of a frame header before the message (surface §2.6). */
export function tell(call: Call, message: string, framed: bool): void {
  const text = textBody(message + "\r\n");
  sendChunk(call, framed ? frameOf(STDOUT, text) : text);
}
