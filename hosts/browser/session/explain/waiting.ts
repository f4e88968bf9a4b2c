// What a request waits for: commands that the engine gave to its host and that are not completed.

import type { Step } from "../../../timeline/index.js";
import type { Exchange } from "../exchange.js";
import { pathOf, type WrittenRequest } from "../request.js";

/**
 * Pending commands in words, as in the steps, in their order: `launch web`, `set a timer`. Reads no signal but `steps`.
 */
export function awaited(steps: readonly Step[], exchange: Exchange): string[] {
  const [first] = exchange.steps.value;
  const asked = new Map<bigint, string>();
  for (const step of first === undefined ? [] : steps.slice(first)) {
    if (step.kind !== "stepped") asked.clear();
    if (step.input?.tag === "completed") asked.delete(step.input.val.op);
    if (step.input?.tag === "elapsed") asked.delete(step.input.val);
    for (const [at, { op, to, command }] of step.outputs.effects.entries()) {
      if (to === "timers" && command.tag === "cancel") asked.delete(op);
      else if (step.exchange === exchange.number) asked.set(op, step.effects[at] ?? "");
    }
  }
  return [...asked.values()];
}

const UNTIL: readonly (readonly [request: RegExp, until: string])[] = [
  [/^POST \/containers\/[^/]+\/(wait|attach)$/, "until the container ends"],
  [/^POST \/exec\/[^/]+\/start$/, "until the command ends"],
  [/^GET \/containers\/[^/]+\/logs$/, "for the container's next output"],
  [/^GET \/containers\/[^/]+\/stats$/, "for a measurement every second"],
  [/^GET \/events$/, "for future events"],
  [/^POST \/images\/create$/, "until the image is complete"],
];

/** What an answer waits for after its head; empty if there is nothing to explain. */
export function openUntil(request: WrittenRequest): string {
  const line = `${request.method} ${pathOf(request)}`;
  return UNTIL.find(([is]) => is.test(line))?.[1] ?? "";
}
