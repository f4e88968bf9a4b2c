// The requests of a command, each in its own cell.

import type { PlannedRequest } from "../../notation/notation.js";
import { sendAll as sendPlanned, type Sender } from "../../notation/plan.js";
import type { WrittenRequest } from "../../session/request.js";
import type { Playground } from "../playground.js";

/** Adds a cell for each request and sends it. Stops at the first refused request. */
export async function sendPlan(playground: Playground, plan: readonly PlannedRequest[]): Promise<void> {
  await sendPlanned(plan, senderOf(playground));
}

export function senderOf(playground: Playground): Sender {
  return {
    send: (request) => playground.addAndSend(request),
    cancel: (exchange) => playground.session.peek().cancel(exchange),
    folder: () => playground.folder(),
  };
}

/** Adds a cell for each request and sends it when the previous one is answered. */
export function sendAll(playground: Playground, requests: readonly WrittenRequest[]): Promise<void> {
  return sendPlan(
    playground,
    requests.map((request) => ({ ...request, purpose: "", background: false })),
  );
}
