// Reads Docker's framed stream: eight header bytes (stream, three zeros, length big-endian), then the payload.

export interface Frame {
  readonly stream: number;
  readonly payload: Buffer;
}

/** The frames of a stream that must end at the end of a frame. */
export function splitFrames(bytes: Buffer): Frame[] {
  const found: Frame[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (at + 8 > bytes.length) throw new Error(`a frame header is cut at byte ${at} of ${bytes.length}`);
    const [stream = -1, a, b, c] = bytes.subarray(at, at + 4);
    if (stream > 3 || a !== 0 || b !== 0 || c !== 0) {
      throw new Error(`not a frame header at byte ${at}: ${bytes.subarray(at, at + 8).toString("hex")}`);
    }
    const end = at + 8 + bytes.readUInt32BE(at + 4);
    if (end > bytes.length) throw new Error(`a frame is cut: it ends at ${end}, the stream at ${bytes.length}`);
    found.push({ stream, payload: bytes.subarray(at + 8, end) });
    at = end;
  }
  return found;
}

/** What each stream carried, as text. */
export function frames(bytes: Buffer): { stdout: string; stderr: string } {
  const all = splitFrames(bytes);
  const of = (stream: number): string =>
    Buffer.concat(all.filter((frame) => frame.stream === stream).map((frame) => frame.payload)).toString();
  const broken = of(3);
  if (broken !== "") throw new Error(`the daemon broke the stream off: ${broken}`);
  return { stdout: of(1), stderr: of(2) };
}
