// Rehearses health checks: how many failures make a container unhealthy, what ends a streak of them, and what a new run
// begins with.

import { type Begun, type Rehearsal, broken, expectStatus, run } from "./acts.js";

const MS = 1_000_000;
const CHECK = { Test: ["CMD", "probe"], Interval: 500 * MS, Timeout: 200 * MS, Retries: 2 };
/** In the start period, probes come more often. */
const GRACE = { ...CHECK, StartPeriod: 60_000 * MS, StartInterval: 100 * MS };

/** Throws a `Breach`. */
export function rehearseHealth(rehearsal: Rehearsal): void {
  const one = run(rehearsal, { Healthcheck: CHECK });
  expectHealth(rehearsal, one, [1, 0, 1], "healthy");
  expectHealth(rehearsal, one, [1], "unhealthy");
  expectLog(rehearsal, one);
  rehearsal.scene.end(one.id, 0);
  expectStatus(rehearsal.scene.ask("POST", `/containers/${one.id}/start`), 204, "a start");
  expectHealth(rehearsal, one, [], "starting");
  const other = run(rehearsal, { Healthcheck: GRACE });
  if (rehearsal.scene.timers.at(-1) !== BigInt(GRACE.StartInterval)) broken("the first probe comes at another time");
  expectHealth(rehearsal, other, [1, 1, 1], "starting");
}

/** After probes that exit with these codes. */
function expectHealth(rehearsal: Rehearsal, one: Begun, codes: readonly number[], wanted: string): void {
  for (const code of codes) probe(rehearsal, code);
  const { Status } = healthOf(rehearsal, one);
  if (Status !== wanted) broken(`a container is ${Status} after probes that exit with ${codes.join()}, not ${wanted}`);
}

/** Only the last five probes are shown. */
function expectLog(rehearsal: Rehearsal, one: Begun): void {
  probe(rehearsal, 1);
  probe(rehearsal, 1);
  const { Log } = healthOf(rehearsal, one);
  if (Log.length !== 5) broken(`the results of ${Log.length} probes are shown, not of 5`);
}

/** The next probe begins, and ends. */
function probe({ scene }: Rehearsal, code: number): void {
  scene.asked();
  scene.elapse();
  for (const { command } of scene.asked()) {
    const exec = command.tag === "exec" ? scene.world.state.execs.get(command.val.exec) : undefined;
    if (exec !== undefined) scene.world.endExec(exec, code);
  }
  scene.settle();
}

function healthOf({ scene }: Rehearsal, { id }: Begun): { Status: string; Log: unknown[] } {
  return scene.json<{ State: { Health: { Status: string; Log: unknown[] } } }>(`/containers/${id}/json`).State.Health;
}
