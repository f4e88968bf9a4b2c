// The error that ends a log stream when the log cannot be read any further (surface §2.7).

import { Failure, LogForm } from "../../../build/bindings/types";
import { FAILURE, frameOf } from "../frame";
import { JsonWriter } from "../json/writer";
import { line, textBody } from "../reply";
import { failureText } from "./text";

/** RFC 7464: the byte that begins each text of a sequence. */
const SEPARATOR = "\u001e";
/** The time for entries without one. */
const NO_TIME = "0001-01-01T00:00:00Z";

/** The last piece of the log, in the same form as the lines before. */
export function brokenLog(form: LogForm, failure: Failure): Uint8Array {
  const why = failureText(failure);
  if (form.objects) return lastObject(form.separated, why);
  const words = textBody(`Error grabbing logs: ${why}\n`);
  return form.framed ? frameOf(FAILURE, words) : words;
}

function lastObject(separated: bool, why: string): Uint8Array {
  const json = new JsonWriter(true);
  if (separated) json.literal(SEPARATOR);
  json.beginObject();
  json.key("Timestamp").string(NO_TIME);
  json.key("Error").string(why);
  return line(json.endObject());
}
