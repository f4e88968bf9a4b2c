// A log as it was at some moment.

import type { LogBytes } from "../shared/index.js";

/** The log as it was at `size` bytes. The caller will read again from `from` on. */
export function logSnapshot(log: LogBytes, size: number, from?: number): LogBytes {
  return {
    size: async () => size,
    start: () => log.start(),
    read: (offset, into) => log.read(offset, into.subarray(0, Math.max(0, size - offset)), from),
    watch: (grown) => log.watch(grown),
    close: () => log.close(),
  };
}
