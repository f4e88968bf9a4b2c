// Whether mounts can travel between the machine and a container as binds want it (mount_namespaces(7)).

import { readFileSync, realpathSync } from "node:fs";
import { HostFailure, unsupported } from "../hosts/failure.js";

interface Bind {
  source?: string;
  options?: readonly string[];
}

/**
 * Throws where it cannot be. `severed`: containers are born into a copy of the mount namespace that only receives
 * mounts, see `hybrid.ts`.
 */
export function checkPropagation(mounts: readonly Bind[], severed: boolean): void {
  for (const { source = "", options = [] } of mounts) {
    const word = options.find((option) => /^r?(shared|slave)$/.test(option));
    if (word === undefined || !source.startsWith("/")) continue;
    const { point, tags } = mountOf(source);
    const about = `path ${source} is mounted on ${point} but it is not a shared`;
    if (word.endsWith("slave")) {
      if (!/\b(shared|master):/.test(tags)) throw new HostFailure("invalid", `${about} or slave mount`);
    } else if (!/\bshared:/.test(tags)) throw new HostFailure("invalid", `${about} mount`);
    else if (severed) throw unsupported(`${word} propagation with this machine's control groups`);
  }
}

/** The mount that a path is on: its mount point, and its optional fields (proc_pid_mountinfo(5)). */
function mountOf(path: string): { point: string; tags: string } {
  const real = realpathSync(path);
  let found = { point: "/", tags: "" };
  for (const line of readFileSync("/proc/self/mountinfo", "utf8").split("\n")) {
    const fields = line.split(" ");
    const point = fields[4]?.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)));
    if (point === undefined || !isBelow(real, point) || point.length < found.point.length) continue;
    found = { point, tags: fields.slice(6, fields.indexOf("-")).join(" ") };
  }
  return found;
}

function isBelow(path: string, point: string): boolean {
  return point === "/" || path === point || path.startsWith(`${point}/`);
}
