// Hashes of steps and of sessions: equal where the same happened.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { StepOutputs } from "../../outbox.js";
import type { Step } from "./step.js";

/** SHA-256 of what a step asked for, in hex. SECRETs count by their length alone. */
export function hashOfOutputs(outputs: StepOutputs): string {
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(outputs, stable))));
}

/** SHA-256 of the hashes of steps, in order. */
export function hashOfSteps(steps: readonly Step[]): string {
  const hash = sha256.create();
  for (const step of steps) hash.update(utf8ToBytes(`${step.kind} ${step.at} ${step.hash}\n`));
  return bytesToHex(hash.digest());
}

const SECRETS = new Set(["username", "password", "identityToken", "registryToken"]);

function stable(key: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  if (value instanceof Uint8Array) return bytesToHex(value);
  if (SECRETS.has(key) && typeof value === "string") return value.length;
  return value;
}
