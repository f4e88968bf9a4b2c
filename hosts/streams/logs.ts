// Serves `logs`: from a container's log to a client.

import type { LogBytes, replies } from "../shared/host.js";
import { lastRecords } from "./last-records.js";
import { LogReader } from "./log-lines.js";
import { LogRecords } from "./log-records.js";
import { firstOf } from "./log-tail.js";

const NOTHING = new Uint8Array();

/** Where bytes go. */
export interface Sink {
  /** Resolves when the bytes have gone out and may be overwritten; to false when nobody is there to read any more. */
  write(bytes: Uint8Array): Promise<boolean>;
}

/**
 * Sends what the source names. With `follow`, goes on until `drain` and then up to the log's end; else stops at the
 * end it finds. `gone` stops it at once. Resolves when all is sent; rejects if the log cannot be read any further.
 */
export async function serveLogs(
  source: replies.LogSource,
  log: LogBytes,
  sink: Sink,
  drain: AbortSignal,
  gone: AbortSignal,
): Promise<void> {
  const last = await lastRecords(source, log, gone);
  const records = new LogRecords(source, last);
  const offset = last === null ? await log.start() : firstOf(last.beginnings);
  const reader = new LogReader(log, offset, source.follow ? drain : AbortSignal.abort(), gone);
  try {
    let sent = Promise.resolve(true);
    // The next block is read and rendered while the one before is being sent.
    for (let block = await reader.next(); block !== null && !records.over; block = await reader.next()) {
      const bytes = records.render(block, reader.passed - block.length);
      if (!(await sent)) return;
      if (bytes.length > 0) sent = sink.write(bytes);
    }
    // Who follows gets here when the run is over.
    const rest = source.ended || source.follow ? records.finish() : NOTHING;
    if ((await sent) && rest.length > 0) await sink.write(rest);
  } finally {
    reader.close();
  }
}
