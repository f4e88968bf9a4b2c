// Finds out what a request would do. It runs in a copy of the session, so the session itself and its links do not
// change. In the copy the engine makes a dry run. What the engine really asks its host takes only the copy's time.

import type { Plan } from "../../dry-run/index.js";
import { joined } from "../../shared/index.js";
import type { Exchange } from "./exchange.js";
import type { WrittenRequest } from "./request.js";
import type { Session } from "./session.js";

/** Pause between two events of the copy's world. A dry run that needs no events is over by then. */
const PAUSE_MS = 5;
/**
 * After this time an answer is given up, because it may wait for a container for ever: nanoseconds of the world, or
 * real ones.
 */
const LONGEST_NS = 60_000_000_000n;
const LONGEST_MS = 20_000;

/** Starts from the selected moment. Rejects if the engine is down or refuses the dry run, or if there is no answer. */
export async function dryRun(session: Session, request: WrittenRequest): Promise<Plan> {
  const copy = await session.branch(session.looking.value);
  try {
    copy.setPace("stopped");
    const headers = [...request.headers, ["Coracle-Dry-Run", "plan"] as const];
    return planIn(await answered(copy, await copy.send(copy.add({ ...request, headers }).id)));
  } finally {
    await copy.close();
  }
}

async function answered(copy: Session, exchange: Exchange): Promise<Exchange> {
  const isOver = (): boolean => ["done", "broken"].includes(exchange.state.value);
  const [latest, last] = [copy.now().monotonic + LONGEST_NS, performance.now() + LONGEST_MS];
  while (!isOver()) {
    if (copy.now().monotonic > latest || performance.now() > last) {
      throw new Error("The request would wait for a container, and a dry run cannot predict that.");
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    if (!isOver()) await copy.step();
  }
  return exchange;
}

function planIn({ state, problem, head, pieces }: Exchange): Plan {
  if (state.value === "broken") throw new Error(problem.value);
  const body: unknown = JSON.parse(new TextDecoder().decode(joined(pieces.value.map(({ bytes }) => bytes))));
  if (head.value?.status !== 200) throw new Error((body as { message: string }).message);
  return body as Plan;
}
