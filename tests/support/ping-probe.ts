// How long /_ping takes beside whatever a test does to an engine.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { DaemonProcess } from "./daemon-process.js";

export interface Pings {
  readonly count: number;
  /** Not answered with OK. */
  readonly failed: number;
  /** Milliseconds, as a client sees them. */
  readonly median: number;
  readonly worst: number;
  /**
   * Milliseconds of the slowest ping in which the engine's own thread was at work: that it had no processor, since the
   * machine is busy, or that the disk was slow, is not in it.
   */
  readonly worstShare: number;
  /** Pings whose share was 50 ms or more. */
  readonly slow: number;
}

const SLOW_MS = 50;
const LOOP = fileURLToPath(new URL("ping-loop.mjs", import.meta.url));

export interface PingProbe {
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
    end: async () => {
      child.stdin.end();
      const code = await ended;
      if (code !== 0) throw new Error(`the pings ended with ${code}`);
      return summary(JSON.parse(Buffer.concat(output).toString()) as Found);
    },
  };
}

interface Found {
  readonly count: number;
  readonly failed: number;
  readonly milliseconds: readonly number[];
  readonly shares: readonly number[];
}

function summary({ count, failed, milliseconds, shares }: Found): Pings {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const slow = shares.filter((share) => share >= SLOW_MS).length;
  return { count, failed, median, worst: sorted.at(-1) ?? 0, worstShare: Math.max(0, ...shares), slow };
}
