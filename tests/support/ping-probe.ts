// How long /_ping takes beside whatever a test does to an engine.
import { spawn } from "node:child_process";
import { join } from "node:path";
import type { DaemonProcess } from "./daemon-process.js";
import { ROOT } from "./engines.js";

export interface Pings {
  readonly count: number;
  /** Not answered with OK. */
  readonly failed: number;
  /** Milliseconds, as a client sees them, but for those in which it had no processor itself. */
  readonly median: number;
  readonly nineInTen: number;
  readonly worst: number;
  /** Pings that took 50 ms or more so. */
  readonly late: number;
  /**
   * Milliseconds of the slowest ping in which the engine's own thread was at work: that it had no processor, since the
   * machine is busy, or that the disk was slow, is not in it.
   */
  readonly worstShare: number;
  /** Pings whose share was 50 ms or more. */
  readonly slow: number;
}

const SLOW_MS = 50;
const LOOP = join(ROOT, "tests/support/ping-loop.mjs");

export interface PingProbe {
  /** The first was answered, or none ever will be. */
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
