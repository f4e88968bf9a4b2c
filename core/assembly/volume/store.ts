// All volumes, made on demand by what containers mount.

import { deleteRecord } from "../ask";
import { VOLUME_RECORDS } from "../records/kinds";
import { putRecord } from "../records/put";
import { setAside } from "../records/set-aside";
import { engine } from "../state";
import { isFullId } from "../text/hex";
import { isAnonymous, isBeingFilled, isInRun } from "./use";
import { Volume } from "./volume";

export class VolumeStore {
  private readonly byName: Map<string, Volume> = new Map<string, Volume>();

  /** A new volume; its record is put before the host is asked to make it. */
  add(volume: Volume): void {
    volume.size = 0;
    this.restore(volume);
    this.put(volume);
  }

  /** One whose files are there, though nothing is known of it but its name. */
  adopt(name: string): void {
    // Names that the engine gives are ids.
    const volume = new Volume(name, engine.now.wall, isFullId(name) && isAnonymous(name));
    this.restore(volume);
    this.put(volume);
  }

  /**
   * Its files have been counted. Of a volume that is being written to the record waits until somebody is told. What was
   * outdated meanwhile is counted once more: until then no record has the figure, which an engine that ends would leave.
   */
  keepSize(volume: Volume, bytes: i64): void {
    if (!volume.counted && (volume.toCount || isBeingFilled(volume.name))) {
      volume.size = bytes;
      return;
    }
    if (!volume.counted || volume.size != bytes) volume.behind = true;
    volume.size = bytes;
    volume.counted = true;
    // That may be the last sample of the run, which the record does not have.
    if (!isInRun(volume.name)) this.catchUp(volume);
  }

  /** Its files could not be counted. Those of one that is being written to are so again by themselves. */
  missSize(name: string): void {
    if (!isInRun(name)) this.outdate(name);
  }

  /** Its files have changed for the last time for now. An engine that ends first leaves their count to the next one. */
  outdate(name: string): void {
    const volume = this.find(name);
    if (volume === null || !volume.counted) return;
    volume.counted = false;
    volume.behind = true;
    this.catchUp(volume);
  }

  /** A client is told all sizes in this step. */
  tell(): void {
    const volumes = this.all();
    for (let i = 0; i < volumes.length; i++) this.catchUp(volumes[i]);
  }

  restore(volume: Volume): void {
    this.byName.set(volume.name, volume);
  }

  find(name: string): Volume | null {
    return this.byName.has(name) ? this.byName.get(name) : null;
  }

  /** False if there is none. */
  remove(name: string): bool {
    const known = this.byName.delete(name);
    if (known) deleteRecord(VOLUME_RECORDS + name);
    return known;
  }

  all(): Volume[] {
    return this.byName.values();
  }

  /** Puts all records anew. */
  putAll(): void {
    const volumes = this.all();
    for (let i = 0; i < volumes.length; i++) this.put(volumes[i]);
  }

  /** The damaged record that it has another one for is not forgotten for a figure: see `SetAside.replaced`. */
  private catchUp(volume: Volume): void {
    if (!volume.behind || setAside.has(VOLUME_RECORDS + volume.name)) return;
    volume.behind = false;
    this.put(volume);
  }

  private put(volume: Volume): void {
    putRecord(VOLUME_RECORDS + volume.name, volume.record());
  }
}

export const volumeStore: VolumeStore = new VolumeStore();
