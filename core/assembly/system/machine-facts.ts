// What `/info` tells of a machine in Docker's words: how containers are confined on it, and what it lacks.

import { Machine } from "../../../build/bindings/types";

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

export function machineWarnings(machine: Machine): string[] {
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
  if (!machine.ipv4Forwarding) warnings.push("WARNING: IPv4 forwarding is disabled");
  for (let i = 0; i < machine.droppingChains.length; i++) {
    const chain = machine.droppingChains[i];
    warnings.push(`WARNING: firewall chain ${chain} drops forwarded packets: containers may not reach the network`);
  }
  return warnings;
}
