// How long does a ping take while many clients request all events, large ones included, and read nothing of the answer?
import { pause } from "../tests/support/commands.js";
import { COMMON_VERSION } from "../tests/support/engine-client.js";
import type { RunningEngine } from "../tests/support/engines.js";
import { probePings, type Pings } from "../tests/support/measured/ping-probe.js";
import { encodeRequest, RawConnection } from "../tests/support/raw-http.js";
import { Rounds, under, type Answer, type Sizes } from "./question.js";

/**
 * Number of containers with this many labels that were created and removed: each of their events carries all labels.
 */
const LARGE = 4;
const PATIENCE_MS = 120_000;

export async function unread(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const kinds = { "all events": {}, "large events by a filter": { label: ["label.7"] } };
  const answers: Answer[] = [];
  for (const engine of engines) await makeLarge(engine, sizes.labels);
  for (const [what, filters] of Object.entries(kinds)) {
    const [late, worst] = [new Rounds(), new Rounds()];
    for (let i = 0; i < sizes.longRounds; i += 1) {
      for (const engine of engines) {
        const pings = await whileOpening(engine, sizes, filters);
        late.add(engine.kind, pings.late);
        worst.add(engine.kind, pings.worst);
      }
    }
    const moment = `ping while ${sizes.unread} clients ask for ${what} and read none`;
    const note = `${LARGE} containers with ${sizes.labels} labels were made and removed`;
    answers.push({
      question: `${moment}: slowest`,
      unit: "ms",
      figures: worst.medians(),
      goal: under(100, "ms"),
      note,
    });
    answers.push({ question: `${moment}: took 50 ms or more`, unit: "pings", figures: late.medians() });
  }
  return answers;
}

async function makeLarge(engine: RunningEngine, count: number): Promise<void> {
  const Labels = Object.fromEntries(Array.from({ length: count }, (_, i) => [`label.${i}`, `v${i}`]));
  const body = { Image: "busybox", Cmd: ["true"], Labels };
  for (let i = 0; i < LARGE; i += 1) {
    const made = await engine.must(201, "POST", "/containers/create", body, { timeoutMs: PATIENCE_MS });
    await engine.must(204, "DELETE", `/containers/${made.json<{ Id: string }>().Id}`, undefined, {
      timeoutMs: PATIENCE_MS,
    });
  }
}

/** All clients connect at once. */
async function whileOpening(engine: RunningEngine, { unread, unreadMs }: Sizes, filters: object): Promise<Pings> {
  const target = `/v${COMMON_VERSION}/events?since=0&filters=${encodeURIComponent(JSON.stringify(filters))}`;
  const request = encodeRequest({ target });
  const probe = probePings(engine.daemon);
  await probe.begun;
  const opened = Array.from({ length: unread }, async () => {
    const connection = await RawConnection.open(engine.socketPath);
    connection.pause();
    connection.send(request);
    return connection;
  });
  const connections = await Promise.all(opened);
  await pause(unreadMs);
  const pings = await probe.end();
  for (const connection of connections) connection.close();
  await pause(unreadMs);
  return pings;
}
