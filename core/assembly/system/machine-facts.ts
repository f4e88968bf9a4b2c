// What `/info` tells of a machine in Docker's words: its storage, how containers are confined
// on it, and what it lacks.

import { Machine, Options } from "../../../build/bindings/types";

/** Before this version, a security option is shown only by its name (surface §3, 1.25). */
const WHOLE_OPTIONS: i32 = 25;

/** AppArmor is not among them, even if the kernel has it: no container gets a profile. */
export function securityOptions(machine: Machine, version: i32): string[] {
  const isWhole = version >= WHOLE_OPTIONS;
  const options: string[] = [];
  if (machine.seccomp) options.push(isWhole ? "name=seccomp,profile=builtin" : "seccomp");
  // A private cgroup namespace is the default on cgroup v2 only.
  if (machine.cgroupVersion == "2") options.push(isWhole ? "name=cgroupns" : "cgroupns");
  return options;
}

/** Whether the machine forwards packets once there is a network. */
export function forwardsIpv4(options: Options): bool {
  const machine = options.machine;
  return machine.ipv4Forwarding && (options.networks.forwards || machine.ipv4ForwardingOn);
}

export function machineWarnings(options: Options): string[] {
  const machine = options.machine;
  const warnings: string[] = [];
  if (machine.simulated) warnings.push("WARNING: this machine is simulated: no process, file or network of it is real");
  if (!machine.memoryLimit) warnings.push("WARNING: No memory limit support");
  if (!machine.swapLimit) warnings.push("WARNING: No swap limit support");
  if (!machine.cpuCfs) {
    warnings.push("WARNING: No cpu cfs quota support");
    warnings.push("WARNING: No cpu cfs period support");
  }
  if (!machine.cpuShares) warnings.push("WARNING: No cpu shares support");
  if (!machine.cpuset) warnings.push("WARNING: No cpuset support");
  if (!forwardsIpv4(options)) warnings.push("WARNING: IPv4 forwarding is disabled");
  for (let i = 0; i < machine.droppingChains.length; i++) {
    const chain = machine.droppingChains[i];
    warnings.push(`WARNING: firewall chain ${chain} drops forwarded packets: containers may not reach the network`);
  }
  return warnings;
}

/** Names and values in Docker's order. */
export function storageStatus(machine: Machine): string[][] {
  const storage = machine.storage;
  // With either feature, an upper directory alone does not show what a container has written.
  const isNativeDiff = !storage.redirects && !storage.metacopy;
  return [
    ["Backing Filesystem", machine.simulated ? "simulated" : fileSystemName(storage.fileSystem)],
    ["Supports d_type", storage.entryTypes.toString()],
    ["Using metacopy", storage.metacopy.toString()],
    ["Native Overlay Diff", isNativeDiff.toString()],
    ["userxattr", storage.userNamespace.toString()],
  ];
}

/** Docker's names of file systems, by type (statfs(2)). */
function fileSystemName(type: u32): string {
  switch (type) {
    case 0xef53:
      return "extfs";
    case 0x58465342:
      return "xfs";
    case 0x9123683e:
      return "btrfs";
    case 0xf2f52010:
      return "f2fs";
    case 0x2fc12fc1:
      return "zfs";
    case 0x01021994:
      return "tmpfs";
    case 0x858458f6:
      return "ramfs";
    case 0x794c7630:
      return "overlayfs";
    case 0x6969:
      return "nfs";
    case 0x73717368:
      return "squashfs";
    case 0x65735546:
      return "fuse";
    default:
      return "<unknown>";
  }
}
