// How long does an exec of `true` in a running container take, as `docker exec` does it: create it, start it and read
// its output to the end, then ask for its exit code?
import { RawConnection, encodeRequest } from "../tests/support/raw-http.js";
import { COMMON_VERSION } from "../tests/support/engine-client.js";
import type { RunningEngine } from "../tests/support/engines.js";
import { atMost, medians, timed, type Answer, type Sizes } from "./question.js";
import { withSleepers } from "./running-sleepers.js";
import { expectStatus, idOf, onWire, requestBytes } from "./wire.js";

const WISH = { AttachStdout: true, AttachStderr: true, Cmd: ["true"] };

export async function exec(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const figures = await withSleepers(engines, async (sleeperOf) => {
    const once = (engine: RunningEngine): Promise<void> => execTrue(engine, sleeperOf(engine));
    for (const engine of engines) await once(engine);
    return medians(engines, sizes.rounds, (engine) => timed(() => once(engine)));
  });
  return [{ question: "exec of true", unit: "ms", figures, goal: atMost(1 / 1.5), note: "create, start, inspect" }];
}

function execTrue(engine: RunningEngine, container: string): Promise<void> {
  return onWire(engine, async (wire) => {
    await expectStatus(wire, requestBytes("POST", `/containers/${container}/exec`, WISH), 201);
    const id = idOf(wire);
    await attached(engine, id);
    await expectStatus(wire, requestBytes("GET", `/exec/${id}/json`), 200);
    const { Running, ExitCode } = JSON.parse(wire.body) as { Running: boolean; ExitCode: number };
    if (Running || ExitCode !== 0) throw new Error(`the exec has not ended well: ${wire.body}`);
  });
}

/** Starts an exec on its own connection, which becomes its stream, and reads the stream to the end. */
async function attached(engine: RunningEngine, id: string): Promise<void> {
  const target = `/v${COMMON_VERSION}/exec/${id}/start`;
  const headers = { Connection: "Upgrade", Upgrade: "tcp" };
  const connection = await RawConnection.open(engine.socketPath);
  try {
    connection.send(encodeRequest({ method: "POST", target, headers, body: { Detach: false, Tty: false } }));
    const { status } = await connection.head();
    if (status !== 101) throw new Error(`expected 101, got ${status}`);
    await connection.rest();
  } finally {
    connection.close();
  }
}
