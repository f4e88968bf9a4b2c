// A volume: a directory that outlives containers, and its record.

import { VolumeMount } from "../../../build/bindings/types";
import { Call } from "../call";
import { Container } from "../container/container";
import { Json } from "../json/json";
import { FieldReader } from "../records/field-reader";
import { FieldWriter } from "../records/field-writer";
import { Fields } from "../records/fields";
import { volumeNameProblem } from "./name";

/** Initial buffer size for a record. */
const RECORD_BYTES: i32 = 512;

/** All volumes have the driver `local`. */
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
  /** The client gave an object of labels, though perhaps an empty one. */
  labelled: bool = false;
  /** Options of the driver, in the order of their names. */
  optionKeys: string[] = [];
  optionValues: string[] = [];
  /** The client gave an object of options, though perhaps an empty one. */
  optioned: bool = false;
  /** A file system may be mounted on it. */
  mounted: bool = false;
  /** The volume's files are being removed. Nothing can use it any more. */
  removing: bool = false;
  /** Number of clients' requests for which the host is making it. */
  making: i32 = 0;
  /** It was added for a client's request, and no client has been told about it yet. */
  untold: bool = false;
  /** Requests that wait until the volume is made or removed. */
  queue: Call[] = [];

  constructor(
    readonly name: string,
    /** Nanoseconds since 1970. */
    readonly created: i64,
    /** It has no name from a client. */
    readonly anonymous: bool,
  ) {}

  /** Nobody has been told about it, or a container is being created with it: its files may not be there yet. */
  get isBeingMade(): bool {
    return this.untold || this.makings.length > 0;
  }

  /** It is being made for a client, or removed. */
  get isChanging(): bool {
    return this.removing || this.making > 0;
  }

  /** `labels`: an object whose values are strings, or null. */
  label(labels: Json | null): void {
    if (labels === null || labels.isNull) return;
    this.labelled = true;
    labels.takeTexts(this.labelKeys, this.labelValues);
  }

  /** `options`: an object whose values are valid options, or null. */
  takeOptions(options: Json | null): void {
    if (options === null || options.isNull) return;
    this.optioned = true;
    this.optionKeys = options.keys.slice(0).sort();
    for (let i = 0; i < this.optionKeys.length; i++) this.optionValues.push(options.stringOf(this.optionKeys[i]));
  }

  get hasOptions(): bool {
    return this.optionKeys.length > 0;
  }

  /** The file system that the volume's users see; null if it is just a directory of the machine's disk. */
  get mount(): VolumeMount | null {
    const device = this.option("device");
    const type = this.option("type");
    if (device.length == 0 && type.length == 0) return null;
    return new VolumeMount(this.name, type, device, this.option("o"));
  }

  /** The last of the mount's options that say so decides. */
  get readOnly(): bool {
    const words = this.option("o").split(",");
    return words.lastIndexOf("ro") > words.lastIndexOf("rw");
  }

  /** Empty if it was not given. */
  private option(key: string): string {
    const at = this.optionKeys.indexOf(key);
    return at < 0 ? "" : this.optionValues[at];
  }

  record(): Uint8Array {
    const fields = new FieldWriter(RECORD_BYTES);
    volumeFields(fields, this);
    return fields.take();
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
  volume.labelled = fields.optionalBool("labelled", volume.labelled);
  volume.optioned = fields.has("options", volume.optioned);
  if (volume.optioned) fields.textMap("options", volume.optionKeys, volume.optionValues);
  volume.removing = fields.optionalBool("removing", volume.removing);
  return volume;
}

/** Reads the volume `name`; sets a problem if the record is invalid. */
export function readVolume(fields: FieldReader, name: string): Volume {
  const volume = volumeFields(fields, null);
  // What an earlier engine has mounted is unmounted unless somebody needs it.
  volume.mounted = volume.mount !== null;
  fields.refuse(volume.name == name ? volumeNameProblem(name) : "it is another volume's");
  return volume;
}
