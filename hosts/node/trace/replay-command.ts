// `coracle replay`: does again what a trace tells, prints it as a story, and stops where something else comes of it.

import { decodeSegments } from "../../trace/decode.js";
import type { Position } from "../../trace/format.js";
import { isShared, listen } from "../../trace/shared.js";
import { storyLine } from "../../timeline/story.js";
import { tell } from "../../timeline/tell.js";
import { Timeline } from "../../timeline/timeline.js";
import type { Step } from "../../timeline/step.js";
import { coreIdentity, loadCore } from "../core-files.js";
import { ConfigError } from "../config/options.js";
import { traceArguments } from "./arguments.js";
import { linesOf } from "./trace-file.js";

export const REPLAY_USAGE = `Usage: coracle replay [flags] FILE

Does again what a trace tells, prints it, a step a line, and compares what comes of each step with what was recorded.
Stops at the first difference, and ends with 1 then.

  --until EPOCH:STEP   goes no further than this step
  --until TIME         or this moment: 2026-01-01T12:00:00Z
  --any-core           also what another core did, which is left out otherwise: where it decides otherwise is a
                       difference`;

export interface Told {
  /** The process's exit code. */
  code: number;
  /** The last words. */
  text: string;
}

/** `print` is given a line at a time. Throws with what to tell the user. */
export function replayTrace(args: readonly string[], print: (line: string) => void): Told {
  const { files, given } = traceArguments(args, 1, ["until", "any-core"]);
  if (given.help === true) return { code: 0, text: REPLAY_USAGE };
  const [file] = files as [string];
  const until = given.until === undefined ? undefined : untilOf(given.until);
  const [first] = linesOf(file);
  if (first !== undefined && isShared(first)) return listened(file, until, print);
  let cut = "";
  const cutShort = (line: number): void => void (cut = `; it has no end, and is cut short behind line ${line}`);
  const replayed = tell(decodeSegments(linesOf(file), { unfinished: true, cutShort }), loadCore(), {
    ...(until === undefined ? {} : { until }),
    identity: coreIdentity(),
    anyCore: given["any-core"] === true,
    added: (step) => print(storyLine(step)),
  });
  const { difference, compared, leftOut } = replayed;
  if (difference === null) {
    const others = leftOut === 0 ? "" : `; left out, being another core's: ${leftOut} segments (--any-core)`;
    return { code: 0, text: `${compared} steps, and all came out as they were recorded${others}${cut}` };
  }
  const what = difference.what.join(", ");
  return {
    code: 1,
    text: `step ${difference.epoch}:${difference.step} came out otherwise than it was recorded: ${what}`,
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
    text: `${count} steps as they were told: values are hidden in this trace, and nothing can be verified`,
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
