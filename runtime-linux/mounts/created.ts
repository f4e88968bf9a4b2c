// Checks the mounts of a container that is created and not yet started. By now nobody can change links under its
// runtime any more. This is for runtimes that may not check by themselves.

import { realpathSync, statSync } from "node:fs";
import { HostFailure, isWithin, startBroke } from "../../hosts/shared/index.js";
import type { processes } from "../../hosts/shared/index.js";
import { mountsOf, type MountLine } from "../content/files/mounted.js";
import { MS_BIND, MS_NODEV, MS_NOEXEC, MS_NOSUID, MS_RDONLY, MS_REMOUNT, type Kernel } from "../kernel.js";
import { insideOf } from "./mount-namespace.js";
import { MountPlaces, placeMounts, type Mount } from "./places.js";

/** The parts of its spec that matter here. */
interface Created {
  root?: { path: string };
  mounts?: readonly Mount[];
  /** Paths that the runtime itself covers with a mount. */
  linux?: { maskedPaths?: readonly string[]; readonlyPaths?: readonly string[] };
}

/**
 * Throws `misplaced` if a mount has ended up in a closed place. If the container runs in a virtual machine, the process
 * that stands for it has the machine's mounts, even in a namespace of its own. Its mounts say nothing, so the
 * destinations are looked up once more in the container's file system. `isIn`: the process is known to be in the
 * container.
 */
export function settle(
  spec: Created,
  closed: readonly processes.ClosedPlace[],
  pid: number,
  isIn: boolean,
  kernel: Kernel,
): void {
  const root = spec.root?.path ?? "";
  if (!isIn && isOfMachine(root, pid)) placeMounts(spec.mounts ?? [], root, closed, true);
  else settleMounts(spec, closed, pid, kernel);
}

/**
 * Whether a process has the machine's root, and that is not the container's root. If unsure, it counts as the
 * container's.
 */
export function isOfMachine(root: string, pid: number): boolean {
  const theirs = rootOf(pid);
  return theirs !== identityOf(root) && theirs === identityOf("/");
}

function rootOf(pid: number): string {
  try {
    return identityOf(`/proc/${pid}/root`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === "ENOENT" || code === "ESRCH" ? startBroke("process-ended") : error;
  }
}

/** The same for every mount of one file system. */
function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev}:${ino}`;
}

/**
 * Throws `misplaced` if a mount has ended up in a closed place. Restores the flags of read-only paths from the mounts
 * that they are in.
 */
export function settleMounts(
  { root, mounts = [], linux = {} }: Created,
  closed: readonly processes.ClosedPlace[],
  pid: number,
  kernel: Kernel,
): void {
  const { maskedPaths = [], readonlyPaths = [] } = linux;
  const lines = mountsOf(pid);
  if (lines.length === 0) throw startBroke("process-ended");
  const places = new MountPlaces(root?.path ?? "", mounts);
  const masked = maskedPaths.map((path) => places.resolve(path));
  for (const one of closed) {
    const brought = broughtTo(one.path, mounts, places);
    const stands = (line: MountLine): boolean =>
      mayStand(line, one, masked) || brought.has(`${line.type} ${line.point}`);
    const found = lines.find((line) => isWithin(line.point, one.path) && !stands(line));
    if (found) throw new HostFailure({ tag: "misplaced", val: { place: found.point, destination: "" } });
  }
  keepFlags(
    readonlyPaths.map((path) => places.resolve(path)),
    lines,
    pid,
    kernel,
  );
}

function mayStand({ point, type }: MountLine, { fileSystem, open }: processes.ClosedPlace, masked: string[]): boolean {
  return type === fileSystem || open.includes(point) || masked.includes(point);
}

/** If a client binds a place where the machine has mounts of its own, these come along: types and mount points. */
function broughtTo(path: string, mounts: readonly Mount[], places: MountPlaces): Set<string> {
  const binds = mounts.filter(({ options = [] }) => options.includes("rbind"));
  const sources = binds.filter(({ destination }) => places.resolve(destination) === path);
  const directories = sources.map(({ source = "" }) => realpathSync(source));
  return new Set(
    directories.flatMap((directory) =>
      mountsOf(process.pid)
        .filter(({ point }) => point.startsWith(`${directory}/`))
        .map(({ type, point }) => `${type} ${path}${point.slice(directory.length)}`),
    ),
  );
}

/** Runtimes bind such a path to itself. crun remounts it with no flag but `ro`. */
function keepFlags(readonly: readonly string[], lines: readonly MountLine[], pid: number, kernel: Kernel): void {
  const lost = readonly.flatMap((path) => {
    const own = lines.findLast(({ point }) => point === path);
    const below = lines.find(({ id }) => id === own?.parent);
    if (!own || !below) return [];
    const flags = flagsOf(own) | flagsOf(below);
    return flags === flagsOf(own) ? [] : [{ path, flags }];
  });
  if (lost.length === 0) return;
  insideOf(pid, kernel, () => {
    for (const { path, flags } of lost) kernel.mount("", path, "", MS_BIND | MS_REMOUNT | MS_RDONLY | flags, "");
  });
}

function flagsOf({ options }: MountLine): number {
  return options.reduce((flags, option) => flags | (FLAGS[option] ?? 0), 0);
}

const FLAGS: Record<string, number> = { nosuid: MS_NOSUID, nodev: MS_NODEV, noexec: MS_NOEXEC };
