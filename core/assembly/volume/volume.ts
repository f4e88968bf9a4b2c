// A volume: a directory that outlives containers, and its record.

import { Container } from "../container/container";
import { Json } from "../json/json";
import { JsonWriter } from "../json/writer";
import { Shape } from "../records/shape";
import { volumeNameProblem } from "./name";

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
