// Files that are made for a container and mounted into it: `hosts`, `hostname`, `resolv.conf`.

import { chmodSync, closeSync, ftruncateSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { processes } from "../hosts/host.js";
import { HostFailure } from "../hosts/failure.js";
import { resolvConf } from "../hosts/resolv-conf.js";

/** Where the machine has its own. */
const OWN: Readonly<Record<string, string>> = {
  hosts: "/etc/hosts",
  hostname: "/etc/hostname",
  "resolv.conf": "/etc/resolv.conf",
};

/** Writes one into the run's directory. `apart`: the container has a network namespace. */
export function writeFile(directory: string, { name, content }: processes.ContainerFile, apart: boolean): void {
  const own = OWN[name];
  if (!own) throw new HostFailure("invalid", `no such container file: ${name}`);
  writeFileSync(join(directory, name), name === "resolv.conf" ? resolver(content, apart) : (content ?? readOwn(own)));
  // Whatever our umask: every user of the container reads it, through a mount of its own.
  chmodSync(join(directory, name), 0o644);
}

/** Where systemd-resolved answers on the machine itself, its own servers stand in a file beside. */
const RESOLVED = "/run/systemd/resolve/resolv.conf";

function resolver(content: Uint8Array | undefined, apart: boolean): string {
  const text = Buffer.from(readOwn("/etc/resolv.conf")).toString();
  const isStub = apart && /^\s*nameserver\s+127\.0\.0\.53\b/m.test(text);
  const own = (isStub && Buffer.from(readOwn(RESOLVED)).toString()) || text;
  return resolvConf(content && Buffer.from(content).toString(), own, apart);
}

/**
 * A file that a run was launched with, made anew. Its inode is mounted into the container, so that it stays: never empty,
 * and cut to its length in the end.
 */
export function rewriteFile(directory: string, { name, content }: processes.ContainerFile): void {
  const own = OWN[name];
  if (!own) throw new HostFailure("invalid", `no such container file: ${name}`);
  const file = openSync(join(directory, name), "r+");
  try {
    const bytes = content ?? readOwn(own);
    writeSync(file, bytes, 0, bytes.length, 0);
    ftruncateSync(file, bytes.length);
  } finally {
    closeSync(file);
  }
}

/** The machine's own; empty when it has none. */
function readOwn(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return new Uint8Array(0);
    throw error;
  }
}
