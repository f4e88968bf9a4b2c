// Hashes of steps and of sessions: equal where the same happened.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { StepOutputs } from "../../shared/outputs.js";
import { hashesOf } from "../../trace/hash.js";
import type { Step } from "../../timeline/step.js";

/** Of what a step asked for, as a trace has it. Credentials do not count. */
export function hashOfOutputs(outputs: StepOutputs): string {
  const { records = "", effects = "", replies = "" } = hashesOf(outputs, false);
  return `${records}.${effects}.${replies}`;
}

/** SHA-256 of what happened when, in hex. */
export function hashOfSteps(steps: readonly Step[]): string {
  const hash = sha256.create();
  for (const step of steps) hash.update(utf8ToBytes(`${step.kind} ${step.at} ${step.hash}\n`));
  return bytesToHex(hash.digest());
}
