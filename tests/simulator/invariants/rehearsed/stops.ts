// Rehearses stops and kills: which signals are sent, when SIGKILL follows, and that a paused process goes on to get them.

import type { Effect } from "../../../../hosts/shared/outputs.js";
import { type Begun, type Rehearsal, broken, expectStatus, run, statusOf } from "./acts.js";

const SECOND = 1_000_000_000n;
/** For a SIGKILL. */
const PATIENCE = 12n * SECOND;

/** Throws a `Breach`. */
export function rehearseStops(rehearsal: Rehearsal): void {
  expectSignals(rehearsal, { StopSignal: "SIGRTMIN+4", StopTimeout: 0 }, "stop", [38, 9]);
  expectSignals(rehearsal, {}, "stop?t=0", [15, 9]);
  expectSignals(rehearsal, {}, "kill?signal=RTMAX-2", [62]);
  expectSignals(rehearsal, {}, "kill?signal=usr1", [10]);
  for (const how of ["stop?t=5", "kill?signal=TERM", "kill"]) expectThawed(rehearsal, how);
  expectPatience(rehearsal);
}

function expectSignals(rehearsal: Rehearsal, body: object, how: string, wanted: readonly number[]): void {
  const { scene } = rehearsal;
  const one = run(rehearsal, body);
  scene.asked();
  expectStatus(scene.ask("POST", `/containers/${one.id}/${how}`), 204, how);
  const sent = signalsIn(scene.asked());
  if (sent.join() !== wanted.join())
    broken(`${how} of ${JSON.stringify(body)} sends ${sent.join()}, not ${wanted.join()}`);
}

function expectThawed(rehearsal: Rehearsal, how: string): void {
  const { scene } = rehearsal;
  const one = run(rehearsal);
  expectStatus(scene.ask("POST", `/containers/${one.id}/pause`), 204, "a pause");
  scene.asked();
  // The freezer may keep a signal back, so the process goes on at once.
  if (how === "kill") scene.held.add("signal");
  const answer = scene.ask("POST", `/containers/${one.id}/${how}`);
  if (!scene.asked().some((effect) => isResumed(effect, one))) broken(`${how} does not let a paused process go on`);
  scene.release();
  expectStatus(answer, 204, `${how} of a paused container`);
  const status = statusOf(rehearsal, one);
  if (status !== "exited") broken(`a paused container is ${status} after ${how}`);
}

/** A kill without effect is given up, and so is the removal or the restart that needs it. */
function expectPatience(rehearsal: Rehearsal): void {
  const { scene } = rehearsal;
  const [one, other] = [run(rehearsal), run(rehearsal)];
  scene.held.add("signal");
  const answers = [
    scene.ask("DELETE", `/containers/${one.id}?force=1`),
    scene.ask("POST", `/containers/${other.id}/restart?t=0`),
  ];
  if (scene.timers.filter((ns) => ns === PATIENCE).length < 2)
    broken("no timer limits the wait for the end of a process");
  scene.elapse();
  scene.elapse();
  for (const answer of answers) expectStatus(answer, 500, "what cannot kill a process");
  scene.release();
  expectStatus(scene.ask("DELETE", `/containers/${one.id}?force=1`), 204, "a second removal");
  const status = statusOf(rehearsal, other);
  if (status !== "exited") broken(`a container is ${status} after its restart was given up and its process has ended`);
}

function signalsIn(effects: readonly Effect[]): number[] {
  return effects.flatMap(({ command }) => (command.tag === "signal" ? [command.val.number] : []));
}

function isResumed({ command }: Effect, { id }: Begun): boolean {
  return command.tag === "resume" && command.val.container === id;
}
