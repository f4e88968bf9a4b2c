// How long do `docker-compose up -d` and `down` of a stack of many services take?
import { Compose } from "../../tests/clients/compose/compose.js";
import type { RunningEngine } from "../../tests/support/engines.js";
import { atMost, Rounds, timed, type Answer, type Sizes } from "../question.js";

export async function composeStack(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const [up, down] = [new Rounds(), new Rounds()];
  for (let i = 0; i < sizes.longRounds; i += 1) {
    for (const engine of engines) {
      const compose = await Compose.open(engine.socketPath, "bench");
      await compose.use(stackOf(sizes.services));
      up.add(engine.kind, await timed(() => compose.well("up", "-d")));
      down.add(engine.kind, await timed(() => takeDown(compose)));
      await compose.close();
    }
  }
  const of = `of ${sizes.services} services`;
  return [
    { question: `docker-compose up ${of}`, unit: "ms", figures: up.medians(), goal: atMost(1 / 4) },
    { question: `docker-compose down ${of}`, unit: "ms", figures: down.medians(), goal: atMost(1 / 2) },
  ];
}

/**
 * The reference may say that a network has active endpoints which its containers have just left, even twice in a row
 * ("network bench_two id … has active endpoints"; ours names the endpoints). So this tries until it works, as a user does.
 */
async function takeDown(compose: Compose): Promise<void> {
  for (let tries = 1; tries < MOST_TRIES; tries += 1) {
    if ((await compose.run("down", "-t", "0")).code === 0) return;
  }
  await compose.well("down", "-t", "0");
}

/** Each takes half a second. */
const MOST_TRIES = 10;

/** Of three networks, each service is on two. */
function stackOf(services: number): string {
  const networks = ["one", "two", "three"];
  const lines = Array.from({ length: services }, (_, at) => {
    const own = `${networks[at % 3]}, ${networks[(at + 1) % 3]}`;
    return `  service${at}: { image: busybox, command: sleep 1000, stop_signal: SIGKILL, networks: [${own}] }`;
  });
  return ["services:", ...lines, "networks: { one: {}, two: {}, three: {} }", ""].join("\n");
}
