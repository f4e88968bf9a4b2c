// A volume: a directory that outlives containers, and its record.

import { Container } from "../container/container";
import { Json } from "../json/json";
import { JsonWriter } from "../json/writer";
import { FieldReader } from "../records/field-reader";
import { FieldWriter } from "../records/field-writer";
import { Fields } from "../records/fields";
import { volumeNameProblem } from "./name";

/** Initial buffer size for a record. */
const RECORD_BYTES: i32 = 512;

/** All volumes have the driver `local`, without options. */
export class Volume {
  /** Size of its files in bytes, as last counted; negative if unknown. */
  size: i64 = -1;
  /** Whether `size` was counted and the files have not changed since. Records store no other size. */
  counted: bool = false;
  /** The record has another size, and no client has been told of the new one. */
  behind: bool = false;
  /** The volume waits to be counted. */
  toCount: bool = false;
  /** Containers that are being created with it. */
  makings: Container[] = [];
  /** The container that the volume was added for or passed on to: see `untold.ts`. Null once a client has been told. */
  owner: Container | null = null;
  labelKeys: string[] = [];
  labelValues: string[] = [];

  constructor(
    readonly name: string,
    /** Nanoseconds since 1970. */
    readonly created: i64,
    /** It has no name from a client. */
    readonly anonymous: bool,
  ) {}

  /** `labels`: an object whose values are strings, or null. */
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
  // Records of volumes that wait to be counted have no size.
  volume.counted = fields.has("size", volume.counted);
  if (volume.counted) volume.size = fields.within("size", volume.size, 0, i64.MAX_VALUE);
  fields.textMap("labels", volume.labelKeys, volume.labelValues);
  return volume;
}

/** Reads the volume `name`; sets a problem if the record is invalid. */
export function readVolume(fields: FieldReader, name: string): Volume {
  const volume = volumeFields(fields, null);
  fields.refuse(volume.name == name ? volumeNameProblem(name) : "it is another volume's");
  return volume;
}
