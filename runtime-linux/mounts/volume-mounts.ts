// File systems that are mounted as the files of volumes.

import { lookup } from "node:dns/promises";
import { existsSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { basename, dirname, join } from "node:path";
import { HostFailure, failureOf, parseMountOptions, refusedMount } from "../../hosts/shared/index.js";
import type { failures, volumes } from "../../hosts/shared/index.js";
import { mountsBelow } from "../content/files/mounted.js";
import { MNT_DETACH, MS_BIND, MS_RDONLY, MS_REMOUNT, type Kernel } from "../kernel.js";

/** Mounts it, unless something is mounted there. Throws `mount`; then nothing is. */
export async function mountVolume(kernel: Kernel, mount: volumes.VolumeMount, place: string): Promise<void> {
  if (isMounted(place)) return;
  const { device, options } = await resolved(mount, place);
  const { flags, propagation, data } = parseMountOptions(options);
  if (device === "") throw refused({ device, place, mountFlags: flags, data }, "EINVAL");
  writeFileSync(markOf(place), "");
  try {
    await call(kernel, [device, place, mount.fileSystem, flags, data]);
    if (propagation !== 0) kernel.mount("", place, "", propagation, "");
    // The kernel ignores all other flags of a bind at first.
    if (flags & MS_BIND && flags & MS_RDONLY) kernel.mount("", place, "", flags | MS_REMOUNT, "");
  } catch (error) {
    unmountVolume(kernel, place);
    const { tag, val } = failureOf(error);
    throw tag === "call" ? refused({ device, place, mountFlags: flags, data }, val.error) : error;
  }
}

/** Unmounts everything that is mounted on the directory. Processes that use it keep it. */
export function unmountVolume(kernel: Kernel, place: string): void {
  while (isMounted(place)) kernel.umount(place, MNT_DETACH);
  rmSync(markOf(place), { force: true });
}

/** Whether `mountVolume` has mounted something on the directory. */
export function hasMount(place: string): boolean {
  return existsSync(markOf(place)) && isMounted(place);
}

/** Asks the kernel, and not the mounted file system: its server may not answer. */
function isMounted(place: string): boolean {
  const directory = dirname(place);
  return (
    existsSync(directory) &&
    mountsBelow(realpathSync(directory)).includes(join(realpathSync(directory), basename(place)))
  );
}

/** A file beside the directory: the kernel's list of mounts is long, and most volumes need not be looked up in it. */
function markOf(place: string): string {
  return join(dirname(place), "mounted");
}

/** Throws EBUSY if something is mounted in the directory: its files are somebody else's. */
export function refuseMounted(directory: string): void {
  const [path] = mountsBelow(realpathSync(directory));
  if (path === undefined) return;
  throw new HostFailure({ tag: "call", val: { call: "unlinkat", path, inside: false, error: "EBUSY" } });
}

type Call = [device: string, place: string, type: string, flags: number, data: string];

/** What is on this machine is mounted at once; servers may not answer. */
function call(kernel: Kernel, mount: Call): Promise<void> {
  const [, , type, flags] = mount;
  return LOCAL.has(type) || flags & MS_BIND ? kernel.mountAside(...mount) : kernel.mountSlowly(...mount);
}

const LOCAL: ReadonlySet<string> = new Set(["tmpfs", "overlay", "none", ""]);

/** The kernel looks up no names: the server in `addr=HOST`, or else in `//HOST/SHARE`, gets its address. */
async function resolved(
  mount: volumes.VolumeMount,
  place: string,
): Promise<Pick<volumes.VolumeMount, "device" | "options">> {
  const { fileSystem, device, options } = mount;
  if (fileSystem !== "nfs" && fileSystem !== "cifs") return mount;
  const words = options.split(",");
  const at = words.findIndex((word) => /^addr=./.test(word));
  if (at >= 0) {
    words[at] = `addr=${await addressOf(words[at]!.slice("addr=".length), place)}`;
    return { device, options: words.join(",") };
  }
  const server = fileSystem === "cifs" ? /^\/\/([^/]+)/.exec(device)?.[1] : undefined;
  return server === undefined ? mount : { device: device.replace(server, await addressOf(server, place)), options };
}

/** Of two families, IPv4: Docker asks no server by IPv6 that has both. */
async function addressOf(host: string, place: string): Promise<string> {
  if (isIP(host) !== 0) return host;
  try {
    return (await lookup(host, { verbatim: false })).address;
  } catch (error) {
    const { code = "ENOTFOUND" } = error as NodeJS.ErrnoException;
    throw refused({ device: host, place, mountFlags: 0, data: "", host }, code);
  }
}

function refused(about: Omit<failures.RefusedMount, "error" | "host"> & { host?: string }, error: string): HostFailure {
  return refusedMount({ host: "", ...about, error });
}
