// Opens sessions: a simulated host, an engine on it, and the timeline that records it.

import { openEngine } from "../../embedding/open.js";
import { simulatedHost } from "../../simulated/index.js";
import type { SimulatedHost } from "../../simulated/index.js";
import { EventWatch } from "./event-watch.js";
import { hashOfOutputs } from "./hash.js";
import { LiveSession } from "./live-session.js";
import type { KeptCell } from "./notebook.js";
import type { Session, SessionOptions } from "./session.js";
import { Timeline } from "../../timeline/index.js";
import type { Step } from "../../timeline/index.js";

/** Resolves when the engine answers and the first images are loaded. */
export function createSession(options: SessionOptions): Promise<Session> {
  return createLiveSession(options, []);
}

/** With cells in its notebook. */
export async function createLiveSession(
  { core, seed = 0, pace = { times: 1 }, images = ["busybox:latest"] }: SessionOptions,
  cells: readonly KeptCell[],
): Promise<LiveSession> {
  const host = simulatedHost({ seed, pace: "stopped", images });
  const watch = new EventWatch();
  const added = { tell: (_step: Step): void => {} };
  let session: LiveSession | null = null;
  const timeline = new Timeline({
    claim: (request) => (watch.claims(request) ? "events" : (session?.claim(request.method, request.target) ?? null)),
    now: () => host.timers.now(),
    preparing: () => session === null,
    hashOf: hashOfOutputs,
    added: (step) => {
      if (step.kind === "opened") watch.engineOpened(step.wall);
      if (step.kind === "opened" && session !== null) queueMicrotask(() => void watch.begin(engine));
      added.tell(step);
    },
  });
  const engine = await moving(host, () => openEngine({ host, core: core.compiled, observer: timeline }));
  await moving(host, () => watch.begin(engine));
  session = new LiveSession({
    ...{ core, seed, images, host, engine, steps: timeline.steps, added, pace, cells },
    reopened: () => void watch.begin(engine),
    create: createLiveSession,
  });
  return session;
}

/** Runs the world's events as fast as possible until an outside action has finished. */
async function moving<Result>(host: SimulatedHost, act: () => Promise<Result>): Promise<Result> {
  let ended = false;
  let result: Promise<Result> | undefined;
  await host.timers.enter(() => {
    result = act();
    const end = (): void => void (ended = true);
    result.then(end, end);
  });
  while (!ended) {
    if (!(await host.timers.step())) await new Promise((resolve) => setTimeout(resolve));
  }
  return result!;
}
