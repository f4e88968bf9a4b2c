// Paths of a container where its mounts must not end up (`processes.launch`, `closed`), for every host that mounts.

import { HostFailure } from "./failure.js";
import type { processes } from "./host.js";

/** A mount and its resolved destination: a path of the container without links. */
export interface Placed {
  destination: string;
  place: string;
  /** Whether it shows a file system of this type. */
  shows(fileSystem: string): boolean;
}

/**
 * Throws `misplaced` for a mount that ends up in a closed place, and for a closed place's file system that ends up
 * elsewhere.
 */
export function refuseClosed({ destination, place, shows }: Placed, closed: readonly processes.ClosedPlace[]): void {
  for (const { path, fileSystem, open } of closed) {
    const isWrong = place === path ? !shows(fileSystem) : isWithin(place, path) && !open.includes(place);
    const isElsewhere = destination === path && place !== path;
    if (isWrong || isElsewhere) throw new HostFailure({ tag: "misplaced", val: { place, destination } });
  }
}

export function isWithin(path: string, directory: string): boolean {
  return directory === "/" || path === directory || path.startsWith(`${directory}/`);
}
