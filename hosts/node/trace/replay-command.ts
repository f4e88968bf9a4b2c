// `coracle replay`: repeats a trace, prints it as a story, and stops at the first step with a different result.

import { decodeSegments, isShared, listen, tell } from "../../trace/index.js";
import type { Position } from "../../trace/index.js";
import { Timeline, storyLine } from "../../timeline/index.js";
import type { Step } from "../../timeline/index.js";
import { coreIdentity, loadCore } from "../core-files.js";
import { ConfigError } from "../config/options.js";
import { traceArguments } from "./arguments.js";
import { linesOf } from "./trace-file.js";

export const REPLAY_USAGE = `Usage: coracle replay [flags] FILE

Repeats the steps of a trace, prints each in one line, and compares its result with the recorded one. Stops at the first
difference; the exit code is then 1.

  --until EPOCH:STEP   stops after this step
  --until TIME         stops after this time: 2026-01-01T12:00:00Z
  --any-core           also replays steps of another core, which are left out by default; if that core decided
                       differently, this is a difference`;

export interface Told {
  /** The process's exit code. */
  code: number;
  /** The last lines of output. */
  text: string;
}

/** `print` gets one line at a time. Throws with a message for the user. */
export function replayTrace(args: readonly string[], print: (line: string) => void): Told {
  const { files, given } = traceArguments(args, 1, ["until", "any-core"]);
  if (given.help === true) return { code: 0, text: REPLAY_USAGE };
  const [file] = files as [string];
  const until = given.until === undefined ? undefined : untilOf(given.until);
  const [first] = linesOf(file);
  if (first !== undefined && isShared(first)) return listened(file, until, print);
  let cut = "";
  const cutShort = (line: number): void => void (cut = `; the trace has no end: it is cut off after line ${line}`);
  const replayed = tell(decodeSegments(linesOf(file), { unfinished: true, cutShort }), loadCore(), {
    ...(until === undefined ? {} : { until }),
    identity: coreIdentity(),
    anyCore: given["any-core"] === true,
    added: (step) => print(storyLine(step)),
  });
  const { difference, compared, leftOut } = replayed;
  if (difference === null) {
    const others = leftOut === 0 ? "" : `; left out: ${leftOut} segments of another core (--any-core)`;
    return { code: 0, text: `${compared} steps, all with the recorded results${others}${cut}` };
  }
  const what = difference.what.join(", ");
  return {
    code: 1,
    text: `step ${difference.epoch}:${difference.step} differs from the recording: ${what}`,
  };
}

/** There is nothing to compare with. */
function listened(file: string, until: Position | bigint | undefined, print: (line: string) => void): Told {
  let over = false;
  let count = 0;
  let now = { wall: 0n, monotonic: 0n };
  const added = (step: Step): void => {
    over ||= until !== undefined && isBehind(step, until);
    if (over) return;
    count++;
    now = { wall: step.wall, monotonic: step.at };
    print(storyLine(step));
  };
  const timeline = new Timeline({
    ...{ claim: () => null, preparing: () => false, hashOf: () => "", forgets: true, added },
    now: () => now,
  });
  listen(linesOf(file), timeline);
  return {
    code: 0,
    text: `${count} steps, not verified: values are hidden in this trace`,
  };
}

function isBehind({ epoch, inEpoch, wall }: Step, until: Position | bigint): boolean {
  if (typeof until === "bigint") return wall > until;
  return epoch > until.epoch || (epoch === until.epoch && inEpoch > until.step);
}

function untilOf(text: string): Position | bigint {
  const [, epoch, step] = /^(\d{1,9}):(\d{1,9})$/.exec(text) ?? [];
  if (epoch !== undefined && step !== undefined) return { epoch: Number(epoch), step: Number(step) };
  const [, seconds, fraction = "", zone] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/i.exec(text) ?? [];
  const ms = Date.parse(`${seconds}${zone}`);
  if (Number.isNaN(ms))
    throw new ConfigError(`invalid --until ${JSON.stringify(text)}: it must be EPOCH:STEP or a time in RFC 3339`);
  return BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}
