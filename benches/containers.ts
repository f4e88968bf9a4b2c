// How long do a container's calls take: create, inspect, and the whole of create, start, wait and remove of `true`?
import type { RunningEngine } from "../tests/support/engines.js";
import { openLoadClient } from "./load.js";
import { atMost, medians, timed, type Answer, type Sizes } from "./question.js";
import { requestBytes, Wire } from "./wire.js";

export async function runContainer(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const [NetworkMode, factor] of [
    ["none", 4],
    ["bridge", 3],
  ] as const) {
    const create = requestBytes("POST", "/containers/create", {
      Image: "busybox",
      Cmd: ["true"],
      HostConfig: { NetworkMode },
    });
    for (const engine of engines) await onWire(engine, (wire) => runOnce(wire, create));
    const act = (engine: RunningEngine): Promise<number> =>
      onWire(engine, (wire) => timed(() => runOnce(wire, create)));
    const figures = await medians(engines, sizes.rounds, act);
    const question = `create + start + wait + remove of true, network ${NetworkMode}`;
    answers.push({ question, unit: "ms", figures, goal: atMost(1 / factor) });
  }
  return answers;
}

export async function createContainer(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const create = requestBytes("POST", "/containers/create", { Image: "busybox", Cmd: ["true"] });
  const figures = await medians(engines, sizes.rounds, (engine) =>
    onWire(engine, async (wire) => {
      const ms = await timed(() => expectStatus(wire, create, 201));
      await expectStatus(wire, requestBytes("DELETE", `/containers/${idOf(wire)}`), 204);
      return ms;
    }),
  );
  return [{ question: "create", unit: "ms", figures, goal: atMost(1 / 2) }];
}

/** One request after the other on one connection: the mean of a round, then the median of the rounds. */
export async function inspectContainer(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const client = await openLoadClient();
  const ids = new Map<string, string>();
  for (const engine of engines) ids.set(engine.kind, await engine.running({ Cmd: ["sleep", "100000"] }));
  const figures = await medians(engines, sizes.rounds, async (engine) => {
    const target = `/v1.41/containers/${ids.get(engine.kind)}/json`;
    return (1000 * (await client.ask(engine.socketPath, target, sizes.requests, 1))) / sizes.requests;
  });
  await client.close();
  for (const engine of engines) await engine.remove(ids.get(engine.kind) ?? "");
  const question = "inspect of a running container, one after the other";
  return [{ question, unit: "µs", figures, goal: atMost(1.1), note: `client in ${client.language}` }];
}

async function runOnce(wire: Wire, create: Buffer): Promise<void> {
  await expectStatus(wire, create, 201);
  const id = idOf(wire);
  await expectStatus(wire, requestBytes("POST", `/containers/${id}/start`), 204);
  await expectStatus(wire, requestBytes("POST", `/containers/${id}/wait`), 200);
  await expectStatus(wire, requestBytes("DELETE", `/containers/${id}`), 204);
}

function idOf(wire: Wire): string {
  return (JSON.parse(wire.body) as { Id: string }).Id;
}

async function expectStatus(wire: Wire, request: Buffer, status: number): Promise<void> {
  const answered = await wire.ask(request);
  if (answered !== status) throw new Error(`expected ${status}, got ${answered}: ${wire.body}`);
}

async function onWire<T>(engine: RunningEngine, act: (wire: Wire) => Promise<T>): Promise<T> {
  const wire = await Wire.open(engine.socketPath);
  try {
    return await act(wire);
  } finally {
    wire.close();
  }
}
