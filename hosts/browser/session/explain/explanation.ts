// Explains an exchange from the steps that it caused.

import type { Exchange } from "../exchange.js";
import type { Explanation } from "./explain.js";
import { remediesFor } from "./remedies.js";
import { versionOf } from "../request.js";
import type { Session } from "../session.js";
import type { EventView, Step } from "../../../timeline/index.js";

/** Explains what has happened so far. Reads signals: an `effect` runs again when more has happened. */
export function explain(session: Session, exchange: Exchange): Explanation {
  const all = session.steps.value;
  const steps = exchange.steps.value.map((number) => all[number]).filter((step) => step !== undefined);
  const routed = steps[0]?.notes.find((note) => note.tag === "routed");
  const refusal = refusalOf(exchange, steps);
  const world = all[(steps[0]?.number ?? all.length) - 1]?.world ?? session.world.value;
  return {
    route: routed?.val.route ?? null,
    source: routed?.val.source ?? "",
    version: routed?.val.version ?? versionOf(exchange.request) ?? "",
    rules: steps.flatMap(({ number, notes }) =>
      notes.flatMap((note) => (note.tag === "moved" ? [{ step: number, ...note.val }] : [])),
    ),
    records: steps.flatMap(({ number, records }) => records.map((record) => ({ step: number, ...record }))),
    effects: steps.flatMap(({ number, effects }) => effects.map((text) => ({ step: number, text }))),
    events: steps.flatMap((step) => eventsOf(step)),
    refusal,
    remedies: refusal === null ? [] : remediesFor(exchange.request, refusal, world),
  };
}

/**
 * The refusal of the core; otherwise that of the answer, because errors can also come at the end of progress streams.
 */
function refusalOf(exchange: Exchange, steps: readonly Step[]): Explanation["refusal"] {
  for (const note of steps.flatMap(({ notes }) => notes)) {
    if (note.tag === "refused" && isOf(exchange, steps, note.val.request)) {
      const { kind, status, message } = note.val;
      return { kind, status, message };
    }
  }
  const status = exchange.head.value?.status ?? 0;
  const view = exchange.view.value;
  if (view.kind === "progress" && view.error !== null) return { kind: "failed", status, message: view.error };
  if (exchange.state.value === "broken" && exchange.problem.value !== "you closed it") {
    return { kind: "broken", status: 0, message: exchange.problem.value };
  }
  if (status < 400 && status !== 304) return null;
  const message = view.kind === "json" ? ((view.value as { message?: string } | null)?.message ?? "") : "";
  return { kind: status === 304 ? "not-modified" : "refused", status, message };
}

function isOf(exchange: Exchange, steps: readonly Step[], request: bigint): boolean {
  const asked = steps.find((step) => step.exchange === exchange.number && step.input?.tag === "request");
  return asked?.input?.tag === "request" && asked.input.val.id === request;
}

function eventsOf(step: Step): EventView[] {
  const came = new Set(step.changes.filter(({ of }) => of === "event").map(({ id }) => id));
  return step.world.events.since(step.world.events.length - came.size);
}
