// Rehearses restart policies: after which ends a container starts again, after which delay, and who waits for that.

import { type Begun, type Rehearsal, broken, expectStatus, run, statusOf } from "./acts.js";

const MS = 1_000_000n;
const FIRST_DELAY = 100n * MS;
/** A run of this length is a good one. */
const LONG = 11_000n * MS;

/** Throws a `Breach`. */
export function rehearseRestarts(rehearsal: Rehearsal): void {
  const { scene } = rehearsal;
  // Without a stop signal of its own, every signal would end the restarts.
  const one = run(rehearsal, { ...withPolicy("always"), StopSignal: "SIGTERM" });
  expectStatus(scene.ask("POST", `/containers/${one.id}/kill?signal=HUP`), 204, "a kill");
  expectDelay(rehearsal, one, 1n);
  scene.elapse();
  expectDelay(rehearsal, one, 2n);
  scene.elapse();
  scene.pass(LONG);
  expectDelay(rehearsal, one, 1n);
  expectCount(rehearsal, one, 3);
  const wait = scene.ask("POST", `/containers/${one.id}/wait?condition=next-exit`);
  expectStatus(scene.ask("POST", `/containers/${one.id}/stop`), 204, "a stop");
  if (!wait.isOver) broken("a wait for an exit is not answered, although no restart follows");
  expectStatus(scene.ask("POST", `/containers/${one.id}/start`), 204, "a start");
  expectCount(rehearsal, one, 0);
  expectUpdated(rehearsal);
  expectMaximum(rehearsal);
  expectRefused(rehearsal);
}

function withPolicy(Name: string, MaximumRetryCount = 0): object {
  return { HostConfig: { NetworkMode: "none", RestartPolicy: { Name, MaximumRetryCount } } };
}

/** `times`: the first delay is that many times as long. */
function expectDelay(rehearsal: Rehearsal, one: Begun, times: bigint): void {
  rehearsal.scene.end(one.id, 1);
  const status = statusOf(rehearsal, one);
  if (status !== "restarting") broken(`a container is ${status}, although it should start again`);
  const delay = rehearsal.scene.timers.at(-1);
  if (delay !== times * FIRST_DELAY) broken(`a container starts again after ${delay} ns, not ${times * FIRST_DELAY}`);
}

function expectCount({ scene }: Rehearsal, { id }: Begun, wanted: number): void {
  const { RestartCount } = scene.json<{ RestartCount: number }>(`/containers/${id}/json`);
  if (RestartCount !== wanted) broken(`a container has started again ${RestartCount} times, not ${wanted}`);
}

/** A new policy counts at once. */
function expectUpdated(rehearsal: Rehearsal): void {
  const { scene } = rehearsal;
  const one = run(rehearsal);
  const update = scene.ask("POST", `/containers/${one.id}/update`, { RestartPolicy: { Name: "on-failure" } });
  expectStatus(update, 200, "an update");
  expectDelay(rehearsal, one, 1n);
  scene.elapse();
  scene.end(one.id, 0);
  const status = statusOf(rehearsal, one);
  if (status !== "exited") broken(`a container is ${status} after its success`);
}

/** After the last restart that the policy allows, the exit code is that of the last run. */
function expectMaximum(rehearsal: Rehearsal): void {
  const { scene } = rehearsal;
  const one = run(rehearsal, withPolicy("on-failure", 1));
  expectDelay(rehearsal, one, 1n);
  scene.elapse();
  scene.end(one.id, 7);
  const { Status, ExitCode } = scene.json<{ State: { Status: string; ExitCode: number } }>(
    `/containers/${one.id}/json`,
  ).State;
  if (Status !== "exited" || ExitCode !== 7) broken(`a container is ${Status} with ${ExitCode} after its last restart`);
}

/** A removal that comes during a restart has the last word. */
function expectRefused(rehearsal: Rehearsal): void {
  const { scene } = rehearsal;
  const one = run(rehearsal);
  scene.held.add("unmount");
  const restart = scene.ask("POST", `/containers/${one.id}/restart`);
  const removal = scene.ask("DELETE", `/containers/${one.id}?force=1`);
  scene.release();
  expectStatus(removal, 204, "a removal during a restart");
  if (restart.status === null) broken("a restart is never answered, although the container is gone");
}
