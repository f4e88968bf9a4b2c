// Rehearses the lives of networks: one that is being made or could not be made has no containers, and one that a container is
// leaving can be removed then.

import { type Rehearsal, begin, broken, expectStatus, makeNetwork, remove, run } from "./acts.js";
import { on } from "./addresses.js";

/** Throws a `Breach`. */
export function rehearseNetworkLives(rehearsal: Rehearsal): void {
  const { scene } = rehearsal;
  scene.held.add("make");
  const made = makeNetwork(rehearsal, "late-rehearsed");
  expectStatus(made, null, "a network that is being made");
  const early = begin(rehearsal, on("late-rehearsed"));
  if (early.status === 204) broken("a container starts on a network that is being made");
  scene.release();
  remove(rehearsal, early);
  expectStatus(made, 201, "a network");
  expectUnmade(rehearsal);
  expectLeft(rehearsal);
}

function expectUnmade(rehearsal: Rehearsal): void {
  rehearsal.scene.world.faults.add("make");
  expectStatus(makeNetwork(rehearsal, "unmade-rehearsed"), 500, "a network that cannot be made");
  expectStatus(rehearsal.scene.ask("GET", "/networks/unmade-rehearsed"), 404, "a network that could not be made");
}

function expectLeft(rehearsal: Rehearsal): void {
  const { scene } = rehearsal;
  const one = run(rehearsal, on("late-rehearsed"));
  scene.held.add("leave-all");
  scene.end(one.id, 0);
  const removal = scene.ask("DELETE", "/networks/late-rehearsed");
  expectStatus(removal, null, "the removal of a network that a container is leaving");
  scene.release();
  expectStatus(removal, 204, "the removal of a network that a container has left");
}
