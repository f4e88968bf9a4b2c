// Serves `logs`: sends a container's log to a client.

import type { LogBytes, replies } from "../shared/index.js";
import { lastRecords } from "./last-records.js";
import { LogReader } from "./log-lines.js";
import { LogRecords } from "./log-records.js";
import { firstOf } from "./log-tail.js";

const NOTHING = new Uint8Array();

/** A destination for bytes. */
export interface Sink {
  /** Resolves when the bytes have gone out and may be overwritten; to false if nobody reads any more. */
  write(bytes: Uint8Array): Promise<boolean>;
}

/**
 * Sends what the source describes. With `follow`, continues until `drain` and then up to the log's end. Otherwise it
 * stops at the current end. `gone` stops it at once. Resolves when everything is sent; rejects if the rest of the log
 * cannot be read.
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
    // Reads and formats the next block while the previous one is being sent.
    for (let block = await reader.next(); block !== null && !records.over; block = await reader.next()) {
      const bytes = records.render(block, reader.passed - block.length);
      if (!(await sent)) return;
      if (bytes.length > 0) sent = sink.write(bytes);
    }
    // A follower gets here when the run is over.
    const rest = source.ended || source.follow ? records.finish() : NOTHING;
    if ((await sent) && rest.length > 0) await sink.write(rest);
  } finally {
    reader.close();
  }
}
