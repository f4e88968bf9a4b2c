// Binds that include the engine's data directory, or lie inside it. They follow the
// machine's mounts and unmounts there. Otherwise a container that only looks at the
// directory would keep the files of all others busy. The reference does the same.

import { badParameter, Refusal } from "../../refusal";
import { engine } from "../../state";
import { MountKind, MountPoint } from "./mount-point";

/** Propagation of a bind, as inspect shows it. */
export function propagationOf(point: MountPoint): string {
  if (point.kind != MountKind.Bind || point.propagation.length > 0) return point.propagation;
  return touchesEngine(point) ? "rslave" : "rprivate";
}

/** Whether the host chooses the propagation: the client gave none, and not every machine can propagate mounts. */
export function spreadsAsItCan(point: MountPoint): bool {
  return point.kind == MountKind.Bind && point.propagation.length == 0 && touchesEngine(point);
}

/** Refuses a bind that would keep the engine's mounts busy. */
export function refuseHolding(point: MountPoint): Refusal | null {
  const word = point.propagation;
  if (point.kind != MountKind.Bind || word.length == 0 || word == "rslave" || word == "rshared") return null;
  if (!touchesEngine(point)) return null;
  const told = `daemon root: "${engine.options.dataRoot}", bind mount source: "${point.source}", propagation: "${word}"`;
  return badParameter(
    `invalid mount config: must use either propagation mode "rslave" or "rshared" when mount source is within the daemon root, ${told}`,
  );
}

function touchesEngine(point: MountPoint): bool {
  const root = engine.options.dataRoot;
  return root.length > 0 && (isWithin(point.source, root) || isWithin(root, point.source));
}

function isWithin(path: string, directory: string): bool {
  return path == directory || directory == "/" || path.startsWith(`${directory}/`);
}
