// Binds of what the engine's own data lies in, or of what lies in it. They see what the machine mounts and unmounts there:
// else a container that only looks on would hold the files of all others busy. As the reference does.

import { badParameter, Refusal } from "../../refusal";
import { engine } from "../../state";
import { MountKind, MountPoint } from "./mount-point";

/** How a bind's mounts spread, as inspect tells it. */
export function propagationOf(point: MountPoint): string {
  if (point.kind != MountKind.Bind || point.propagation.length > 0) return point.propagation;
  return touchesEngine(point) ? "rslave" : "rprivate";
}

/** Whether it is the host's to say how they spread: nobody asked for it, and not every machine sends mounts on. */
export function spreadsAsItCan(point: MountPoint): bool {
  return point.kind == MountKind.Bind && point.propagation.length == 0 && touchesEngine(point);
}

/** One that would hold the engine's mounts. */
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
