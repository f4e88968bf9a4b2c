// Rehearses volumes: a removal that is under way, that fails, and prunes.

import { type Rehearsal, broken, create, expectStatus } from "./acts.js";

const NAME = "rehearsed";
const ELSEWHERE = "rehearsed-elsewhere";
const PRUNE = `/volumes/prune?filters=${encodeURIComponent(JSON.stringify({ all: ["1"] }))}`;

/** Throws a `Breach`. */
export function rehearseVolumes(rehearsal: Rehearsal): void {
  expectUnmade(rehearsal);
  make(rehearsal, NAME, 201);
  expectRemoval(rehearsal);
  expectFailure(rehearsal);
  expectPrune(rehearsal);
}

function make({ scene }: Rehearsal, name: string, status: number | null, options = {}): ReturnType<typeof scene.ask> {
  const answer = scene.ask("POST", "/volumes/create", { Name: name, DriverOpts: options });
  expectStatus(answer, status, `the creation of the volume ${name}`);
  return answer;
}

/** Nothing is left of a volume that could not be made. */
function expectUnmade(rehearsal: Rehearsal): void {
  rehearsal.scene.world.faults.add("make");
  make(rehearsal, NAME, 500);
  expectStatus(rehearsal.scene.ask("GET", `/volumes/${NAME}`), 404, "a volume that could not be made");
}

/** Whoever wants the volume during its removal waits for the end, and then gets a new one. */
function expectRemoval(rehearsal: Rehearsal): void {
  const { scene } = rehearsal;
  scene.held.add("drop");
  const removal = scene.ask("DELETE", `/volumes/${NAME}`);
  expectStatus(removal, null, "the removal of a volume");
  const made = make(rehearsal, NAME, null);
  const bound = { Image: rehearsal.image, Cmd: ["job"], HostConfig: { Binds: [`${NAME}:/rehearsed`] } };
  const created = scene.ask("POST", "/containers/create?name=rehearsed-with-volume", bound);
  if (created.status === 201) broken("a container gets a volume that is being removed");
  scene.release();
  expectStatus(removal, 204, "the removal of a volume");
  expectStatus(made, 201, "the creation of a volume after its removal");
  expectStatus(created, 201, "the creation of a container after its volume's removal");
  expectStatus(scene.ask("DELETE", `/volumes/${NAME}`), 409, "the removal of a volume that a container has");
  expectStatus(scene.ask("DELETE", "/containers/rehearsed-with-volume"), 204, "a removal");
}

/** A removal that has failed can be tried again. */
function expectFailure({ scene }: Rehearsal): void {
  scene.world.faults.add("drop");
  expectStatus(scene.ask("DELETE", `/volumes/${NAME}`), 500, "a removal that fails");
  expectStatus(scene.ask("DELETE", `/volumes/${NAME}`), 204, "a second removal");
}

/** A prune spares what has its files elsewhere, and what a container takes while the prune measures it. */
function expectPrune(rehearsal: Rehearsal): void {
  const { scene } = rehearsal;
  make(rehearsal, NAME, 201);
  make(rehearsal, ELSEWHERE, 201, { type: "tmpfs", device: "tmpfs" });
  for (const command of ["measure", "drop"]) scene.held.add(command);
  scene.asked();
  const prune = scene.ask("POST", PRUNE);
  expectStatus(prune, null, "a prune of volumes");
  expectStatus(scene.ask("POST", PRUNE), 409, "a second prune of volumes");
  const isMeasured = scene.asked().some(({ command }) => command.tag === "measure" && command.val === NAME);
  if (isMeasured) create(rehearsal, { HostConfig: { Binds: [`${NAME}:/rehearsed`] } });
  scene.release();
  expectStatus(prune, 200, "a prune of volumes");
  const dropped = scene.asked().flatMap(({ command }) => (command.tag === "drop" ? [command.val] : []));
  if (dropped.includes(ELSEWHERE)) broken("a prune removes a volume that has options");
  if (isMeasured && dropped.includes(NAME)) broken("a prune removes a volume that a container has");
}
