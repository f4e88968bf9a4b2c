// The files `hosts`, `hostname` and `resolv.conf` that are made for a container. They are mounted into it and into
// containers that join its network.

import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { noSuch, resolvConf } from "../../hosts/shared/index.js";
import type { processes } from "../../hosts/shared/index.js";
import { checked } from "../content/filesystems.js";
import type { Paths } from "../paths.js";
import type { Run } from "../ends/run.js";

/** Paths of the machine's own files. */
const OWN: Readonly<Record<string, string>> = {
  hosts: "/etc/hosts",
  hostname: "/etc/hostname",
  "resolv.conf": "/etc/resolv.conf",
};

/** Writes a file for a run. `apart`: the container has its own network namespace. `servers`: see `public-servers`. */
export function writeFile(path: string, file: processes.ContainerFile, apart: boolean, servers: string[]): void {
  const { name, content } = file;
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(path); // an old link: see `adoptFiles`
  put(path, name === "resolv.conf" ? Buffer.from(resolver(content, apart, servers)) : bytesOf(file));
}

/** Writes a file during a run. */
export function rewriteFile(path: string, file: processes.ContainerFile): void {
  if (!existsSync(path)) throw noSuch("container-file", file.name);
  put(realpathSync(path), bytesOf(file));
}

/**
 * The source of a mount of a container's own file: `NAME`, or `CONTAINER/NAME` for one that was made for another
 * container.
 */
export function sourceOfFile(paths: Paths, container: string, source: string): string {
  const [, other, name = source] = /^([0-9a-f]{64})\/(.*)$/.exec(source) ?? [];
  ownOf(name);
  const path = paths.containerFile(other ?? container, name);
  if (other === undefined) return path;
  if (!existsSync(path)) throw noSuch("container-file", name);
  return realpathSync(path);
}

/**
 * Earlier versions made these files in the run's directory. As long as such a run lives, links from the new place lead
 * to the files that it has mounted.
 */
export function adoptFiles(paths: Paths, { container, directory }: Pick<Run, "container" | "directory">): void {
  for (const name of Object.keys(OWN)) {
    const made = join(directory, name);
    if (!existsSync(made)) continue;
    const path = paths.containerFile(container, name);
    rmSync(path, { force: true });
    symlinkSync(made, path);
  }
}

/** Since the inode is mounted, it must stay. It is never empty, and is cut to length at the end. */
function put(path: string, bytes: Uint8Array): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o644);
  try {
    writeSync(file, bytes, 0, bytes.length, 0);
    ftruncateSync(file, bytes.length);
    // Whatever our umask: every user in the container reads the file through a mount.
    fchmodSync(file, 0o644);
  } finally {
    closeSync(file);
  }
}

function bytesOf({ name, content }: processes.ContainerFile): Uint8Array {
  const own = ownOf(name);
  return content ?? readOwn(own);
}

function ownOf(name: string): string {
  const own = Object.hasOwn(OWN, name) ? OWN[name] : undefined;
  if (!own) throw noSuch("container-file", name);
  return own;
}

/** If systemd-resolved answers on the machine itself, this file lists its upstream servers. */
const RESOLVED = "/run/systemd/resolve/resolv.conf";

function resolver(content: Uint8Array | undefined, apart: boolean, servers: string[]): string {
  const text = Buffer.from(readOwn("/etc/resolv.conf")).toString();
  const isStub = apart && /^\s*nameserver\s+127\.0\.0\.53\b/m.test(text);
  const own = (isStub && Buffer.from(readOwn(RESOLVED)).toString()) || text;
  return resolvConf(content && Buffer.from(content).toString(), own, apart, servers);
}

/** The machine's own file; empty if it has none. */
function readOwn(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return new Uint8Array(0);
    throw error;
  }
}

/** The file of a container that is nothing but a secret. */
export function secretOf(container: string, paths: Paths): string {
  const file = paths.heldSecret(checked(container));
  if (!existsSync(file)) throw noSuch("file-system", container);
  return file;
}
