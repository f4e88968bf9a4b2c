// Turns a step's outputs into a hash for comparisons, and into a text for people.

import type { StepOutputs } from "../../hosts/shared/outputs.js";
import { hashesOf } from "../../hosts/hashes/output-hashes.js";

/** The hashes of all outputs of a step. */
export function digest(outputs: StepOutputs): string {
  const { records = "", effects = "", replies = "" } = hashesOf(outputs, false);
  return `${records} ${effects} ${replies}`;
}

/** The outputs as a short text for people. */
export function shortened({ records, effects, replies }: StepOutputs): string {
  const bytes = (_: string, value: unknown): unknown => {
    if (typeof value === "bigint") return String(value);
    return value instanceof Uint8Array ? new TextDecoder().decode(value).slice(0, 400) : value;
  };
  return JSON.stringify({ records, effects, replies }, bytes).slice(0, 4000);
}
