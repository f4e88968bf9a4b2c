// Creations in the journal: the engine is killed after any of its outputs, and the next one reports what was not
// reported yet, and nothing that was only taken from another container.

import { expect, test } from "vitest";
import { eventOf } from "../../../hosts/timeline/journal-event.js";
import { Engine } from "../crash/engine.js";
import { containersOf } from "../crash/memory.js";

test("for a container with volumes of its own and of another container: each volume once, and the container after its own", () => {
  const told = new Set<string>();
  const engine = Engine.first();
  engine.open();
  engine.settle();
  create(engine, "first", { Volumes: { "/data": {} } });
  let mended = 0;
  engine.changed = () => {
    const next = reopened(engine);
    if (next.found().some((line) => line.includes("creation continues, but no client is told"))) mended++;
    next.settle();
    told.add(creationsOf(next).join(", "));
  };
  create(engine, "second", { Volumes: { "/own": {} }, HostConfig: { VolumesFrom: ["first"] } });
  told.add(creationsOf(engine).join(", "));
  expect(mended).toBeGreaterThan(0);
  expect([...told]).toEqual(["volume of first, container first, volume of second, container second"]);
});

/** The reported creations, in order; volumes by the container that was created with them. */
function creationsOf({ journal, records }: Engine): string[] {
  const owners = new Map<string, string>();
  const containers = containersOf(records) as unknown as { name: string; mounts: { name: string }[] }[];
  const inOrder = containers.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name, mounts } of inOrder)
    for (const mount of mounts) if (!owners.has(mount.name)) owners.set(mount.name, name);
  return journal.page({ from: { tag: "position", val: 1n }, bytes: 1 << 30 }).entries.flatMap(({ bytes }) => {
    const { type, action, id, attributes } = eventOf(bytes)!;
    if (action !== "create") return [];
    if (type === "volume") return [`volume of ${owners.get(id)}`];
    return type === "container" ? [`container ${attributes["name"]}`] : [];
  });
}

function create(engine: Engine, name: string, body: object): void {
  engine.request("POST", `/containers/create?name=${name}`, { body: { Image: "busybox", ...body }, sent: () => {} });
  engine.settle();
  expect(engine.requests.at(-1)!.status).toBe(201);
}

/** Killed, and started again. */
function reopened(before: Engine): Engine {
  const engine = new Engine(before.world.afterCrash(), new Map(before.records), before);
  engine.open();
  return engine;
}
