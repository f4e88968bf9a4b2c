// Hashes of steps and sessions. They are equal if the same things happened.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { StepOutputs } from "../../shared/index.js";
import { hashesOf } from "../../hashes/index.js";
import type { Step } from "../../timeline/index.js";

/** Hashes a step's commands in the trace format. Credentials are left out. */
export function hashOfOutputs(outputs: StepOutputs): string {
  const { records = "", effects = "", replies = "" } = hashesOf(outputs, false);
  return `${records}.${effects}.${replies}`;
}

/** SHA-256 in hex of what happened and when. */
export function hashOfSteps(steps: readonly Step[]): string {
  const hash = sha256.create();
  for (const step of steps) hash.update(utf8ToBytes(`${step.kind} ${step.at} ${step.hash}\n`));
  return bytesToHex(hash.digest());
}
