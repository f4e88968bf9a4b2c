// What a request would do: tried in a copy of the session, so that nothing of it is in the session itself, nor in its
// links. There the engine decides it in a dry run: what its host is really asked takes the copy's time.

import type { Plan } from "../../dry-run/format.js";
import { joined } from "../../streams/bytes.js";
import type { Exchange } from "./exchange.js";
import type { WrittenRequest } from "./request.js";
import type { Session } from "./session.js";

/** Between two events of the copy's world: what a dry run does without it needs no longer. */
const PAUSE_MS = 5;
/** What has no answer by then waits for what containers do, and may wait for ever: nanoseconds of the world, or real ones. */
const LONGEST_NS = 60_000_000_000n;
const LONGEST_MS = 20_000;

/** As the world is looked at. Rejects where the engine is down or refuses to try, and where no answer comes of it. */
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
      throw new Error("It would wait for what containers do: a dry run tells nothing of that.");
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
