// The requests of a command, each in a cell of its own.

import type { PlannedRequest } from "../../notation/notation.js";
import { sendAll as sendPlanned } from "../../notation/plan.js";
import type { WrittenRequest } from "../../session/request.js";
import type { Playground } from "../playground.js";

/** Adds a cell for each request and sends it; stops at the first that is refused. */
export async function sendPlan(playground: Playground, plan: readonly PlannedRequest[]): Promise<void> {
  await sendPlanned(plan, (request) => playground.addAndSend(request));
}

/** Adds a cell for each request and sends it when the one before is answered. */
export function sendAll(playground: Playground, requests: readonly WrittenRequest[]): Promise<void> {
  return sendPlan(
    playground,
    requests.map((request) => ({ ...request, purpose: "", background: false })),
  );
}
