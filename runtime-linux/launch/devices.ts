// Devices of the machine for a container. The core names them by path; the OCI spec needs their numbers.

import { readdirSync, realpathSync, statSync, type BigIntStats } from "node:fs";
import { join } from "node:path";
import { noSuch, wrongKind } from "../../hosts/shared/index.js";
import type { BlockIO, DeviceNumber, processes } from "../../hosts/shared/index.js";
import { splitDevice } from "../content/files/copy.js";

/** A member of `linux.devices` (OCI runtime spec, config-linux.md). */
export interface SpecDevice {
  path: string;
  type: "b" | "c";
  major: number;
  minor: number;
  fileMode: number;
  uid: number;
  gid: number;
}

/** A member of `linux.resources.devices`. */
export interface DeviceRule {
  allow: boolean;
  type?: string;
  major?: number;
  minor?: number;
  access?: string;
}

/** The parts of a spec's `linux.resources` that are read or extended here. Everything else passes through. */
export interface Resources {
  devices?: DeviceRule[];
  memory?: { limit?: number; swap?: number; reservation?: number; swappiness?: number };
  cpu?: {
    shares?: number;
    period?: number;
    quota?: number;
    realtimePeriod?: number;
    realtimeRuntime?: number;
    cpus?: string;
    mems?: string;
  };
  pids?: { limit: number };
  blockIO?: BlockIO;
}

/** Devices for the spec, and the rules that let a container use them. A directory stands for all devices in it. */
export function devicesOf(wanted: readonly processes.HostDevice[]): { devices: SpecDevice[]; rules: DeviceRule[] } {
  const found = wanted.flatMap(({ path, destination, access }) =>
    gathered(path, destination).map((device) => ({ device, access })),
  );
  const rules = found.map(({ device: { type, major, minor }, access }) => ({
    allow: true,
    type,
    major,
    minor,
    access,
  }));
  return { devices: found.map(({ device }) => device), rules };
}

/** All devices of the machine. `root`: where its /dev is. */
export function allDevices(root = "/dev"): SpecDevice[] {
  return below(root, root);
}

/** Number of the device at a path. Throws if there is none. */
export function numberOf(path: string): DeviceNumber {
  const stat = statAt(path);
  if (!stat) throw noSuch("rated-device", path);
  if (!stat.isBlockDevice() && !stat.isCharacterDevice()) throw wrongKind("rated-device", path);
  return splitDevice(stat.rdev);
}

/** Undefined if nothing is there, or if a parent is a file. */
function statAt(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

function gathered(path: string, destination: string): SpecDevice[] {
  const stat = statAt(path);
  if (!stat) throw noSuch("device", path);
  const own = deviceAt(stat, destination);
  const devices = own ? [own] : stat.isDirectory() ? below(realpathSync(path), destination) : [];
  if (devices.length === 0) throw wrongKind("device", path);
  return devices;
}

/** Kernel file systems in /dev and the container's own terminal. Runtimes make them. */
const NOT_THOSE = new Set(["pts", "shm", "fd", "mqueue", "console"]);

function below(directory: string, destination: string): SpecDevice[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_THOSE.has(entry.name)) return [];
    const [path, place] = [join(directory, entry.name), join(destination, entry.name)];
    if (entry.isDirectory()) return below(path, place);
    if (!entry.isBlockDevice() && !entry.isCharacterDevice()) return [];
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return (stat && deviceAt(stat, place)) ?? [];
  });
}

function deviceAt(stat: BigIntStats, path: string): SpecDevice | undefined {
  const type = stat.isBlockDevice() ? "b" : stat.isCharacterDevice() ? "c" : undefined;
  if (!type) return undefined;
  const fileMode = Number(stat.mode & 0o7777n);
  return { path, type, ...splitDevice(stat.rdev), fileMode, uid: Number(stat.uid), gid: Number(stat.gid) };
}
