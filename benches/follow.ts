// How long after a container writes a line does a client that follows its log receive it?
import { closeSync, openSync, writeSync } from "node:fs";
import { pause } from "../tests/support/commands.js";
import { COMMON_VERSION } from "../tests/support/engine-client.js";
import type { RunningEngine } from "../tests/support/engines.js";
import { encodeRequest, RawConnection } from "../tests/support/raw-http.js";
import { atMost, Rounds, timed, type Answer, type Sizes } from "./question.js";
import { withSleepers } from "./running-sleepers.js";

/** Pause between two lines, so that every process is asleep when a line is written. */
const GAP_MS = 5;

interface Followed {
  /**
   * The container's standard output. The bench writes to it instead of the container, so that one process takes both
   * times.
   */
  readonly output: number;
  readonly connection: RawConnection;
}

export async function follow(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const figures = await withSleepers(engines, async (sleeperOf) => {
    const measured = new Rounds();
    const all = new Map<RunningEngine, Followed>();
    for (const engine of engines) all.set(engine, await open(engine, sleeperOf(engine)));
    for (let line = 0; line <= sizes.moments; line += 1) {
      for (const [engine, followed] of all) {
        await pause(GAP_MS);
        const ms = await timed(() => oneLine(followed, `line ${line}\n`));
        if (line > 0) measured.add(engine.kind, ms);
      }
    }
    for (const followed of all.values()) close(followed);
    return measured.medians();
  });
  return [{ question: "a line of log, from written to received by a follower", unit: "ms", figures, goal: atMost(1) }];
}

async function open(engine: RunningEngine, container: string): Promise<Followed> {
  const { State } = await engine.inspect<{ State: { Pid: number } }>(container);
  const connection = await RawConnection.open(engine.socketPath);
  const target = `/v${COMMON_VERSION}/containers/${container}/logs?stdout=1&follow=1`;
  connection.send(encodeRequest({ target }));
  const { status } = await connection.head();
  if (status !== 200) throw new Error(`expected 200, got ${status}`);
  return { output: openSync(`/proc/${State.Pid}/fd/1`, "w"), connection };
}

async function oneLine({ output, connection }: Followed, line: string): Promise<void> {
  writeSync(output, line);
  await connection.untilText(line);
}

function close({ output, connection }: Followed): void {
  closeSync(output);
  connection.close();
}
