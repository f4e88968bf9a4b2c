// The program that a story's containers run: `job MILLISECONDS CODE [stubborn] [noisy] [reads] [greedy]`.

import type { Process, Program } from "../../../hosts/simulated/program.js";

const SIGTERM = 15;
const SIGHUP = 1;

/** Exits by itself after that time (0: at once, -1: never) with that code. */
export const job: Program = async (process) => {
  const [, milliseconds = "0", code = "0", ...manners] = process.argv;
  if (manners.includes("stubborn")) process.onSignal([SIGTERM, SIGHUP], () => {});
  if (manners.includes("polite")) process.onSignal([SIGTERM], () => void process.stdout.write("going\n"));
  if (manners.includes("noisy")) await process.stdout.write(`begins with ${process.argv.join(" ")}\n`);
  // The kernel kills one child for lack of memory now, and another one at the end.
  if (manners.includes("greedy")) await process.spawn({ argv: ["greedy"], program: greedy }).exited;
  if (manners.includes("reads")) await echo(process);
  if (Number(milliseconds) < 0) await endless(process);
  await process.sleep(BigInt(milliseconds) * 1_000_000n);
  if (manners.includes("greedy")) await process.spawn({ argv: ["greedy"], program: greedy }).exited;
  if (manners.includes("noisy")) await process.stderr.write("ends\n");
  return Number(code);
};

/** Allocates more memory than there is. */
const greedy: Program = async () => {
  throw new RangeError("Array buffer allocation failed");
};

/** Waits without an event of the world, because the world would leap to that event when no other is left. */
export function endless({ ended }: Process): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (ended.aborted) reject(ended.reason as Error);
    ended.addEventListener("abort", () => reject(ended.reason as Error));
  });
}

async function echo(process: Process): Promise<void> {
  for (let bytes = await process.stdin.read(); bytes !== null; bytes = await process.stdin.read()) {
    await process.stdout.write(bytes);
  }
}
