// How long does it take until a hundred readers of events have all received an event?
import { COMMON_VERSION } from "../tests/support/engine-client.js";
import type { RunningEngine } from "../tests/support/engines.js";
import { encodeRequest, RawConnection } from "../tests/support/raw-http.js";
import { atMost, Rounds, timed, type Answer, type Sizes } from "./question.js";
import { expectStatus, onWire, requestBytes, type Wire } from "./wire.js";

export async function events(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const readers of [1, sizes.readers]) {
    const measured = new Rounds();
    for (const engine of engines) {
      for (const ms of await moments(engine, readers, sizes.moments)) measured.add(engine.kind, ms);
    }
    const question = `an event, from its request to the last of ${readers} reader${readers === 1 ? "" : "s"}`;
    answers.push({ question, unit: "ms", figures: measured.medians(), goal: atMost(1), note: "of a resized terminal" });
  }
  return answers;
}

/** Resizes a terminal, which leaves no records, again and again. Each time waits until every reader has the event. */
async function moments(engine: RunningEngine, count: number, times: number): Promise<number[]> {
  const id = await engine.running({ Cmd: ["sleep", "100000"], Tty: true });
  const readers = await Promise.all(Array.from({ length: count }, () => reader(engine)));
  const all = await onWire(engine, async (wire) => {
    const took: number[] = [];
    for (let i = 0; i <= times; i += 1) took.push(await timed(() => resized(wire, id, 1000 + i, readers)));
    return took.slice(1);
  });
  for (const connection of readers) connection.close();
  await engine.remove(id);
  return all;
}

async function reader(engine: RunningEngine): Promise<RawConnection> {
  const connection = await RawConnection.open(engine.socketPath);
  connection.send(encodeRequest({ target: `/v${COMMON_VERSION}/events` }));
  const { status } = await connection.head();
  if (status !== 200) throw new Error(`expected 200, got ${status}`);
  return connection;
}

async function resized(wire: Wire, id: string, rows: number, readers: readonly RawConnection[]): Promise<void> {
  const told = readers.map((connection) => connection.untilText(`"height":"${rows}"`));
  await expectStatus(wire, requestBytes("POST", `/containers/${id}/resize?h=${rows}&w=80`), 200);
  await Promise.all(told);
}
