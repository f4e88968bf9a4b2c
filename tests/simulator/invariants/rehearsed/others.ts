// Rehearses single rules about execs, waits, commits and JSON.

import { type Begun, type Rehearsal, broken, create, expectStatus, run } from "./acts.js";
import type { Answer } from "./scene.js";

/** Throws a `Breach`. */
export function rehearseOthers(rehearsal: Rehearsal): void {
  expectEscaped(rehearsal);
  expectExecOnce(rehearsal);
  expectWaits(rehearsal);
  expectCommit(rehearsal);
}

/** All control characters but NUL, which no label has, come back as they were. */
function expectEscaped(rehearsal: Rehearsal): void {
  const is = Array.from({ length: 0x1f }, (_, at) => String.fromCharCode(at + 1)).join("");
  const { id } = create(rehearsal, { Labels: { is } });
  const { Config } = rehearsal.scene.json<{ Config: { Labels: Record<string, string> } }>(`/containers/${id}/json`);
  if (Config.Labels["is"] !== is) broken("a label with control characters is shown otherwise");
}

/** An exec runs from the request for its start to its end, and once. One that cannot start leaves nothing. */
function expectExecOnce(rehearsal: Rehearsal): void {
  const { scene } = rehearsal;
  const one = run(rehearsal);
  const id = exec(rehearsal, one);
  scene.held.add("exec");
  const started = start(rehearsal, id);
  if (!scene.json<{ Running: boolean }>(`/exec/${id}/json`).Running) broken("an exec that is starting does not run");
  scene.release();
  expectStatus(started, 200, "the start of an exec");
  const running = scene.world.state.execs.get(id);
  if (running !== undefined) scene.world.endExec(running, 0);
  scene.settle();
  expectStatus(start(rehearsal, id), 409, "the start of an exec that has ended");
  scene.world.faults.add("exec");
  scene.asked();
  start(rehearsal, exec(rehearsal, one));
  if (!scene.asked().some(({ command }) => command.tag === "reap-exec")) broken("an exec that could not start is left");
}

function exec({ scene }: Rehearsal, { id }: Begun): string {
  return (JSON.parse(scene.ask("POST", `/containers/${id}/exec`, { Cmd: ["job"] }).text) as { Id: string }).Id;
}

function start({ scene }: Rehearsal, exec: string): Answer {
  return scene.ask("POST", `/exec/${exec}/start`, { Detach: true });
}

/** A wait for the end of a run that is just starting, and one for a removal that fails. */
function expectWaits(rehearsal: Rehearsal): void {
  const { scene } = rehearsal;
  const one = create(rehearsal);
  scene.held.add("launch");
  scene.ask("POST", `/containers/${one.id}/start`);
  const end = scene.ask("POST", `/containers/${one.id}/wait`);
  if (end.text !== "") broken("a wait for a container that is starting is answered at once");
  scene.release();
  scene.end(one.id, 0);
  if (!end.isOver) broken("a wait for the end of a run is not answered");
  const gone = scene.ask("POST", `/containers/${one.id}/wait?condition=removed`);
  scene.world.faults.add("drop-container");
  expectStatus(scene.ask("DELETE", `/containers/${one.id}`), 500, "a removal that fails");
  if (!gone.isOver) broken("a wait for a removal is not answered, although the removal has failed");
}

/** A commit does not pause the next run, and does not lose its base when the container and the image go. */
function expectCommit(rehearsal: Rehearsal): void {
  const { scene } = rehearsal;
  const one = run(rehearsal);
  scene.held.add("commit");
  const commit = scene.ask("POST", `/commit?container=${one.id}`);
  scene.end(one.id, 0);
  expectStatus(scene.ask("POST", `/containers/${one.id}/start`), 204, "a start during a commit");
  if (scene.world.running(one.id)?.frozen === true) broken("a commit pauses the next run");
  scene.release();
  expectStatus(commit, 201, "a commit");
}
