// What a client gets that asks about a Dockerfile without building it (moby/buildkit, frontend/subrequests): documents by
// their names.

import { Json } from "../../json/json";
import { JsonWriter } from "../../json/writer";
import { decodeUtf8, encodeUtf8 } from "../../text/utf8";
import { encodeBase64 } from "../../text/base64";
import { MOST_LINES } from "../lint/findings";
import { indented } from "./indented";

/** Of all answers. */
const VERSION = "1.0.0";

export class Answer {
  readonly documents: Map<string, string> = new Map<string, string>();

  /** `text`: for people. */
  constructor(document: Json, text: string) {
    const json = new JsonWriter(true).json(document);
    this.documents.set("result.json", indented(decodeUtf8(json.finish())));
    this.documents.set("result.txt", text);
    this.documents.set("version", VERSION);
  }
}

/** `pb.Location` (moby/buildkit, solver/pb): a range for each line; of many lines only the first. */
export function locationOf(line: i32, endLine: i32): Json {
  const ranges = Json.array();
  for (let i = line; i <= min(max(line, endLine), line + MOST_LINES - 1); i++) {
    const range = Json.object();
    range.set("start", position(i));
    range.set("end", position(i));
    ranges.push(range);
  }
  const location = Json.object();
  location.set("ranges", ranges);
  return location;
}

function position(line: i32): Json {
  const place = Json.object();
  place.set("line", Json.i64(line));
  return place;
}

/** The Dockerfile in a list of sources. */
export function sourcesOf(dockerfile: string): Json {
  return Json.strings([encodeBase64(encodeUtf8(dockerfile))]);
}
