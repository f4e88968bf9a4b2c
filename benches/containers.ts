// How long do a container's calls take: create, a refused create, inspect, stats, and the whole of create, start, wait
// and remove of `true`?
import type { RunningEngine } from "../tests/support/engines.js";
import { openLoadClient } from "./load.js";
import { atMost, medians, timed, type Answer, type Goal, type Sizes } from "./question.js";
import { withSleepers } from "./running-sleepers.js";
import { expectStatus, idOf, onWire, requestBytes, type Wire } from "./wire.js";

const BODY_BYTES = 2048;

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

export async function inspectContainer(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const question = "inspect of a running container, one after the other";
  return [await oneAfterTheOther(engines, sizes, question, "json", atMost(1.1))];
}

/**
 * A POST to the core and back: the body is read and checked, but the image is not there, and nothing is made.
 */
export async function refusedCreate(engines: readonly RunningEngine[], { rounds, requests }: Sizes): Promise<Answer[]> {
  const client = await openLoadClient();
  const body = createOf(BODY_BYTES);
  const figures = await medians(engines, rounds, async ({ socketPath }) => {
    const target = "/v1.41/containers/create";
    return (1000 * (await client.ask(socketPath, target, requests, 1, { body, status: 404 }))) / requests;
  });
  await client.close();
  const question = `refused create with a body of ${BODY_BYTES} bytes, one after the other`;
  return [{ question, unit: "µs", figures, goal: atMost(1.1), note: `client in ${client.language}` }];
}

/** Few requests: the reference takes a sample once a second, and each request waits for the next sample. */
export async function stats(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const few = { ...sizes, requests: Math.ceil(sizes.requests / 1000) };
  const question = "stats of a running container, one shot after the other";
  return [await oneAfterTheOther(engines, few, question, "stats?stream=0&one-shot=1", atMost(1))];
}

/** Sends one request after the other on one connection. Takes the mean of a round, then the median of the rounds. */
async function oneAfterTheOther(
  engines: readonly RunningEngine[],
  { rounds, requests }: Sizes,
  question: string,
  what: string,
  goal: Goal,
): Promise<Answer> {
  const client = await openLoadClient();
  const figures = await withSleepers(engines, (sleeperOf) =>
    medians(engines, rounds, async (engine) => {
      const target = `/v1.41/containers/${sleeperOf(engine)}/${what}`;
      return (1000 * (await client.ask(engine.socketPath, target, requests, 1))) / requests;
    }),
  );
  await client.close();
  return { question, unit: "µs", figures, goal, note: `client in ${client.language}` };
}

/** As clients send it, filled up with variables. */
function createOf(bytes: number): string {
  const request = {
    Image: "no-such-image",
    Cmd: ["sh", "-c", "exec sleep 1000"],
    Labels: { "com.example.project": "shop", "com.example.service": "web" },
    ExposedPorts: { "80/tcp": {} },
    HostConfig: { PortBindings: { "80/tcp": [{ HostPort: "8080" }] }, RestartPolicy: { Name: "unless-stopped" } },
    Env: [] as string[],
  };
  for (let i = 0; JSON.stringify(request).length < bytes - 80; i += 1)
    request.Env.push(`NAME_${i}=value of variable ${i}`);
  const missing = bytes - JSON.stringify({ ...request, Env: [...request.Env, ""] }).length;
  request.Env.push("x".repeat(missing));
  return JSON.stringify(request);
}

/** `beforeStart`: what else is done to the container once it is created. */
export async function runOnce(
  wire: Wire,
  create: Buffer,
  beforeStart: (id: string) => Promise<void> = async () => {},
): Promise<void> {
  await expectStatus(wire, create, 201);
  const id = idOf(wire);
  await beforeStart(id);
  await expectStatus(wire, requestBytes("POST", `/containers/${id}/start`), 204);
  await expectStatus(wire, requestBytes("POST", `/containers/${id}/wait`), 200);
  await expectStatus(wire, requestBytes("DELETE", `/containers/${id}`), 204);
}
