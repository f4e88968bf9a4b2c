// Rehearses what several use: images that containers run, volumes that two containers have, prunes of containers.

import { type Rehearsal, broken, create, expectStatus, remove, run } from "./acts.js";

/** Throws a `Breach`. */
export function rehearseShared(rehearsal: Rehearsal): void {
  expectImageStays(rehearsal);
  expectVolumeStays(rehearsal);
  expectMountEnds(rehearsal);
  expectPrune(rehearsal);
}

/** Force does not remove the image of a container that is starting or paused. */
function expectImageStays(rehearsal: Rehearsal): void {
  const { scene, image } = rehearsal;
  const one = create(rehearsal);
  scene.held.add("launch");
  scene.ask("POST", `/containers/${one.id}/start`);
  expectStatus(scene.ask("DELETE", `/images/${image}?force=1`), 409, "the removal of a starting container's image");
  scene.release();
  expectStatus(scene.ask("POST", `/containers/${one.id}/pause`), 204, "a pause");
  expectStatus(scene.ask("DELETE", `/images/${image}?force=1`), 409, "the removal of a paused container's image");
}

/** A container's own volume stays as long as another container has it. */
function expectVolumeStays(rehearsal: Rehearsal): void {
  const { scene } = rehearsal;
  const one = create(rehearsal, { Volumes: { "/rehearsed": {} } });
  const other = create(rehearsal, { HostConfig: { VolumesFrom: [one.name] } });
  scene.asked();
  remove(rehearsal, one);
  if (scene.asked().some(({ command }) => command.tag === "drop")) broken("a volume goes that another container has");
  remove(rehearsal, other);
}

/** What a volume mounts for a look at the files of a container that does not run is unmounted after it. */
function expectMountEnds(rehearsal: Rehearsal): void {
  const { scene } = rehearsal;
  const DriverOpts = { type: "tmpfs", device: "tmpfs" };
  const volume = { Name: "rehearsed-mounted", DriverOpts };
  expectStatus(scene.ask("POST", "/volumes/create", volume), 201, "the creation of a volume");
  const one = create(rehearsal, { HostConfig: { Binds: ["rehearsed-mounted:/rehearsed"] } });
  scene.asked();
  expectStatus(scene.ask("HEAD", `/containers/${one.id}/archive?path=/rehearsed`), 200, "a look at a file");
  const mounted = scene.asked().flatMap(({ to, command }) => (to === "volumes" ? [command.tag] : []));
  if (mounted.join() !== "mount,unmount") broken(`a look at a file has the volume's commands ${mounted.join()}`);
}

/** One prune at a time. It tells how many bytes it has freed. */
function expectPrune(rehearsal: Rehearsal): void {
  const { scene } = rehearsal;
  const one = run(rehearsal);
  scene.end(one.id, 0);
  scene.held.add("drop-container");
  const prune = scene.ask("POST", "/containers/prune");
  expectStatus(prune, null, "a prune of containers");
  for (const other of ["containers", "networks"])
    expectStatus(scene.ask("POST", `/${other}/prune`), 409, `a prune of ${other} beside one of containers`);
  scene.release();
  expectStatus(prune, 200, "a prune of containers");
  const { SpaceReclaimed } = JSON.parse(prune.text) as { SpaceReclaimed: number };
  if (SpaceReclaimed === 0) broken("a prune of containers has freed no bytes");
}
