// `RUN --mount=type=cache`: which cache a mount uses, and in what order a step takes its caches.

import { DirectoryOwner } from "../../../../../build/bindings/types";
import { CacheWish } from "../../caches/cache-lease";
import { Mount, MountType } from "../../evaluation/run-mount";
import { MountSource } from "./mount-sources";
import { octalOf } from "./octal";

/** Caches last, by their keys, those that share the least first. */
export function inOrder(sources: MountSource[]): MountSource[] {
  const caches = sources.filter((source) => source.mount.type == MountType.Cache);
  caches.sort((a: MountSource, b: MountSource) => {
    const one = mountKey(a);
    const other = mountKey(b);
    if (one == other) return sharesLess(a.mount) - sharesLess(b.mount);
    return one < other ? -1 : 1;
  });
  return sources.filter((source) => source.mount.type != MountType.Cache).concat(caches);
}

function sharesLess(mount: Mount): i32 {
  return mount.sharing == "locked" ? 0 : mount.sharing == "private" ? 1 : 2;
}

/** What makes two mounts use one cache: their id, and what a new one begins with. */
function mountKey(source: MountSource): string {
  const mount = source.mount;
  const chain = source.chain;
  const from = `${chain === null ? "" : chain}/${source.path}`;
  const owner = `${mount.mode} ${mount.owner.toString()} ${mount.group.toString()}`;
  return mount.from.length == 0 ? `${owner} ${mount.id}` : `${owner} ${from} ${mount.id}`;
}

export function cacheWish(source: MountSource): CacheWish {
  const mount = source.mount;
  const seeds = mount.from.length > 0;
  const isOwned = !seeds || mount.mode.length > 0 || mount.owner != 0 || mount.group != 0;
  const mode = mount.mode.length > 0 ? <u32>octalOf(mount.mode) : 0o755;
  const owner: DirectoryOwner | null = isOwned ? new DirectoryOwner(mount.owner, mount.group, mode) : null;
  const path = seeds ? `/${source.path}` : "/";
  return new CacheWish(mountKey(source), mount.id, mount.sharing, source.chain, path, owner);
}
