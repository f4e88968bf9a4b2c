// What is recorded of an image. A config's bytes are a record of their own, under the image's id.

import { FieldReader } from "../records/field-reader";
import { FieldWriter } from "../records/field-writer";
import { Fields } from "../records/fields";
import { NO_TIME } from "../text/time";

/** Room for a record. */
const RECORD_BYTES: i32 = 256;

/** What is known of an image besides its config. */
export class ImageRecord {
  /** Id of the image it was made from, or empty. */
  parent: string = "";
  /** When it last got a tag by hand; `NO_TIME` for never. */
  lastTagged: i64 = NO_TIME;
}

function imageFields(fields: Fields, record: ImageRecord): ImageRecord {
  record.parent = fields.optionalText("parent", record.parent);
  record.lastTagged = fields.optionalTime("lastTagged", record.lastTagged);
  return record;
}

export function writeImageRecord(record: ImageRecord): Uint8Array {
  const fields = new FieldWriter(RECORD_BYTES);
  imageFields(fields, record);
  return fields.take();
}

/** What it says, unless it has a problem. */
export function readImageRecord(fields: FieldReader): ImageRecord {
  return imageFields(fields, new ImageRecord());
}
