// Messages for mounts that cannot be made.

import { PlaceInVolume, UnsharedMount } from "../../../build/bindings/types";
import { errnoText } from "./call";

export function placeInVolumeText(place: PlaceInVolume): string {
  return `cannot access path ${place.path} of volume ${place.volume}: ${errnoText(place.error)}`;
}

export function unsharedText(mount: UnsharedMount): string {
  const wanted = mount.receives ? "shared or slave mount" : "shared mount";
  return `path ${mount.path} is mounted on ${mount.point} but it is not a ${wanted}`;
}
