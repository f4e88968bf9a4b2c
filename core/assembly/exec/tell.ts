// Words of the engine's own in a stream that is a process's otherwise: as the process's stdout (surface §2.3).

import { Call } from "../call";
import { sendChunk, textBody } from "../reply";

const HEADER: i32 = 8;
const STDOUT: u8 = 1;

/** `framed`: with the eight bytes of a frame before it (surface §2.6). */
export function tell(call: Call, message: string, framed: bool): void {
  const text = textBody(message + "\r\n");
  if (!framed) return sendChunk(call, text);
  const frame = new Uint8Array(HEADER + text.length);
  frame[0] = STDOUT;
  for (let i = 0; i < 4; i++) frame[4 + i] = <u8>(text.length >> (24 - 8 * i));
  frame.set(text, HEADER);
  sendChunk(call, frame);
}
