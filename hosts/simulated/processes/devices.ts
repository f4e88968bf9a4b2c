// Devices of the simulated machine in a container: their nodes and their rate limits.

import { noSuch, wrongKind } from "../../shared/index.js";
import type { DeviceNumber, processes } from "../../shared/index.js";
import { FileError, type FileStatus, type FileSystem } from "../files/file-system.js";
import type { MountedFiles } from "../files/mounted-files.js";
import { directoryOf } from "../programs/paths.js";
import { makeDirectory } from "./spec.js";

/** Makes the device nodes. `files` are the container's files as root sees them. */
export function addDevices(wanted: readonly processes.HostDevice[], machine: FileSystem, files: MountedFiles): void {
  for (const device of wanted) {
    const found = gathered(device.path, device.destination, machine);
    for (const { path, status } of found) {
      makeDirectory(files, directoryOf(path));
      files.makeDevice(path, status);
    }
  }
}

/** Numbers of a device of the machine. */
export function numberOf(machine: FileSystem, path: string): DeviceNumber {
  const status = statusOf(machine, path);
  if (!status) throw noSuch("rated-device", path);
  if (!isDevice(status)) throw wrongKind("rated-device", path);
  return { major: status.major, minor: status.minor };
}

/** A device, or all devices in a directory. */
function gathered(path: string, destination: string, machine: FileSystem): { path: string; status: FileStatus }[] {
  const status = statusOf(machine, path);
  if (!status) throw noSuch("device", path);
  if (isDevice(status)) return [{ path: destination, status }];
  const devices = status.kind === "directory" ? below(path, destination, machine) : [];
  if (devices.length === 0) throw wrongKind("device", path);
  return devices;
}

function below(directory: string, destination: string, machine: FileSystem): { path: string; status: FileStatus }[] {
  return machine.list(directory).flatMap((name) => {
    const [path, place] = [`${directory}/${name}`, `${destination}/${name}`];
    const status = machine.linkStatus(path);
    if (status.kind === "directory") return below(path, place, machine);
    return isDevice(status) && name !== "console" ? [{ path: place, status }] : [];
  });
}

function isDevice({ kind }: FileStatus): boolean {
  return kind === "character" || kind === "block";
}

function statusOf(machine: FileSystem, path: string): FileStatus | null {
  try {
    return machine.status(path);
  } catch (error) {
    if (error instanceof FileError) return null;
    throw error;
  }
}
