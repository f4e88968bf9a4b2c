// What inspect shows of a container's health.

import type { replies } from "../../../../hosts/shared/host.js";
import type { Condition } from "./course.js";

interface ShownHealth {
  Status: string;
  FailingStreak: number;
  Log: { Start: string; End: string; ExitCode: number }[];
}

const INSPECTED = /^\{"Id":"([0-9a-f]{64})".*"State":\{/;
const decoder = new TextDecoder();

/** Of the container that an answer shows; null for an answer that shows none. */
export function shownIn({ head, body }: replies.Whole): { id: string; condition: Condition | null } | null {
  if (head.status !== 200 || body.length < MIN_BYTES) return null;
  const text = decoder.decode(body);
  const id = INSPECTED.exec(text)?.[1];
  if (id === undefined) return null;
  const { Health } = (JSON.parse(text) as { State: { Health?: ShownHealth } }).State;
  if (Health === undefined) return { id, condition: null };
  const log = Health.Log.map(({ Start, End, ExitCode: exitCode }) => {
    return { start: nanoseconds(Start), end: nanoseconds(End), exitCode };
  });
  return { id, condition: { status: Health.Status, streak: Health.FailingStreak, log } };
}

/** No container takes less to show. */
const MIN_BYTES = 500;

/** `2026-01-01T00:00:01.5Z`: since 1970. */
function nanoseconds(time: string): number {
  const [, seconds = "", fraction = ""] = /^([^.Z]+)(?:\.(\d+))?Z$/.exec(time) ?? [];
  return Number(BigInt(Date.parse(`${seconds}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, "0")));
}
