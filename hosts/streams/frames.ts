// The framed stream of attach and logs (Docker Engine API, "Stream format"): eight header bytes before each payload —
// stream number, three zeros, length big-endian.

export const FRAME_HEADER = 8;

/** Stream numbers. */
export const STDOUT = 1;
export const STDERR = 2;
/** The engine's own message, which ends the stream. */
export const FAILURE = 3;

export function writeFrameHeader(into: Uint8Array, at: number, stream: number, length: number): void {
  into[at] = stream;
  into[at + 1] = 0;
  into[at + 2] = 0;
  into[at + 3] = 0;
  into[at + 4] = length >>> 24;
  into[at + 5] = length >>> 16;
  into[at + 6] = length >>> 8;
  into[at + 7] = length;
}

export interface FrameHeader {
  stream: number;
  length: number;
}

/** The header at `at`; null if fewer than eight bytes are there. Throws if it is not a header. */
export function readFrameHeader(bytes: Uint8Array, at: number): FrameHeader | null {
  if (bytes.length - at < FRAME_HEADER) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, FRAME_HEADER);
  const stream = view.getUint8(0);
  if (stream > 3 || (view.getUint32(0) & 0xffffff) !== 0) throw new Error(`no frame header at byte ${at}`);
  return { stream, length: view.getUint32(4) };
}
