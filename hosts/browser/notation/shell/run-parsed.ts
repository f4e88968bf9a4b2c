// Runs a command that sends requests, and prints their answers.

import type { Understood } from "../notation.js";
import { ended, runPlan, type Outcome } from "../plan.js";
import { codeOf, printedBy, refusalOf, STDERR } from "./output.js";
import { stopOf, type How, type Place } from "./place.js";
import type { Result } from "./result.js";
import { StoppableSender } from "./stoppable.js";

export async function runParsed(parsed: Understood, place: Place, how: How): Promise<Result> {
  parsed.remarks.forEach((remark) => place.remark(remark));
  if (parsed.text !== undefined && !how.captured) place.show(parsed.text);
  const sender = new StoppableSender(place.sender, stopOf(place, how), how);
  const outcome = await runPlan(parsed.requests, sender).catch(async (error: unknown) => {
    await sender.end();
    throw error;
  });
  const shows = parsed.formats === true && !how.captured;
  if (!how.waits && !how.captured && !shows) {
    const later = codeAtEnd(parsed, outcome).finally(() => sender.end());
    return { code: codeOf(parsed, outcome), printed: "", later };
  }
  const code = await codeAtEnd(parsed, outcome);
  const isTold = await sender.end();
  if (!outcome.ok && how.captured && how.taken?.has(STDERR)) return { code, printed: refusalOf(outcome) };
  const printed = outcome.ok && !isTold && (how.captured || shows) ? printedBy(parsed, outcome, how.taken) : "";
  if (shows && printed !== "") place.show(printed);
  return { code, printed };
}

async function codeAtEnd(parsed: Understood, outcome: Outcome): Promise<number> {
  for (const exchange of outcome.sent) await ended(exchange);
  return codeOf(parsed, outcome);
}
