// Finds the last records of a log: where to begin, and how many records to skip from there. Lines are found backwards.
// But the number of records of a long line is known only by reading it from its beginning.

import type { LogBytes, replies } from "../shared/index.js";
import { logSnapshot } from "./log-snapshot.js";
import { LogReader } from "./log-lines.js";
import { firstOf, tailOf } from "./log-tail.js";
import { RecordCutter, type Beginnings } from "./record-cutter.js";

export interface LastRecords {
  /** Where their lines begin. */
  beginnings: Beginnings;
  /** How many records of those lines to skip. */
  skip: number;
  /** The offset that counting started at. Records that were removed since then need not be skipped. */
  from: number;
}

/** For `tail`; null for all records. Records of both streams count, as with Docker. */
export async function lastRecords(
  source: replies.LogSource,
  log: LogBytes,
  gone: AbortSignal,
): Promise<LastRecords | null> {
  if (source.tail === undefined) return null;
  const size = await log.size();
  const { beginnings, isEven } = await tailOf(log, size, source.tail, source);
  const first = firstOf(beginnings);
  if (isEven) return { beginnings, skip: 0, from: first };
  const { count, from } = await countRecords(source, logSnapshot(log, size, first), beginnings, gone);
  return { beginnings, skip: Math.max(0, count - source.tail), from };
}

async function countRecords(
  { since, until, ended }: replies.LogSource,
  log: LogBytes,
  beginnings: Beginnings,
  gone: AbortSignal,
): Promise<{ count: number; from: number }> {
  let count = 0;
  let from = firstOf(beginnings);
  const cutter = new RecordCutter({ since, until, beginnings, times: false }, () => count++);
  const reader = new LogReader(log, from, AbortSignal.abort(), gone);
  try {
    let passed = from;
    for (let block = await reader.next(); block !== null && !cutter.over; block = await reader.next()) {
      const offset = reader.passed - block.length;
      if (offset !== passed) {
        cutter.finish();
        [count, from] = [0, offset]; // the counted records are gone
      }
      cutter.cut(block, offset);
      passed = reader.passed;
    }
    if (ended) cutter.finish();
    return { count, from };
  } finally {
    reader.close();
  }
}
