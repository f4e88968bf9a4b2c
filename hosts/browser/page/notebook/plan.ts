// The requests of a command, sent one after the other: `{{1.Id}}` takes the answer to the first.

import type { PlannedRequest } from "../../notation/notation.js";
import type { Exchange } from "../../session/exchange.js";
import type { WrittenRequest } from "../../session/request.js";
import { ended } from "../answer/ended.js";
import type { Playground } from "../playground.js";

/** Adds a cell for each request and sends it; stops at the first that is refused. */
export async function sendPlan(playground: Playground, plan: readonly PlannedRequest[]): Promise<void> {
  const exchanges: Exchange[] = [];
  for (const { purpose: _, background, ...request } of plan) {
    const [target, body] = [filled(request.target, exchanges), filled(request.body, exchanges)];
    const cell = playground.session.value.add({ ...request, target, body });
    playground.show(cell.id);
    const exchange = await playground.send(cell.id);
    exchanges.push(exchange);
    if (background) continue;
    await ended(exchange);
    const status = exchange.head.value?.status ?? 0;
    if (status === 0 || status >= 400) return;
  }
}

/** Adds a cell for each request and sends it when the one before is answered. */
export function sendAll(playground: Playground, requests: readonly WrittenRequest[]): Promise<void> {
  return sendPlan(
    playground,
    requests.map((request) => ({ ...request, purpose: "", background: false })),
  );
}

/** Text with the fields of earlier answers in the places that are kept for them. */
function filled(text: string, exchanges: readonly Exchange[]): string {
  return text.replace(/\{\{(\d+)\.(\w+)\}\}/g, (place: string, number: string, field: string) => {
    const view = exchanges[Number(number) - 1]?.view.value;
    const value = view?.kind === "json" ? (view.value as Record<string, unknown> | null)?.[field] : undefined;
    return typeof value === "string" || typeof value === "number" ? String(value) : place;
  });
}
