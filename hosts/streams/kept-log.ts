// What is kept of a log that outlives its container: its first lines, in conmon's k8s-file format (see `LogBytes` in
// `hosts/shared/host.ts`).

import { joined } from "../shared/index.js";
import type { LogBytes, content } from "../shared/index.js";

/** A line begins with its time, in RFC 3339 with nanoseconds and a zone, and a space. */
const TIME_BYTES = 36;
const NEWLINE = 0x0a;
const SPACE = 0x20;

/** Whole lines of the log up to the limit, and the note if there are more. Empty for an empty log. Closes the log. */
export async function keptLog(log: LogBytes, { limit, note }: content.LogCopy): Promise<Uint8Array> {
  try {
    const start = await log.start();
    const size = (await log.size()) - start;
    if (size <= limit) return wholeLines(await readFrom(log, start, size));
    const bytes = await readFrom(log, start, Math.max(limit, TIME_BYTES));
    const kept = wholeLines(bytes.subarray(0, limit));
    return joined([kept, new TextEncoder().encode(`${lastTime(kept.length > 0 ? kept : bytes)} stderr F ${note}\n`)]);
  } finally {
    await log.close();
  }
}

/** The newest line may be being written. */
function wholeLines(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1);
}

async function readFrom(log: LogBytes, start: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let read = 0;
  while (read < length) {
    const more = await log.read(start + read, bytes.subarray(read));
    // Its oldest lines have gone meanwhile.
    if (more <= 0) break;
    read += more;
  }
  return bytes.subarray(0, read);
}

/** The time of the last line that begins in these bytes. */
function lastTime(lines: Uint8Array): string {
  const from = lines.lastIndexOf(NEWLINE, lines.length - 2) + 1;
  return new TextDecoder().decode(lines.subarray(from, lines.indexOf(SPACE, from)));
}
