// Checks device settings for invalid values. Whether a device
// exists is found out on the machine, when the container starts.

import { Json } from "../../json/json";
import { isAccess, readRule } from "../spec/device-rules";

/** What is wrong with the devices and device rules of a `HostConfig`; empty if nothing is. */
export function deviceProblem(host: Json): string {
  const devices = host.find("Devices");
  if (devices !== null) {
    for (let i = 0; i < devices.items.length; i++) {
      const path = devices.items[i].stringOf("PathOnHost");
      if (!path.startsWith("/")) return `invalid device: '${path}' is not an absolute path`;
      const access = devices.items[i].stringOf("CgroupPermissions");
      if (access.length > 0 && !isAccess(access)) return `invalid device permissions: '${access}'`;
    }
  }
  const rules = host.stringsOf("DeviceCgroupRules");
  for (let i = 0; i < rules.length; i++) {
    if (readRule(rules[i]) === null) return `invalid device cgroup rule format: '${rules[i]}'`;
  }
  return rateProblem(host);
}

/** Rates of block devices. */
function rateProblem(host: Json): string {
  const weights = host.find("BlkioWeightDevice");
  if (weights === null) return "";
  for (let i = 0; i < weights.items.length; i++) {
    const weight = weights.items[i].i64Of("Weight");
    if (weight > 0 && (weight < 10 || weight > 1000)) return "Range of blkio weight is from 10 to 1000";
  }
  return "";
}
