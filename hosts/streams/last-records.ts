// The last records of a log: where to begin, and how many from there on are not among them. Lines are found backwards;
// how many records a long one comes to is known only from its beginning on.

import type { LogBytes, replies } from "../host.js";
import { firstBytes } from "./first-bytes.js";
import { LogReader } from "./log-lines.js";
import { firstOf, tailOf } from "./log-tail.js";
import { RecordCutter, type Beginnings } from "./record-cutter.js";

export interface LastRecords {
  /** Where their lines begin. */
  beginnings: Beginnings;
  /** So many records of those lines are not among them. */
  skip: number;
}

/** What `tail` asks for; null for all. Records of both streams count, as with Docker. */
export async function lastRecords(
  source: replies.LogSource,
  log: LogBytes,
  gone: AbortSignal,
): Promise<LastRecords | null> {
  if (source.tail === undefined) return null;
  const size = await log.size();
  const { beginnings, isEven } = await tailOf(log, size, source.tail, source);
  if (isEven) return { beginnings, skip: 0 };
  const count = await countRecords(source, firstBytes(log, size), beginnings, gone);
  return { beginnings, skip: Math.max(0, count - source.tail) };
}

async function countRecords(
  { since, until, ended }: replies.LogSource,
  log: LogBytes,
  beginnings: Beginnings,
  gone: AbortSignal,
): Promise<number> {
  let count = 0;
  const cutter = new RecordCutter({ since, until, beginnings, times: false }, () => count++);
  const reader = new LogReader(log, firstOf(beginnings), AbortSignal.abort(), gone);
  try {
    for (let block = await reader.next(); block !== null && !cutter.over; block = await reader.next())
      cutter.cut(block, reader.passed - block.length);
    if (ended) cutter.finish();
    return count;
  } finally {
    reader.close();
  }
}
