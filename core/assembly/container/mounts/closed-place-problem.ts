// The error of a start whose mounts lead to a protected path, in the words of runc.

import { Misplaced } from "../../../../build/bindings/types";
import { Container } from "../container";
import { sourceOf } from "../shown/mount-points";
import { documentOf } from "../spec/launch";
import { PROC } from "./closed-places";

export function misplaced(container: Container, mount: Misplaced): string {
  const where = mountAt(container, mount.destination);
  return `error during container init: error mounting ${where}${whyNot(mount.place)}`;
}

function whyNot(place: string): string {
  if (place == PROC) return `"${place}" cannot be mounted because it is not of type proc`;
  if (place.startsWith(`${PROC}/`)) return `"${place}" cannot be mounted because it is inside /proc`;
  return 'filesystem "proc" must be mounted on ordinary directory';
}

/** Names destinations as they were before links were followed; omits them if they changed meanwhile. */
function mountAt(container: Container, destination: string): string {
  if (destination.length == 0) return "";
  const source = sourceAt(container, destination);
  return `${source.length > 0 ? `"${source}" ` : ""}to rootfs at "${destination}": `;
}

/** Empty for files that the engine makes for every container. */
function sourceAt(container: Container, destination: string): string {
  for (let i = 0; i < container.mounts.length; i++) {
    const mount = container.mounts[i];
    if (mount.destination != destination) continue;
    const source = sourceOf(mount);
    return source.length > 0 ? source : "tmpfs";
  }
  const tmpfs = documentOf(container.hostConfig).find("Tmpfs");
  if (tmpfs !== null && tmpfs.find(destination) !== null) return "tmpfs";
  return destination == PROC ? "proc" : "";
}
