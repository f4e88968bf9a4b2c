// Messages for mounts that cannot be made.

import { PlaceInVolume, RefusedMount, UnsharedMount } from "../../../build/bindings/types";
import { errnoText } from "./call";

/** The secrets among a network file system's options (mount.cifs(8)). */
const PASSWORDS: string[] = ["password=", "password2=", "pass=", "passwd="];
const HIDDEN: string = "********";

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
  const shown: string[] = [];
  for (let i = 0; i < options.length; i++) {
    const key = passwordKey(options[i]);
    shown.push(key.length > 0 ? key + HIDDEN : options[i]);
    // Two commas stand for one in the password.
    while (key.length > 0 && i + 2 < options.length && options[i + 1].length == 0) i += 2;
  }
  return shown.join(",");
}

/** `password=`; empty for an option that is no password. */
function passwordKey(option: string): string {
  for (let i = 0; i < PASSWORDS.length; i++) if (option.startsWith(PASSWORDS[i])) return PASSWORDS[i];
  return "";
}

export function placeInVolumeText(place: PlaceInVolume): string {
  return `cannot access path ${place.path} of ${ownerText(place.volume)}: ${errnoText(place.error)}`;
}

/** No volume's name has a colon. */
function ownerText(volume: string): string {
  if (volume.startsWith("chain:")) return "the image that is mounted";
  return volume.startsWith("files:") ? "the files that are mounted" : `volume ${volume}`;
}

export function unsharedText(mount: UnsharedMount): string {
  const wanted = mount.receives ? "shared or slave mount" : "shared mount";
  return `path ${mount.path} is mounted on ${mount.point} but it is not a ${wanted}`;
}
