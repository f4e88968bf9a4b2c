// Places of a container that its mounts may not come to (`processes.launch`, `closed`), for every host that mounts.

import { HostFailure } from "./failure.js";
import type { processes } from "./host.js";

/** A mount, and where it comes to: a path of the container without links. */
export interface Placed {
  destination: string;
  place: string;
  /** Whether it shows a file system of that type. */
  shows(fileSystem: string): boolean;
}

/** Throws `misplaced` for one that comes to a closed place, and for the file system of such a place that comes elsewhere. */
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
