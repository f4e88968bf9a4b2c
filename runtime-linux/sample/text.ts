// Reads the kernel's small text files.

import { readFileSync } from "node:fs";

/** Reads one file of the group in a controller's hierarchy; empty if it is missing. */
export type ReadFile = (controller: string, file: string) => string;

/** Parses lines of a name and a number. */
export function table(text: string): Map<string, bigint> {
  return new Map(
    text.split("\n").flatMap((line): [string, bigint][] => {
      const [name, value] = line.split(" ");
      return name && value ? [[name, number(value)]] : [];
    }),
  );
}

export function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

/** The kernel's counters are never negative. Anything that is not a number counts as 0. */
export function number(text: string): bigint {
  const word = text.trim();
  return /^\d+$/.test(word) ? BigInt(word) : 0n;
}

export function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The group or the process has gone; ENODEV and EOPNOTSUPP: the controller is off.
    if (["ENOENT", "ENODEV", "ESRCH", "EOPNOTSUPP", "EINVAL"].includes(code ?? "")) return "";
    throw error;
  }
}
