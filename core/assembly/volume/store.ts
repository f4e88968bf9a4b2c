// All volumes: those that clients made, and those that containers needed.

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

  /** Adds a new volume. Its record is written before the host is asked to make it. */
  add(volume: Volume): void {
    volume.size = 0;
    this.restore(volume);
    this.put(volume);
  }

  /** Adds a volume whose files exist, but of which only the name is known. */
  adopt(name: string): void {
    // Generated names are ids.
    const volume = new Volume(name, engine.now.wall, isFullId(name) && isAnonymous(name));
    // Its options are lost.
    volume.mounted = true;
    this.restore(volume);
    this.put(volume);
  }

  /**
   * Stores a counted size. While the volume is in use, the record is written later, when
   * a client is told. If the files changed while they were counted, they are counted
   * again. Until then the record has no size, so that the next engine counts them, too.
   */
  keepSize(volume: Volume, bytes: i64): void {
    if (!volume.counted && (volume.toCount || isBeingFilled(volume.name))) {
      volume.size = bytes;
      return;
    }
    if (!volume.counted || volume.size != bytes) volume.behind = true;
    volume.size = bytes;
    volume.counted = true;
    // This may be the last sample of the run, which the record does not have.
    if (!isInRun(volume.name)) this.catchUp(volume);
  }

  /** Counting failed. A volume in use will be counted again anyway. */
  missSize(name: string): void {
    if (!isInRun(name)) this.outdate(name);
  }

  /** The volume's files have changed and have to be counted. If the engine ends first, the next one counts them. */
  outdate(name: string): void {
    const volume = this.find(name);
    if (volume === null || !volume.counted) return;
    volume.counted = false;
    volume.behind = true;
    this.catchUp(volume);
  }

  /** A client gets all sizes in this step. */
  tell(): void {
    const volumes = this.all();
    for (let i = 0; i < volumes.length; i++) this.catchUp(volumes[i]);
  }

  /** Whether the volume is being removed. */
  mark(volume: Volume, removing: bool): void {
    volume.removing = removing;
    this.put(volume);
  }

  restore(volume: Volume): void {
    this.byName.set(volume.name, volume);
  }

  find(name: string): Volume | null {
    return this.byName.has(name) ? this.byName.get(name) : null;
  }

  /** One of these volumes that is being removed; null if there is none. */
  removedOf(names: string[]): Volume | null {
    for (let i = 0; i < names.length; i++) {
      const volume = this.find(names[i]);
      if (volume !== null && volume.removing) return volume;
    }
    return null;
  }

  /** Also forgets a damaged record of it. False if there is no such volume. */
  remove(name: string): bool {
    const known = this.byName.delete(name);
    if (!known) return false;
    deleteRecord(VOLUME_RECORDS + name);
    setAside.forget(VOLUME_RECORDS + name);
    return true;
  }

  all(): Volume[] {
    return this.byName.values();
  }

  /** Writes all records again. */
  putAll(): void {
    const volumes = this.all();
    for (let i = 0; i < volumes.length; i++) this.put(volumes[i]);
  }

  /** A new size alone does not replace a damaged record: see `SetAside.replaced`. */
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
