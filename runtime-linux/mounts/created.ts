// What a container has mounted that is created and not yet started: whoever could change links while its runtime made it
// can do so no more. For runtimes that do not look themselves.

import { isWithin } from "../../hosts/closed-places.js";
import { HostFailure } from "../../hosts/failure.js";
import type { processes } from "../../hosts/host.js";
import { mountsOf, type MountLine } from "../content/mounted.js";
import { MS_BIND, MS_NODEV, MS_NOEXEC, MS_NOSUID, MS_RDONLY, MS_REMOUNT, type Kernel } from "../kernel.js";
import { insideOf } from "../mount-namespace.js";
import { MountPlaces, type Mount } from "./places.js";

/** Of its spec. */
interface Created {
  root?: { path: string };
  mounts?: readonly Mount[];
  /** Paths that the runtime itself mounts something over. */
  linux?: { maskedPaths?: readonly string[]; readonlyPaths?: readonly string[] };
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
  const places = new MountPlaces(root?.path ?? "", mounts);
  const masked = maskedPaths.map((path) => places.resolve(path));
  for (const one of closed) {
    const found = lines.find((line) => isWithin(line.point, one.path) && !mayStand(line, one, masked));
    if (found) throw new HostFailure("misplaced", found.point);
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

/** crun binds such a path to itself, and mounts it anew with no flag but `ro`. */
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
