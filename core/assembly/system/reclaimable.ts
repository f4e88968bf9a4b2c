// Totals of images, containers and volumes, and how much of them is unused.

import { containerStore } from "../container/store";
import { Sharing } from "../image/shown/sharing";
import { imageStore } from "../image/store";
import { volumeStore } from "../volume/store";
import { usersByName } from "../volume/use";

export class Usage {
  count: i32 = 0;
  /** Number of objects in use. */
  active: i32 = 0;
  /** In bytes. */
  size: i64 = 0;
  /** Bytes of objects that are not in use. */
  reclaimable: i64 = 0;
}

/** Each layer that a client's image has counts once. Layers that an image in use shares with others count as reclaimable, as in Docker. */
export function imagesUsage(): Usage {
  const usage = new Usage();
  const sharing = new Sharing();
  usage.size = sharing.size;
  usage.reclaimable = usage.size;
  const images = imageStore.all();
  for (let i = 0; i < images.length; i++) {
    if (images[i].onlyCache) continue;
    usage.count += 1;
    if (imageStore.usedBy(images[i]).length == 0) continue;
    usage.active += 1;
    usage.reclaimable -= <i64>images[i].size - sharing.sharedSize(images[i]);
  }
  return usage;
}

export function containersUsage(): Usage {
  const usage = new Usage();
  const containers = containerStore.all();
  usage.count = containers.length;
  for (let i = 0; i < containers.length; i++) {
    const container = containers[i];
    usage.size += container.written;
    if (container.running || container.word == "restarting") usage.active += 1;
    else usage.reclaimable += container.written;
  }
  return usage;
}

/** A volume that was never counted has no size. */
export function volumesUsage(): Usage {
  const usage = new Usage();
  const volumes = volumeStore.all();
  const users = usersByName();
  for (let i = 0; i < volumes.length; i++) {
    if (volumes[i].hasOptions) continue;
    usage.count += 1;
    const size: i64 = max<i64>(volumes[i].size, 0);
    usage.size += size;
    if (users.has(volumes[i].name)) usage.active += 1;
    else usage.reclaimable += size;
  }
  return usage;
}
