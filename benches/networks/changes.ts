// How long do changes of networks take: create and remove; connect and disconnect of a running container; and a whole run
// of `true` on one or three networks of its own?
import type { RunningEngine } from "../../tests/support/engines.js";
import { runOnce } from "../containers.js";
import { atMost, medians, Rounds, timed, type Answer, type Goal, type Sizes } from "../question.js";
import { withSleepers } from "../running-sleepers.js";
import { expectStatus, onWire, requestBytes, type Wire } from "../wire.js";
import { withNetworks } from "./with-networks.js";

const FOUR_TIMES = atMost(1 / 4);

/** A request and the status of its answer. */
type Step = readonly [what: string, request: Buffer, status: number, goal: Goal];

export async function networkChanges(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const made = await stepByStep(engines, sizes.rounds, () => [
    ["network create", requestBytes("POST", "/networks/create", { Name: "bench" }), 201, FOUR_TIMES],
    ["network remove", requestBytes("DELETE", "/networks/bench"), 204, atMost(1)],
  ]);
  const joined = await withNetworks(engines, 1, ([name = ""]) =>
    withSleepers(engines, (sleeperOf) =>
      stepByStep(engines, sizes.rounds, (engine) => {
        const body = { Container: sleeperOf(engine) };
        return [
          ["connect of a running container", requestBytes("POST", `/networks/${name}/connect`, body), 200, FOUR_TIMES],
          [
            "disconnect of a running container",
            requestBytes("POST", `/networks/${name}/disconnect`, body),
            200,
            atMost(1),
          ],
        ];
      }),
    ),
  );
  return [...made, ...joined];
}

export async function runOnNetworks(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  return withNetworks(engines, 3, async (names) => {
    const answers: Answer[] = [];
    for (const count of [1, 3]) {
      const [first = "", ...others] = names.slice(0, count);
      const act = (engine: RunningEngine): Promise<number> =>
        onWire(engine, (wire) => timed(() => runOnSome(wire, first, others)));
      const figures = await medians(engines, sizes.rounds, act);
      const question = `create + start + wait + remove of true, ${count} network${count > 1 ? "s" : ""} of its own`;
      answers.push({ question, unit: "ms", figures, goal: atMost(1 / 3) });
    }
    return answers;
  });
}

/** The common version has one network at create; the others are connected before the start. */
async function runOnSome(wire: Wire, first: string, others: readonly string[]): Promise<void> {
  const body = { Image: "busybox", Cmd: ["true"], HostConfig: { NetworkMode: first } };
  await runOnce(wire, requestBytes("POST", "/containers/create", body), async (id) => {
    for (const other of others) {
      await expectStatus(wire, requestBytes("POST", `/networks/${other}/connect`, { Container: id }), 200);
    }
  });
}

/** Measures each of some requests that undo one another. */
async function stepByStep(
  engines: readonly RunningEngine[],
  count: number,
  stepsOf: (engine: RunningEngine) => readonly Step[],
): Promise<Answer[]> {
  const asked = new Map<string, { readonly measured: Rounds; readonly goal: Goal }>();
  for (let i = 0; i < count; i += 1) {
    for (const engine of engines) {
      for (const [what, request, status, goal] of stepsOf(engine)) {
        const { measured } = asked.get(what) ?? { measured: new Rounds() };
        measured.add(engine.kind, await onWire(engine, (wire) => timed(() => expectStatus(wire, request, status))));
        asked.set(what, { measured, goal });
      }
    }
  }
  return [...asked].map(([question, { measured, goal }]) => {
    return { question, unit: "ms", figures: measured.medians(), goal };
  });
}
