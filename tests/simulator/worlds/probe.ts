// The health probe of a story's containers: `probe CODE...`.

import type { Program } from "../../../hosts/simulated/program.js";
import { endless } from "./job.js";

/** Exits with its codes in turn, separately for each container. With `never` it does not exit by itself. */
export function probes(): Program {
  const made = new Map<string, number>();
  return async (process) => {
    const turn = made.get(process.hostname) ?? 0;
    made.set(process.hostname, turn + 1);
    const codes = process.argv.slice(1);
    const code = codes[turn % codes.length] ?? "0";
    await process.sleep(1_000_000n);
    if (code === "never") await endless(process);
    await process.stdout.write(`probe ${turn} ends with ${code}`);
    return Number(code);
  };
}
