// Mount propagation between the machine and a container, as binds ask for it (mount_namespaces(7)).

import { existsSync, readFileSync, realpathSync } from "node:fs";
import { HostFailure } from "../../hosts/shared/index.js";
import type { Sight } from "../launch/hybrid.js";

interface Bind {
  source?: string;
  options?: readonly string[];
}

interface Root {
  rootfsPropagation?: string;
}

/** Binds without a propagation option see the machine's later mounts if the machine's mount is shared. */
export function choosePropagation({ mounts = [], linux }: { mounts?: Bind[]; linux?: Root }): void {
  for (const mount of mounts) {
    const { source = "", options = [] } = mount;
    if (!source.startsWith("/") || options.some((option) => SPREADS.test(option))) continue;
    const receives = existsSync(source) && RECEIVES.test(mountOf(source).tags);
    mount.options = [...options, receives ? "rslave" : "rprivate"];
    if (receives && linux) linux.rootfsPropagation ??= "rslave";
  }
}

/** Throws if the machine's mounts do not allow it. */
export function checkPropagation(mounts: readonly Bind[]): void {
  for (const { source = "", options = [] } of mounts) {
    const word = options.find((option) => TRAVELS.test(option));
    if (word === undefined || !source.startsWith("/")) continue;
    const { point, tags } = mountOf(source);
    const receives = word.endsWith("slave");
    if ((receives ? RECEIVES : SHARED).test(tags)) continue;
    throw new HostFailure({ tag: "unshared", val: { path: source, point, receives } });
  }
}

/** Which of the machine's mounts a container needs to see. `roots`: everything below them is the engine's own. */
export function sightOf(mounts: readonly Bind[], { data, exec }: { data: string; exec: string }): Sight {
  const own = [`${data}/`, `${exec}/`];
  const binds = mounts.filter(({ source = "" }) => source.startsWith("/"));
  if (binds.some(({ options = [] }) => options.some((option) => SENDS.test(option)))) return "joined";
  return binds.some(({ source = "" }) => !own.some((root) => source.startsWith(root))) ? "all" : "own";
}

const SHARED = /\bshared:/;
const RECEIVES = /\b(shared|master):/;
const SPREADS = /^r?(shared|slave|private|unbindable)$/;
const SENDS = /^r?shared$/;
const TRAVELS = /^r?(shared|slave)$/;

/** The mount that contains a path: its mount point and its optional fields (proc_pid_mountinfo(5)). */
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
