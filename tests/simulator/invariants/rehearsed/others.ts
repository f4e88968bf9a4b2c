// Rehearses single rules about execs, waits, commits and JSON.

import { type Rehearsal, broken, create, expectStatus, run } from "./acts.js";

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

function expectExecOnce(rehearsal: Rehearsal): void {
  const { scene } = rehearsal;
  const one = run(rehearsal);
  const { Id } = JSON.parse(scene.ask("POST", `/containers/${one.id}/exec`, { Cmd: ["job"] }).text) as { Id: string };
  const start = (): ReturnType<typeof scene.ask> => scene.ask("POST", `/exec/${Id}/start`, { Detach: true });
  expectStatus(start(), 200, "the start of an exec");
  const exec = scene.world.state.execs.get(Id);
  if (exec !== undefined) scene.world.endExec(exec, 0);
  scene.settle();
  expectStatus(start(), 409, "the start of an exec that has ended");
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
