// Volumes. So far only anonymous ones, that containers bring along.

import { deleteRecord, putRecord } from "../ask";
import { JsonWriter } from "../json/writer";

export class Volume {
  constructor(
    readonly name: string,
    readonly created: i64,
  ) {}
}

export class VolumeStore {
  private readonly byName: Map<string, Volume> = new Map<string, Volume>();

  /** A new volume; its record is put before the host is asked to make it. */
  add(volume: Volume): void {
    this.restore(volume);
    const json = new JsonWriter();
    json.beginObject();
    json.stringField("name", volume.name);
    json.i64Field("created", volume.created);
    json.endObject();
    putRecord(`volume/${volume.name}`, json.finish());
  }

  restore(volume: Volume): void {
    this.byName.set(volume.name, volume);
  }

  find(name: string): Volume | null {
    return this.byName.has(name) ? this.byName.get(name) : null;
  }

  remove(name: string): void {
    if (this.byName.delete(name)) deleteRecord(`volume/${name}`);
  }

  all(): Volume[] {
    return this.byName.values();
  }
}
