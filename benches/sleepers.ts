// How long does a stop with no grace period take, and how many containers can eight concurrent clients start, and
// remove while they run, per second?
import type { RunningEngine } from "../tests/support/engines.js";
import { atLeast, atMost, medians, Rounds, timed, type Answer, type Sizes } from "./question.js";
import { byHands, HANDS } from "./hands.js";
import { expectStatus, idOf, onWire, requestBytes, type Wire } from "./wire.js";

const SLEEPER = requestBytes("POST", "/containers/create", { Image: "busybox", Cmd: ["sleep", "100000"] });

export async function stop(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const figures = await medians(engines, sizes.rounds, (engine) =>
    onWire(engine, async (wire) => {
      const id = await started(wire, await created(wire));
      const ms = await timed(() => expectStatus(wire, requestBytes("POST", `/containers/${id}/stop?t=0`), 204));
      await removed(wire, id);
      return ms;
    }),
  );
  return [{ question: "stop with t=0", unit: "ms", figures, goal: atMost(1) }];
}

/** Goals that require networks to be set up without a process for each container. */
export async function sleepers(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const [starts, removals] = [new Rounds(), new Rounds()];
  for (let i = 0; i < sizes.longRounds; i += 1) {
    for (const engine of engines) {
      const ids: string[] = [];
      await byHands(engine, sizes.sleepers, async (wire) => ids.push(await created(wire)));
      const startMs = await timed(() => byHands(engine, ids.length, (wire, at) => started(wire, ids[at] ?? "")));
      const removeMs = await timed(() => byHands(engine, ids.length, (wire, at) => removed(wire, ids[at] ?? "")));
      starts.add(engine.kind, (1000 * ids.length) / startMs);
      removals.add(engine.kind, (1000 * ids.length) / removeMs);
    }
  }
  const many = `${sizes.sleepers} sleepers by ${HANDS} clients at once`;
  return [
    { question: `starts of ${many}`, unit: "/s", figures: starts.medians(), goal: atLeast(4) },
    { question: `forced removals of ${many}`, unit: "/s", figures: removals.medians(), goal: atLeast(5) },
  ];
}

export async function created(wire: Wire): Promise<string> {
  await expectStatus(wire, SLEEPER, 201);
  return idOf(wire);
}

export async function started(wire: Wire, id: string): Promise<string> {
  await expectStatus(wire, requestBytes("POST", `/containers/${id}/start`), 204);
  return id;
}

export async function removed(wire: Wire, id: string): Promise<void> {
  await expectStatus(wire, requestBytes("DELETE", `/containers/${id}?force=1`), 204);
}
