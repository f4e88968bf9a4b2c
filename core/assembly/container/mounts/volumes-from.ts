// Entries of `HostConfig.VolumesFrom`, `container[:options]`: another container's mounts, at the same destinations.

import { badParameter, conflict, Refusal } from "../../refusal";
import { Status } from "../lifecycle";
import { containerStore } from "../store";
import { isPropagation, modeProblem } from "./binds";
import { MountKind, MountPoint } from "./mount-point";

export class BorrowedMounts {
  points: MountPoint[] = [];
  refusal: Refusal | null = null;
}

export function readVolumesFrom(text: string): BorrowedMounts {
  const borrowed = new BorrowedMounts();
  const colon = text.indexOf(":");
  const mode = colon < 0 ? "" : text.slice(colon + 1);
  borrowed.refusal = refuse(text, mode);
  if (borrowed.refusal !== null) return borrowed;
  const owner = containerStore.lookUp(colon < 0 ? text : text.slice(0, colon)).container!;
  for (let i = 0; i < owner.mounts.length; i++) {
    // A build lends them to its step, and takes them back.
    if (owner.mounts[i].kind == MountKind.Lent) continue;
    const point = owner.mounts[i].share();
    if (mode.split(",").includes("ro")) point.readOnly = true;
    borrowed.points.push(point);
  }
  return borrowed;
}

function refuse(text: string, mode: string): Refusal | null {
  if (text.length == 0) return badParameter("volumes-from specification cannot be an empty string");
  if (mode.length > 0) {
    const problem = modeProblem(mode);
    if (problem.length > 0) return badParameter(problem);
    const words = mode.split(",");
    for (let i = 0; i < words.length; i++) {
      if (isPropagation(words[i]) || words[i] == "nocopy") return badParameter(`invalid mode: ${mode}`);
    }
  }
  const name = text.includes(":") ? text.slice(0, text.indexOf(":")) : text;
  const owner = containerStore.lookUp(name).container;
  if (name.length == 0) return badParameter('invalid name or ID supplied: ""');
  if (owner === null) return badParameter(`No such container: ${name}`);
  // Its volumes may be about to be removed with it.
  return owner.status == Status.Removing ? conflict(`container ${name} is being removed`) : null;
}
