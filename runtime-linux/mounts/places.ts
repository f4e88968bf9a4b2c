// Finds out where a container's mounts end up. Destinations are looked up as OCI runtimes do it: one mount after the
// other, following links within the container and through the earlier mounts.

import { statfsSync } from "node:fs";
import { isWithin, refuseClosed } from "../../hosts/shared/index.js";
import type { processes } from "../../hosts/shared/index.js";
import { followed } from "../../hosts/streams/tar/index.js";
import { linkTarget } from "../confine.js";
import type { MountPoint } from "./points.js";

export interface Mount {
  destination: string;
  type?: string;
  source?: string;
  options?: readonly string[];
}

/** Valid only while nobody changes links. */
export class MountPlaces {
  /**
   * The mounts so far, in order. Each hides what was at its destination before. `files`: where its files are on the
   * machine.
   */
  readonly #mounted: { place: string; files: string | undefined; isBind: boolean; isWritable: boolean }[] = [];
  /** What is already known of the machine's paths; undefined: no link. Most destinations have directories in common. */
  readonly #links = new Map<string, string | undefined>();

  /** `root`: the container's file system. */
  constructor(
    readonly root: string,
    mounts: readonly Mount[] = [],
  ) {
    for (const mount of mounts) this.add(mount);
  }

  /** The resolved destination: a path of the container without links. */
  add(mount: Mount): string {
    const place = this.resolve(mount.destination);
    const [isBound, { options = [] }] = [isBind(mount), mount];
    const files = isBound ? mount.source : KERNEL_FILES[mount.type ?? ""];
    this.#mounted.push({ place, files, isBind: isBound, isWritable: isBound && !options.includes("ro") });
    return place;
  }

  /** Components that do not exist keep their names. */
  resolve(path: string): string {
    return followed(path, (directory, name) => this.#targetOf(directory === "/" ? `/${name}` : `${directory}/${name}`));
  }

  /** The directory of the machine that has the files at a resolved path; null if a runtime cannot write there. */
  writableAt(place: string): Omit<MountPoint, "source"> | null {
    const mount = this.#mountOf(place);
    if (!mount) return { root: this.root, path: place };
    if (!mount.isWritable || mount.place === place || mount.files === undefined) return null;
    return { root: mount.files, path: mount.place === "/" ? place : place.slice(mount.place.length) };
  }

  /** Whether the path leads to a file of the machine or of a volume. */
  isBound(path: string): boolean {
    const place = this.resolve(path);
    return this.#mountOf(place)?.isBind ?? false;
  }

  #mountOf(path: string) {
    return this.#mounted.findLast(({ place }) => isWithin(path, place));
  }

  #targetOf(path: string): string | undefined {
    const mount = this.#mountOf(path);
    if (!mount) return this.#linkAt(this.root + path, path);
    if (mount.place === path || mount.files === undefined) return undefined;
    return this.#linkAt(mount.files + (mount.place === "/" ? path : path.slice(mount.place.length)), path);
  }

  #linkAt(file: string, name: string): string | undefined {
    if (!this.#links.has(file)) this.#links.set(file, linkTarget(file, name));
    return this.#links.get(file);
  }
}

/**
 * Throws `misplaced` for the first mount that ends up in a closed place. Valid only while nobody changes links. Some
 * runtimes do not make a destination behind a dangling link; they get destinations without links. Returns where the
 * mounts will be, as far as a runtime would make what is missing there.
 */
export function placeMounts(
  mounts: readonly Mount[],
  root: string,
  closed: readonly processes.ClosedPlace[],
  makesBehindLinks: boolean,
): MountPoint[] {
  const places = new MountPlaces(root);
  const points: MountPoint[] = [];
  for (const mount of mounts) {
    const { destination } = mount;
    const point = places.writableAt(places.resolve(destination));
    const place = places.add(mount);
    refuseClosed({ destination, place, shows: (fileSystem) => shows(mount, fileSystem) }, closed);
    if (point !== null) points.push({ ...point, source: isBind(mount) ? (mount.source ?? "") : null });
    if (!makesBehindLinks) mount.destination = place;
  }
  return points;
}

function shows(mount: Mount, fileSystem: string): boolean {
  return isBind(mount) ? statfsSync(mount.source ?? "").type === MAGIC[fileSystem] : mount.type === fileSystem;
}

function isBind({ type, options = [] }: Mount): boolean {
  return type === "bind" || options.includes("bind") || options.includes("rbind");
}

/** Links in the machine's kernel file systems lead to the same place as those in a container's. */
const KERNEL_FILES: Record<string, string> = { proc: "/proc", sysfs: "/sys" };

/** By file system name (statfs(2)). */
const MAGIC: Record<string, number> = { proc: 0x9fa0 };
