// What a step asked for, for comparing and for showing.

import type { StepOutputs } from "../../hosts/shared/outputs.js";
import { hashesOf } from "../../hosts/trace/hash.js";

/** Of all that a step asked for. */
export function digest(outputs: StepOutputs): string {
  const { records = "", effects = "", replies = "" } = hashesOf(outputs, false);
  return `${records} ${effects} ${replies}`;
}

/** For people. */
export function shortened({ records, effects, replies }: StepOutputs): string {
  const bytes = (_: string, value: unknown): unknown => {
    if (typeof value === "bigint") return String(value);
    return value instanceof Uint8Array ? new TextDecoder().decode(value).slice(0, 400) : value;
  };
  return JSON.stringify({ records, effects, replies }, bytes).slice(0, 4000);
}
