// Frames of the log and attach streams (surface §2.6): eight bytes before each piece.

const HEADER = 8;

export const STDOUT: u8 = 1;
/** Stream number of the engine's own error message, which ends the stream. */
export const FAILURE: u8 = 3;

export function frameOf(stream: u8, bytes: Uint8Array): Uint8Array {
  const frame = new Uint8Array(HEADER + bytes.length);
  frame[0] = stream;
  for (let i = 0; i < 4; i++) frame[4 + i] = <u8>(bytes.length >> (24 - 8 * i));
  frame.set(bytes, HEADER);
  return frame;
}
