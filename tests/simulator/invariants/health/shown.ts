// Reads a container's health from an inspect answer.

import type { replies } from "../../../../hosts/shared/host.js";
import type { Condition } from "./course.js";

interface ShownHealth {
  Status: string;
  FailingStreak: number;
  Log: { Start: string; End: string; ExitCode: number }[];
}

const INSPECTED = /^\{"Id":"([0-9a-f]{64})".*"State":\{/;
const decoder = new TextDecoder();

/** The health of the inspected container, or null if the answer is no inspect of a container. */
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

/** The answer for a container is never shorter. */
const MIN_BYTES = 500;

/** Parses `2026-01-01T00:00:01.5Z`. Nanoseconds since 1970. */
function nanoseconds(time: string): number {
  const [, seconds = "", fraction = ""] = /^([^.Z]+)(?:\.(\d+))?Z$/.exec(time) ?? [];
  return Number(BigInt(Date.parse(`${seconds}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, "0")));
}
