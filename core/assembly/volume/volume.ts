// A volume: a directory that outlives containers, and its record.

import { Container } from "../container/container";
import { Json } from "../json/json";
import { JsonWriter } from "../json/writer";
import { FieldReader } from "../records/field-reader";
import { FieldWriter } from "../records/field-writer";
import { Fields } from "../records/fields";
import { volumeNameProblem } from "./name";

/** Room for a record. */
const RECORD_BYTES: i32 = 512;

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
    const fields = new FieldWriter(RECORD_BYTES);
    volumeFields(fields, this);
    return fields.take();
  }

  writeLabels(json: JsonWriter): void {
    json.beginObject();
    for (let i = 0; i < this.labelKeys.length; i++) json.stringField(this.labelKeys[i], this.labelValues[i]);
    json.endObject();
  }
}

function volumeFields(fields: Fields, given: Volume | null): Volume {
  const name = fields.text("name", given === null ? "" : given.name);
  const created = fields.number("created", given === null ? 0 : given.created);
  const named = fields.bool("named", given !== null && !given.anonymous);
  const volume = given === null ? new Volume(name, created, !named) : given;
  // Those that wait to be counted have none.
  volume.counted = fields.has("size", volume.counted);
  if (volume.counted) volume.size = fields.within("size", volume.size, 0, i64.MAX_VALUE);
  fields.textMap("labels", volume.labelKeys, volume.labelValues);
  return volume;
}

/** The volume `name`, unless the record has a problem. */
export function readVolume(fields: FieldReader, name: string): Volume {
  const volume = volumeFields(fields, null);
  fields.refuse(volume.name == name ? volumeNameProblem(name) : "it is another volume's");
  return volume;
}
