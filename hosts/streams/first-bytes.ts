// A log as it was at some moment.

import type { LogBytes } from "../shared/host.js";

/** A log as it was when it had `size` bytes. What comes from `from` on will be read again. */
export function firstBytes(log: LogBytes, size: number, from?: number): LogBytes {
  return {
    size: async () => size,
    start: () => log.start(),
    read: (offset, into) => log.read(offset, into.subarray(0, Math.max(0, size - offset)), from),
    watch: (grown) => log.watch(grown),
    close: () => log.close(),
  };
}
