// What a container has mounted that is created and not yet started: whoever could change links while its runtime made it
// can do so no more. For runtimes that do not look themselves.

import { isWithin } from "../../hosts/closed-places.js";
import { HostFailure } from "../../hosts/failure.js";
import type { processes } from "../../hosts/host.js";
import { mountsOf, type MountLine } from "../content/mounted.js";
import { MountPlaces, type Mount } from "./places.js";

/** Of its spec. */
interface Created {
  root?: { path: string };
  mounts?: readonly Mount[];
  /** Paths that the runtime itself mounts something over. */
  linux?: { maskedPaths?: readonly string[] };
}

/** Throws `misplaced` if something has come to a closed place. */
export function settleMounts(
  { root, mounts = [], linux = {} }: Created,
  closed: readonly processes.ClosedPlace[],
  pid: number,
): void {
  const { maskedPaths = [] } = linux;
  const lines = mountsOf(pid);
  const places = new MountPlaces(root?.path ?? "", mounts);
  const masked = maskedPaths.map((path) => places.resolve(path));
  for (const one of closed) {
    const found = lines.find((line) => isWithin(line.point, one.path) && !mayStand(line, one, masked));
    if (found) throw new HostFailure("misplaced", found.point);
  }
}

function mayStand({ point, type }: MountLine, { fileSystem, open }: processes.ClosedPlace, masked: string[]): boolean {
  return type === fileSystem || open.includes(point) || masked.includes(point);
}
