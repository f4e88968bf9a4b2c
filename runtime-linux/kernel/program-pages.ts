// Hands the pages of Node's own program back to the kernel, of which a process needs most only to start. The kernel reads
// a page again, from the file or its cache, when it is needed.

import { readFileSync } from "node:fs";
import { attempt } from "./calls.js";
import { MADV_DONTNEED } from "./numbers.js";

/** `smaps`: some kernels have no such file (CONFIG_PROC_PAGE_MONITOR). Then the pages stay. */
export function handBackProgram(smaps = "/proc/self/smaps"): void {
  for (const { start, bytes } of unchanged(textOf(smaps), process.execPath))
    attempt("adviseAt", start, bytes, MADV_DONTNEED);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

export interface Mapping {
  start: bigint;
  bytes: bigint;
}

/** Where a file is mapped that nobody can write to, and of which no page was changed: those could not be read again. */
export function unchanged(smaps: string, file: string): Mapping[] {
  return smaps.split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m).flatMap((mapping) => {
    const [, from, to, path] = /^([0-9a-f]+)-([0-9a-f]+) r-[x-]p \S+ \S+ \S+ +(.+)$/m.exec(mapping) ?? [];
    if (from === undefined || to === undefined || path !== file || !/^Anonymous: +0 kB$/m.test(mapping)) return [];
    const start = BigInt(`0x${from}`);
    return [{ start, bytes: BigInt(`0x${to}`) - start }];
  });
}
