// The inputs and outputs of core instances, recorded while a story is played.

import { vi } from "vitest";
import type { Input, types } from "../../../hosts/shared/host.js";
import { Instance } from "../../../hosts/driver/instance.js";
import type { StepOutputs } from "../../../hosts/shared/outputs.js";

export interface RecordedStep {
  now: types.Instant;
  input: Input;
  outputs: StepOutputs;
}

/** The recording of one instance. */
export interface Recording {
  instance: Instance;
  open: Parameters<Instance["open"]>;
  steps: RecordedStep[];
}

/** Plays a story, and returns the inputs of every instance that was opened. */
export function record(play: () => void): Recording[] {
  const recordings = new Map<Instance, Recording>();
  const { open, step } = Instance.prototype;
  const opened = vi.spyOn(Instance.prototype, "open").mockImplementation(function (this: Instance, ...args) {
    recordings.set(this, { instance: this, open: structuredClone(args), steps: [] });
    return open.apply(this, args);
  });
  const stepped = vi.spyOn(Instance.prototype, "step").mockImplementation(function (this: Instance, now, input) {
    const given = structuredClone({ now, input });
    const outputs = step.call(this, now, input);
    recordings.get(this)?.steps.push({ ...given, outputs: structuredClone(outputs) });
    return outputs;
  });
  try {
    play();
  } finally {
    opened.mockRestore();
    stepped.mockRestore();
  }
  return [...recordings.values()];
}

const SECRET = ["username", "password", "identityToken", "registryToken"];

/** Of a registry or of a web server. */
function blankedTexts(credentials: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(credentials).map(([name, text]) => [name, "*".repeat(text.length)]));
}

/** The same, with credentials as in a snapshot: replaced by as many other characters. */
export function blanked<Value>(value: Value): Value {
  const text = JSON.stringify(value, (key, part: unknown) => {
    if (typeof part === "bigint") return { bigint: String(part) };
    if (part instanceof Uint8Array) return { bytes: Buffer.from(part).toString("base64") };
    if (key === "credentials" && typeof part === "object" && part !== null)
      return blankedTexts(part as Record<string, string>);
    return SECRET.includes(key) && typeof part === "string" ? "*".repeat(part.length) : part;
  });
  return JSON.parse(text) as Value;
}
