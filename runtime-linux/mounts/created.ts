// What a container has mounted that is created and not yet started: whoever could change links while its runtime made it
// can do so no more. For runtimes of which it is not known that they look themselves.

import { realpathSync, statSync } from "node:fs";
import { isWithin } from "../../hosts/shared/closed-places.js";
import { HostFailure, startBroke } from "../../hosts/shared/failure.js";
import type { processes } from "../../hosts/shared/host.js";
import { mountsOf, type MountLine } from "../content/files/mounted.js";
import { MS_BIND, MS_NODEV, MS_NOEXEC, MS_NOSUID, MS_RDONLY, MS_REMOUNT, type Kernel } from "../kernel.js";
import { insideOf } from "./mount-namespace.js";
import { MountPlaces, placeMounts, type Mount } from "./places.js";

/** Of its spec. */
interface Created {
  root?: { path: string };
  mounts?: readonly Mount[];
  /** Paths that the runtime itself mounts something over. */
  linux?: { maskedPaths?: readonly string[]; readonlyPaths?: readonly string[] };
}

/**
 * Throws `misplaced` if something has come to a closed place. A process that stands for a container in a virtual machine
 * has mounts of the machine, be it in a namespace of its own: those tell nothing, and so it is looked up once more where
 * the container's lead. `isIn`: it is known to stand in the container.
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

/** Whether a process has the machine's root, and that is not the container's. In doubt it is one of the container's. */
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

/** Another mount of the same file system has the same. */
function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev}:${ino}`;
}

/**
 * Throws `misplaced` if something has come to a closed place; gives read-only paths the flags back that the mounts have
 * which they are in.
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

/** What the machine has mounted in its own such place comes along when a client binds that: type and mount point. */
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

/** Runtimes bind such a path to itself; crun mounts it anew with no flag but `ro`. */
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
