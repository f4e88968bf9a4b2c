// Sessions that begin as copies of another one.

import type { Action, EnteredAction } from "./action.js";
import type { KeptCell } from "./notebook.js";
import { replay, type Replayable } from "./replay.js";
import type { Session } from "./session.js";

/** A session that can be copied. */
export interface Trunk extends Session {
  readonly notebook: { readonly kept: readonly KeptCell[] };
  /** A new session with these cells, in which nothing has happened yet. */
  afresh(cells: readonly KeptCell[]): Promise<Session & Replayable>;
}

/** A copy that includes everything up to the moment of a step (null for now) and then continues at the same pace. */
export async function branched(session: Trunk, step: number | null): Promise<Session> {
  const moment = step === null ? session.now().monotonic : session.steps.value[step]?.at;
  if (moment === undefined) throw new Error(`there is no step ${step}`);
  const actions = session.actions.value.filter(({ at }) => at <= moment);
  return again(session, session.notebook.kept, actions, moment);
}

/** See `Session.branchWith`. */
export async function branchedWith(session: Trunk, cell: string, before: number): Promise<Session> {
  const { request } = session.notebook.kept.find(({ id }) => id === cell) ?? {};
  const place = session.actions.value.findIndex(({ action }) => action.kind === "send" && action.exchange === before);
  if (request === undefined || place < 0) throw new Error(`there is no cell ${cell}, or no exchange ${before}`);
  const all = session.actions.value;
  const { at } = all[place]!;
  const added: EnteredAction = { at, action: { kind: "send", exchange: before, cell, request } };
  const rest = all.slice(place).map((later) => ({ at: later.at + 1n, action: renumbered(later.action, before) }));
  return again(session, session.notebook.kept, [...all.slice(0, place), added, ...rest], session.now().monotonic + 1n);
}

async function again(
  session: Trunk,
  cells: readonly KeptCell[],
  actions: readonly EnteredAction[],
  until: bigint,
): Promise<Session> {
  const fresh = await session.afresh(cells);
  await replay(fresh, actions, until);
  fresh.setPace(session.pace.value);
  return fresh;
}

/** One more exchange comes before it. */
function renumbered(action: Action, from: number): Action {
  return "exchange" in action && action.exchange >= from ? { ...action, exchange: action.exchange + 1 } : action;
}
