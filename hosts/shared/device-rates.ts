// Rates of block devices in an OCI spec. The core names devices by path; the spec needs their numbers.

import type { processes } from "./host.js";

/** `linux.resources.blockIO` (OCI runtime spec, config-linux.md). */
export interface BlockIO {
  weight?: number;
  weightDevice?: (DeviceNumber & { weight: number })[];
  throttleReadBpsDevice?: ThrottledDevice[];
  throttleWriteBpsDevice?: ThrottledDevice[];
  throttleReadIOPSDevice?: ThrottledDevice[];
  throttleWriteIOPSDevice?: ThrottledDevice[];
}

export interface DeviceNumber {
  major: number;
  minor: number;
}

export type ThrottledDevice = DeviceNumber & { rate: number };

/** The spec's own values and these rates. `numberOf`: number of the device at a path of the machine. */
export function withRates(
  blockIO: BlockIO | undefined,
  rates: readonly processes.DeviceRate[],
  numberOf: (path: string) => DeviceNumber,
): BlockIO | undefined {
  if (rates.length === 0) return blockIO;
  const all: Record<string, unknown> = { ...blockIO };
  for (const { path, member, rate } of rates) {
    const name = member === "weightDevice" ? "weight" : "rate";
    all[member] = [...((all[member] as unknown[] | undefined) ?? []), { ...numberOf(path), [name]: Number(rate) }];
  }
  return all;
}
