// Where the mounts of a container come to: their destinations are looked up as OCI runtimes do, one mount after the
// other, links followed within the container, through what was mounted before.

import { statfsSync } from "node:fs";
import { isWithin, refuseClosed } from "../../hosts/shared/closed-places.js";
import type { processes } from "../../hosts/shared/host.js";
import { followed } from "../../hosts/streams/tar/archive-names.js";
import { linkTarget } from "../confine.js";

export interface Mount {
  destination: string;
  type?: string;
  source?: string;
  options?: readonly string[];
}

export class MountPlaces {
  /** In their order; each hides what was at its place before. `files`: where on the machine its files are. */
  readonly #mounted: { place: string; files: string | undefined; isBind: boolean }[] = [];

  /** `root`: the container's file system. */
  constructor(
    readonly root: string,
    mounts: readonly Mount[] = [],
  ) {
    for (const mount of mounts) this.add(mount);
  }

  /** Where it comes to: a path of the container without links. */
  add(mount: Mount): string {
    const place = this.resolve(mount.destination);
    const files = isBind(mount) ? mount.source : KERNEL_FILES[mount.type ?? ""];
    this.#mounted.push({ place, files, isBind: isBind(mount) });
    return place;
  }

  /** What is not there is kept by name. */
  resolve(path: string): string {
    return followed(path, (directory, name) => this.#targetOf(directory === "/" ? `/${name}` : `${directory}/${name}`));
  }

  /** What the path leads to is a file of the machine's, or of a volume. */
  isBound(path: string): boolean {
    const place = this.resolve(path);
    return this.#mountOf(place)?.isBind ?? false;
  }

  #mountOf(path: string) {
    return this.#mounted.findLast(({ place }) => isWithin(path, place));
  }

  #targetOf(path: string): string | undefined {
    const mount = this.#mountOf(path);
    if (!mount) return linkTarget(this.root + path, path);
    if (mount.place === path || mount.files === undefined) return undefined;
    return linkTarget(mount.files + (mount.place === "/" ? path : path.slice(mount.place.length)), path);
  }
}

/**
 * Throws `misplaced` for the first mount that comes to a closed place. Holds as long as nobody changes links. For a runtime
 * that makes no place behind a link that leads nowhere, destinations are told without links.
 */
export function placeMounts(
  mounts: readonly Mount[],
  root: string,
  closed: readonly processes.ClosedPlace[],
  makesBehindLinks: boolean,
): void {
  const places = new MountPlaces(root);
  for (const mount of mounts) {
    const { destination } = mount;
    const place = places.add(mount);
    refuseClosed({ destination, place, shows: (fileSystem) => shows(mount, fileSystem) }, closed);
    if (!makesBehindLinks) mount.destination = place;
  }
}

function shows(mount: Mount, fileSystem: string): boolean {
  return isBind(mount) ? statfsSync(mount.source ?? "").type === MAGIC[fileSystem] : mount.type === fileSystem;
}

function isBind({ type, options = [] }: Mount): boolean {
  return type === "bind" || options.includes("bind") || options.includes("rbind");
}

/** Links of the machine's kernel lead where those of a container's do. */
const KERNEL_FILES: Record<string, string> = { proc: "/proc", sysfs: "/sys" };

/** By name (statfs(2)). */
const MAGIC: Record<string, number> = { proc: 0x9fa0 };
