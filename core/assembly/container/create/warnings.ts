// What create warns its client about, besides limits that the kernel lacks (unsupported-limits.ts).

import { Json } from "../../json/json";
import { withoutBindings } from "../../network/ports/port-wishes";

/** From this version on, clients are warned about ports with an empty list of bindings (surface §3). */
const EMPTY_LISTS_TOLD: i32 = 52;
/** The version from which the daemon warns that `VolumeDriver` does not apply to `Mounts` (surface §3). */
const WITH_VOLUME_DRIVER: i32 = 48;

export function platformWarning(actual: string, host: string): string {
  return (
    `The requested image's platform (${actual}) does not match the detected host platform (${host}) ` +
    "and no specific platform was requested"
  );
}

/** Before `WITH_VOLUME_DRIVER` the client itself gave this warning. */
export function volumeDriverWarnings(hostConfig: Json, version: i32): string[] {
  const mounts = hostConfig.entry("Mounts");
  if (version < WITH_VOLUME_DRIVER || mounts === null || hostConfig.stringOf("VolumeDriver").length == 0) return [];
  for (let i = 0; i < mounts.items.length; i++) {
    if (mounts.items[i].stringOf("Type") != "volume" || hasDriver(mounts.items[i])) continue;
    return [
      "WARNING: the container-wide volume-driver configuration is ignored for volumes specified via 'mount'. " +
        "Use '--mount type=volume,volume-driver=...' instead",
    ];
  }
  return [];
}

function hasDriver(mount: Json): bool {
  const options = mount.entry("VolumeOptions");
  const config: Json | null = options === null ? null : options.entry("DriverConfig");
  return config !== null && config.stringOf("Name").length > 0;
}

export function portWarnings(hostConfig: Json, version: i32): string[] {
  const bindings = hostConfig.entry("PortBindings");
  if (bindings === null || bindings.length == 0) return [];
  const warnings: string[] = [];
  const empty = withoutBindings(bindings);
  if (version >= EMPTY_LISTS_TOLD && empty.length > 0) {
    warnings.push(
      `Following container port(s) have an empty list of port-bindings: ${empty.join(", ")}. ` +
        "Such bindings will be discarded in a future version.",
    );
  }
  if (hostConfig.stringOf("NetworkMode") == "host") {
    warnings.push("Published ports are discarded when using host network mode");
  }
  return warnings;
}
