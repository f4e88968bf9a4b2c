// Words of the engine's own in a stream that is a process's otherwise: as the process's stdout (surface §2.3).

import { Call } from "../call";
import { frameOf, STDOUT } from "../frame";
import { sendChunk, textBody } from "../reply";

/** `framed`: with the eight bytes of a frame before it (surface §2.6). */
export function tell(call: Call, message: string, framed: bool): void {
  const text = textBody(message + "\r\n");
  sendChunk(call, framed ? frameOf(STDOUT, text) : text);
}
