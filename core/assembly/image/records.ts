// The record of an image. The bytes of its config are a separate record, under the image's id.

import { FieldReader } from "../records/field-reader";
import { FieldWriter } from "../records/field-writer";
import { Fields } from "../records/fields";
import { NO_TIME } from "../text/time";

/** Initial buffer size for a record. */
const RECORD_BYTES: i32 = 256;

/** The stored fields of an image besides its config. */
export class ImageRecord {
  /** Id of the parent image, or empty. */
  parent: string = "";
  /** When a client last tagged it; `NO_TIME` for never. */
  lastTagged: i64 = NO_TIME;
  /** A step of a build made it here: only such images are the cache of builds. */
  built: bool = false;
  /** Nobody has asked for it by a name or as a result: a step of a build by BuildKit, which is only the builder's cache. */
  onlyCache: bool = false;
  /** As the builder's cache: when a build last found it; `NO_TIME`: none has since it was made. */
  lastUsed: i64 = NO_TIME;
  /** How many builds have found it. */
  uses: i64 = 0;
  /** Repositories, by their full names, that it was pulled from or pushed to. */
  repositories: string[] = [];
}

function imageFields(fields: Fields, record: ImageRecord): ImageRecord {
  record.parent = fields.optionalText("parent", record.parent);
  record.lastTagged = fields.optionalTime("lastTagged", record.lastTagged);
  record.built = fields.optionalBool("built", record.built);
  record.onlyCache = fields.optionalBool("onlyCache", record.onlyCache);
  record.lastUsed = fields.optionalTime("lastUsed", record.lastUsed);
  record.uses = fields.optionalWithin("uses", record.uses, 0, 0, i64.MAX_VALUE);
  record.repositories = fields.optionalTexts("repositories", record.repositories);
  return record;
}

export function writeImageRecord(record: ImageRecord): Uint8Array {
  const fields = new FieldWriter(RECORD_BYTES);
  imageFields(fields, record);
  return fields.take();
}

/** Reads the record; sets a problem if it is invalid. */
export function readImageRecord(fields: FieldReader): ImageRecord {
  return imageFields(fields, new ImageRecord());
}
