// What who reads a log is told when it cannot be read any further (surface §2.7).

import { Failure, LogForm } from "../../../build/bindings/types";
import { FAILURE, frameOf } from "../frame";
import { JsonWriter } from "../json/writer";
import { line, textBody } from "../reply";
import { failureText } from "./text";

/** RFC 7464: what begins a text of a sequence. */
const SEPARATOR = "\u001e";
/** The time of what has none. */
const NO_TIME = "0001-01-01T00:00:00Z";

/** A last piece of it, as lines before have been sent. */
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
