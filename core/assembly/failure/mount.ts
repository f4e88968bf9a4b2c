// Messages for mounts that cannot be made.

import { PlaceInVolume, RefusedMount, UnsharedMount } from "../../../build/bindings/types";
import { errnoText } from "./call";

/** The secret among a network file system's options. */
const PASSWORD: string = "password=";

/** As dockerd's driver `local` and its library for mounts say it. */
export function mountText(mount: RefusedMount): string {
  const why = errnoText(mount.error);
  if (mount.host.length > 0) {
    return `error resolving passed in network volume address: lookup ${mount.host}: ${why}`;
  }
  if (mount.device.length == 0) return "missing device in volume options";
  let text = `failed to mount local volume: mount ${mount.device}:${mount.place}`;
  if (mount.mountFlags != 0) text += `, flags: 0x${mount.mountFlags.toString(16)}`;
  if (mount.data.length > 0) text += `, data: ${withoutPassword(mount.data)}`;
  return `${text}: ${why}`;
}

function withoutPassword(data: string): string {
  const options = data.split(",");
  for (let i = 0; i < options.length; i++) if (options[i].startsWith(PASSWORD)) options[i] = `${PASSWORD}********`;
  return options.join(",");
}

export function placeInVolumeText(place: PlaceInVolume): string {
  return `cannot access path ${place.path} of volume ${place.volume}: ${errnoText(place.error)}`;
}

export function unsharedText(mount: UnsharedMount): string {
  const wanted = mount.receives ? "shared or slave mount" : "shared mount";
  return `path ${mount.path} is mounted on ${mount.point} but it is not a ${wanted}`;
}
