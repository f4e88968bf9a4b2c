// Counts how often the engine was cut off right after each kind of output, so that missing kinds are noticed.

import type { Effect, StepOutputs } from "../../../hosts/shared/outputs.js";

/** Counts by kind. */
export type OutputCounts = Record<string, number>;

/** A step's transaction, as one output. */
export const TRANSACTION = "records";

/** An output: a transaction, an effect or a reply. */
export interface Output {
  /** `records`, `content mount`, `replies whole`. */
  kind: string;
  effect: Effect | null;
}

/** The outputs of a step, in the order in which they leave. */
export function outputsOf({ records, effects, replies }: StepOutputs): Output[] {
  return [
    ...(records.length > 0 ? [{ kind: TRANSACTION, effect: null }] : []),
    ...effects.map((effect) => ({ kind: `${effect.to} ${effect.command.tag}`, effect })),
    ...replies.map(({ command }) => ({ kind: `replies ${command.tag}`, effect: null })),
  ];
}

export function addCounts(to: OutputCounts, counts: OutputCounts): void {
  for (const [kind, count] of Object.entries(counts)) to[kind] = (to[kind] ?? 0) + count;
}
