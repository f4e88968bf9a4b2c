// Measures how long /_ping takes during a test.
import { spawn } from "node:child_process";
import { join } from "node:path";
import type { DaemonProcess } from "../daemon-process.js";
import { ROOT } from "../engines.js";

export interface Pings {
  readonly count: number;
  /** Number of pings without the answer OK. */
  readonly failed: number;
  /** Milliseconds as seen by the client, without the time in which it had no processor. */
  readonly median: number;
  readonly nineInTen: number;
  readonly worst: number;
  /** Pings that took 50 ms or more by this measure. */
  readonly late: number;
  /**
   * Milliseconds of the slowest ping, counting only the time in which the engine's own thread was working: waiting for
   * a processor or the disk is left out.
   */
  readonly worstShare: number;
  /** Pings with 50 ms or more of such work. */
  readonly slow: number;
}

const SLOW_MS = 50;
const LOOP = join(ROOT, "tests/support/measured/ping-loop.mjs");

export interface PingProbe {
  /** Resolves when the first ping was answered, or when no answer is possible. */
  readonly begun: Promise<unknown>;
  /** Ends it. Throws if the engine closed the connection. */
  end(): Promise<Pings>;
}

export function probePings(daemon: DaemonProcess): PingProbe {
  const args = [LOOP, daemon.socketPath, String(daemon.pid())];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const output: Buffer[] = [];
  child.stdout.on("data", (bytes: Buffer) => output.push(bytes));
  child.stdin.on("error", () => {});
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    begun: Promise.race([new Promise((resolve) => child.stdout.once("data", resolve)), ended]),
    end: async () => {
      child.stdin.end();
      const code = await ended;
      if (code !== 0) throw new Error(`the pings ended with ${code}`);
      return summary(JSON.parse(Buffer.concat(output).toString()) as Found);
    },
  };
}

interface Found {
  readonly failed: number;
  readonly milliseconds: readonly number[];
  readonly shares: readonly number[];
}

function summary({ failed, milliseconds, shares }: Found): Pings {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? 0;
  const quantiles = { median: at(0.5), nineInTen: at(0.9), worst: sorted.at(-1) ?? 0 };
  const [late, slow] = [milliseconds, shares].map((all) => all.filter((ms) => ms >= SLOW_MS).length);
  const counts = { count: sorted.length, failed, late: late ?? 0, slow: slow ?? 0 };
  return { ...counts, ...quantiles, worstShare: Math.max(0, ...shares) };
}
