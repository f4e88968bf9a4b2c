// Volumes: directories that outlive containers, made on demand by what containers mount.

import { deleteRecord, putRecord } from "../ask";
import { Container } from "../container/container";
import { Json } from "../json/json";
import { JsonWriter } from "../json/writer";
import { Shape } from "../records/shape";
import { engine } from "../state";
import { isFullId } from "../text/hex";
import { volumeNameProblem } from "./name";
import { isAnonymous, isBeingFilled, isInRun } from "./use";

/** All are of the driver `local`, which has no options here. */
export class Volume {
  /** Bytes of its files, as they were counted last; less than 0 if that is not known. */
  size: i64 = -1;
  /** `size` was counted, and nothing has outdated it since: records keep no other. */
  counted: bool = false;
  /** Its record has another size, which no client has been told of. */
  behind: bool = false;
  /** Its files wait to be counted. */
  toCount: bool = false;
  /** Containers that are being made with it. */
  makings: Container[] = [];
  /** The container that it was added for, or the one that this was passed on to: see `untold`. Null once it is told. */
  owner: Container | null = null;
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
    if (this.counted) json.i64Field("size", this.size);
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
/** Those that wait to be counted have none. */
const SIZE: Shape = new Shape(true).number("size", 0, i64.MAX_VALUE);

/** Why a document is no record of the volume `name`; empty if it is one. */
export function volumeProblem(json: Json, name: string): string {
  let problem = SHAPE.problem(json);
  if (problem.length == 0) problem = SIZE.problem(json);
  if (problem.length > 0) return problem;
  if (json.stringOf("name") != name) return "it is another volume's";
  return volumeNameProblem(name);
}

/** Of a document for which `volumeProblem` finds none. */
export function readVolume(json: Json): Volume {
  const volume = new Volume(json.stringOf("name"), json.i64Of("created"), !json.boolOf("named"));
  volume.label(json.find("labels"));
  volume.counted = json.find("size") !== null;
  if (volume.counted) volume.size = json.i64Of("size");
  return volume;
}

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
    if (known) deleteRecord(`volume/${name}`);
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
    if (!volume.behind || engine.setAside.has(`volume/${volume.name}`)) return;
    volume.behind = false;
    this.put(volume);
  }

  private put(volume: Volume): void {
    putRecord(`volume/${volume.name}`, volume.record());
  }
}
