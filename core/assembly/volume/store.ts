// Volumes: directories that outlive containers, made on demand by what containers mount.

import { deleteRecord, putRecord } from "../ask";
import { Json } from "../json/json";
import { JsonWriter } from "../json/writer";
import { Shape } from "../records/shape";
import { engine } from "../state";
import { isFullId } from "../text/hex";
import { volumeNameProblem } from "./name";
import { isAnonymous } from "./use";

/** All are of the driver `local`, which has no options here. */
export class Volume {
  /** Bytes of its files, as they were counted last; less than 0 if they never were. */
  size: i64 = -1;
  labelKeys: string[] = [];
  labelValues: string[] = [];

  constructor(
    readonly name: string,
    /** Nanoseconds since 1970. */
    readonly created: i64,
    /** Nobody has named it. */
    readonly anonymous: bool,
  ) {}

  /** `labels`: an object of texts, or null. */
  label(labels: Json | null): void {
    if (labels === null) return;
    for (let i = 0; i < labels.keys.length; i++) {
      this.labelKeys.push(labels.keys[i]);
      this.labelValues.push(labels.items[i].text);
    }
  }

  record(): Uint8Array {
    const json = new JsonWriter();
    json.beginObject();
    json.stringField("name", this.name);
    json.i64Field("created", this.created);
    json.boolField("named", !this.anonymous);
    json.key("labels");
    this.writeLabels(json);
    json.endObject();
    return json.finish();
  }

  writeLabels(json: JsonWriter): void {
    json.beginObject();
    for (let i = 0; i < this.labelKeys.length; i++) json.stringField(this.labelKeys[i], this.labelValues[i]);
    json.endObject();
  }
}

const SHAPE: Shape = new Shape().texts("name").numbers("created").bools("named").textMap("labels");

/** Why a document is no record of the volume `name`; empty if it is one. */
export function volumeProblem(json: Json, name: string): string {
  const problem = SHAPE.problem(json);
  if (problem.length > 0) return problem;
  if (json.stringOf("name") != name) return "it is another volume's";
  return volumeNameProblem(name);
}

/** Of a document for which `volumeProblem` finds none. */
export function readVolume(json: Json): Volume {
  const volume = new Volume(json.stringOf("name"), json.i64Of("created"), !json.boolOf("named"));
  volume.label(json.find("labels"));
  return volume;
}

export class VolumeStore {
  private readonly byName: Map<string, Volume> = new Map<string, Volume>();

  /** A new volume; its record is put before the host is asked to make it. */
  add(volume: Volume): void {
    volume.size = 0;
    this.restore(volume);
    putRecord(`volume/${volume.name}`, volume.record());
  }

  /** One whose files are there, though nothing is known of it but its name. */
  adopt(name: string): void {
    // Names that the engine gives are ids.
    const volume = new Volume(name, engine.now.wall, isFullId(name) && isAnonymous(name));
    this.restore(volume);
    putRecord(`volume/${name}`, volume.record());
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
    if (known) deleteRecord(`volume/${name}`);
    return known;
  }

  all(): Volume[] {
    return this.byName.values();
  }

  /** Puts all records anew. */
  putAll(): void {
    const volumes = this.all();
    for (let i = 0; i < volumes.length; i++) putRecord(`volume/${volumes[i].name}`, volumes[i].record());
  }
}
