// Marks where a run's output ends without a newline. conmon does not mark it, so the next run's output would seem to
// continue the line.

import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { LogLine, Moment, STDERR, STDOUT, TIMESTAMP_LENGTH } from "../../hosts/streams/index.js";

/** How much of a file's end is searched. */
const LOOKED_AT_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/**
 * Marks the end of each stream in a log's last file if its last line may lack a newline, and ends a line that the
 * supervisor could not finish. An empty file stays empty, and does not count against the number of files to keep.
 * `continues`: there are files before it. `at`: when the streams ended, in nanoseconds since 1970.
 */
export function markEnds(path: string, continues: boolean, at: bigint): void {
  const file = openSync(path, constants.O_RDWR | constants.O_APPEND);
  try {
    const { size } = fstatSync(file);
    const from = Math.max(0, size - LOOKED_AT_BYTES);
    const block = new Uint8Array(size - from + 1).fill(NEWLINE);
    readSync(file, block, 0, size - from, from);
    const { open, last } = look(block, from > 0, continues || from > 0);
    const ended = Moment.of(at);
    // File times come from a coarser clock than the lines' times.
    const marks = open.map((stream) => mark(stream, ended.isBefore(last) ? last : ended)).join("");
    const torn = size > from && block.at(-2) !== NEWLINE ? "\n" : "";
    if (torn + marks !== "") writeSync(file, torn + marks);
  } finally {
    closeSync(file);
  }
}

interface Look {
  /** Streams whose end is not known. */
  open: number[];
  /** Time of the last line. */
  last: Moment;
}

/** `torn`: the first line may be incomplete. `continues`: there is more before the block. */
function look(block: Uint8Array, torn: boolean, continues: boolean): Look {
  const isOpen = [false, continues, continues];
  const last = new Moment();
  let isEmpty = true;
  const line = new LogLine();
  let at = torn ? block.indexOf(NEWLINE) + 1 : 0;
  for (; at < block.length; at = line.end + 1) {
    const sound = line.read(block, at);
    if (line.end < 0) break;
    if (!sound) continue;
    isEmpty = false;
    isOpen[line.stream] = line.partial && !line.ends;
    last.parse(block, line.start, line.timeEnd);
  }
  return { open: isEmpty ? [] : [STDOUT, STDERR].filter((stream) => isOpen[stream]), last };
}

function mark(stream: number, time: Moment): string {
  const stamp = new Uint8Array(TIMESTAMP_LENGTH);
  time.write(stamp, 0);
  const text = new TextDecoder().decode(stamp).replace("Z", "+00:00");
  return `${text} ${stream === STDOUT ? "stdout" : "stderr"} E \n`;
}
