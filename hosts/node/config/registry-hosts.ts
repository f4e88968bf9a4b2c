// Settings of registries as containerd reads them: `DIRECTORY/HOST:PORT/hosts.toml`, and `DIRECTORY/_default/hosts.toml`
// for registries that have no directory. The core decides what is asked when (core/assembly/image/pull/registry.ts).
// Other engines read the same directory, so that a file which this one cannot use is no reason not to start.

import { readdirSync, readFileSync, type Dirent } from "node:fs";
import { join } from "node:path";
import type { engine } from "../../shared/index.js";
import { hostsIn } from "../registry/index.js";

/** What a directory tells of registries. */
export interface FoundHosts {
  /** Of all registries that have a directory there, by name. */
  registryHosts: engine.RegistryHosts[];
  /** What the files have that is not used, and why. */
  registryRemarks: HostsRemark[];
}

export interface HostsRemark {
  /** A `hosts.toml`, or the directory of all. */
  file: string;
  /** For people, without secrets. */
  why: string;
}

/** How the directory is read. */
export interface HostsReading {
  /** What may not be read counts as missing. */
  mayBeForbidden: boolean;
  /** Settings from before: those of a file that has become unusable still count. */
  former: readonly engine.RegistryHosts[];
}

export function registryHosts(directory: string, reading: HostsReading): FoundHosts {
  const found: FoundHosts = { registryHosts: [], registryRemarks: [] };
  for (const name of namesIn(directory, reading, found.registryRemarks)) {
    const one = readHosts(directory, name, reading, found.registryRemarks);
    // Of `host_port_` and `host:port` the first counts.
    if (!found.registryHosts.some(({ registry }) => registry === one.registry)) found.registryHosts.push(one);
  }
  return found;
}

/** A registry with a directory has settings, even if they are empty: those for all others do not apply to it. */
function readHosts(
  directory: string,
  name: string,
  reading: HostsReading,
  remarks: HostsRemark[],
): engine.RegistryHosts {
  const registry = registryOf(name);
  const file = join(directory, name, "hosts.toml");
  try {
    const text = textOf(file, reading);
    const hosts = text === null ? { hosts: [] } : hostsIn(text, file);
    return { registry, ...hosts };
  } catch (error) {
    remarks.push({ file, why: (error as Error).message.split("\n")[0]! });
    return reading.former.find((one) => one.registry === registry) ?? { registry, hosts: [] };
  }
}

/** Where names have no colon, `host_port_` stands for `host:port`. */
function registryOf(name: string): string {
  return name.replace(/^(.+)_(\d+)_$/, "$1:$2");
}

/** Directories, and links that may lead to some. Names without a colon come first, as containerd looks for them. */
function namesIn(directory: string, reading: HostsReading, remarks: HostsRemark[]): string[] {
  try {
    const names = readdirSync(directory, { withFileTypes: true })
      .filter(mayBeDirectory)
      .map(({ name }) => name);
    const isPlain = (name: string): number => Number(registryOf(name) === name);
    return names.sort().sort((a, b) => isPlain(a) - isPlain(b));
  } catch (error) {
    if (!isMissing(error, reading)) remarks.push({ file: directory, why: (error as Error).message });
    return [];
  }
}

export function mayBeDirectory(entry: Dirent): boolean {
  return entry.isDirectory() || entry.isSymbolicLink();
}

/** Null if there is none. Throws an error of `node:fs` if it cannot be read. */
function textOf(file: string, reading: HostsReading): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isMissing(error, reading)) return null;
    throw error;
  }
}

function isMissing(error: unknown, { mayBeForbidden }: HostsReading): boolean {
  const { code = "" } = error as NodeJS.ErrnoException;
  return ["ENOENT", "ENOTDIR"].includes(code) || (mayBeForbidden && ["EACCES", "EPERM"].includes(code));
}
