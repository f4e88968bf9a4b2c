// Counters of network interfaces (proc(5), /proc/net/dev).

import type { engine } from "../../hosts/shared/index.js";

/** Leaves out `lo`. */
export function readInterfaces(text: string): engine.InterfaceCount[] {
  return text.split("\n").flatMap((line) => {
    const [, name, numbers = ""] = /^\s*([^:]+):(.*)$/.exec(line) ?? [];
    if (!name || name === "lo") return [];
    const counts = numbers.trim().split(/\s+/).map(BigInt);
    // Eight numbers for each direction: bytes, packets, errors, dropped, and those that only old hardware counts.
    return [{ name, received: traffic(counts, 0), sent: traffic(counts, 8) }];
  });
}

function traffic(counts: readonly bigint[], from: number): engine.Traffic {
  const [bytes = 0n, packets = 0n, errors = 0n, dropped = 0n] = counts.slice(from, from + 4);
  return { bytes, packets, errors, dropped };
}
