// Finds the differences between two worlds.

import { equal } from "./equal.js";
import type { Change, World } from "./world.js";

/** For consecutive worlds: equal parts are the same objects. */
export function changesBetween(before: World, after: World): Change[] {
  const changes: Change[] = [];
  changes.push(...among("container", before.containers, after.containers, (one) => one.id));
  changes.push(...among("image", before.images, after.images, (one) => one.id));
  changes.push(...among("network", before.networks, after.networks, (one) => one.id));
  changes.push(...among("volume", before.volumes, after.volumes, (one) => one.name));
  for (const event of after.events.since(before.events.length)) {
    changes.push({ of: "event", id: String(event.number), how: "came", fields: [] });
  }
  if (before.engine !== after.engine) changes.push({ of: "engine", id: "", how: "changed", fields: ["engine"] });
  return changes;
}

function among<Thing extends object>(
  of: Change["of"],
  before: readonly Thing[],
  after: readonly Thing[],
  idOf: (one: Thing) => string,
): Change[] {
  if (before === after) return [];
  // A step changes one or two of perhaps thousands of objects, so equal beginnings and ends are skipped.
  const [from, behind] = sameAtEnds(before, after);
  const former = new Map(before.slice(from, before.length - behind).map((one) => [idOf(one), one]));
  const changes: Change[] = [];
  for (const one of after.slice(from, after.length - behind)) {
    const id = idOf(one);
    const was = former.get(id);
    former.delete(id);
    if (was === undefined) changes.push({ of, id, how: "came", fields: [] });
    else if (was !== one) changes.push({ of, id, how: "changed", fields: fieldsThatDiffer(was, one) });
  }
  for (const id of former.keys()) changes.push({ of, id, how: "went", fields: [] });
  return changes;
}

/** How many objects at the beginning and at the end are the same. */
function sameAtEnds(before: readonly object[], after: readonly object[]): [first: number, last: number] {
  const shorter = Math.min(before.length, after.length);
  let first = 0;
  while (first < shorter && before[first] === after[first]) first++;
  let last = 0;
  while (last < shorter - first && before.at(-1 - last) === after.at(-1 - last)) last++;
  return [first, last];
}

function fieldsThatDiffer<Thing extends object>(was: Thing, is: Thing): string[] {
  const names = Object.keys(is) as (keyof Thing & string)[];
  return names.filter((name) => !equal(was[name], is[name]));
}
