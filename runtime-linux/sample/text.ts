// The kernel's small text files, and what their words mean.

import { readFileSync } from "node:fs";

/** Reads one file of the group in a controller's hierarchy; empty where it is missing. */
export type ReadFile = (controller: string, file: string) => string;

/** Lines of a name and a number. */
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

/** The counters of the kernel are never negative; what is no number counts nothing. */
export function number(text: string): bigint {
  const word = text.trim();
  return /^\d+$/.test(word) ? BigInt(word) : 0n;
}

export function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A group, or a process, that has gone; ENODEV and EOPNOTSUPP: a controller that is off.
    if (["ENOENT", "ENODEV", "ESRCH", "EOPNOTSUPP", "EINVAL"].includes(code ?? "")) return "";
    throw error;
  }
}
