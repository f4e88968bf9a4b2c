// A container's log in lines, for people.

import type { LogBytes } from "../../../shared/index.js";
import { LogLine, Moment, STDERR } from "../../../streams/index.js";
import type { LogEntry } from "../session.js";

/** How much of a log's end is shown. */
const SHOWN_BYTES = 256 * 1024;

/** Lines written up to `until` (nanoseconds since 1970), from the last 256 KiB. */
export async function entriesOf(log: LogBytes, until: bigint): Promise<LogEntry[]> {
  const [begin, size] = [await log.start(), await log.size()];
  const from = Math.max(begin, size - SHOWN_BYTES);
  const block = new Uint8Array(size - from);
  for (let filled = 0; filled < block.length;) {
    const read = await log.read(from + filled, block.subarray(filled));
    if (read < 0) return entriesOf(log, until); // dropped meanwhile
    if (read === 0) break;
    filled += read;
  }
  return linesOf(block, from === begin ? 0 : block.indexOf(0x0a) + 1).filter((entry) => entry.at <= until);
}

/** Joins the parts of a line. A last line without a newline counts too. */
function linesOf(block: Uint8Array, start: number): LogEntry[] {
  const entries: LogEntry[] = [];
  const line = new LogLine();
  const moment = new Moment();
  const begun = { stdout: "", stderr: "" };
  for (let at = start; line.read(block, at); at = line.end + 1) {
    const stream = line.stream === STDERR ? "stderr" : "stdout";
    const text = begun[stream] + new TextDecoder().decode(block.subarray(line.text, line.end));
    const isEnd = line.ends ? text !== "" : !line.partial;
    begun[stream] = isEnd ? "" : text;
    if (!isEnd) continue;
    moment.parse(block, line.start, line.timeEnd);
    entries.push({ at: BigInt(moment.seconds) * 1_000_000_000n + BigInt(moment.nanos), stream, text });
  }
  return entries;
}
