// The lines of a Dockerfile that an error is about (moby/buildkit, solver/errdefs).

import { Json } from "../../json/json";
import { encodeBase64 } from "../../text/base64";
import { encodeUtf8 } from "../../text/utf8";

const SOURCE_ERROR = "github.com/moby/buildkit/errdefs.Source+json";

/** The lines of the Dockerfile, which clients show below the error. */
export function sourceDetail(filename: string, dockerfile: string, line: i32, endLine: i32): Json {
  const info = Json.object();
  info.set("filename", Json.string(filename));
  info.set("data", Json.string(encodeBase64(encodeUtf8(dockerfile))));
  const range = Json.object();
  range.set("start", position(line));
  range.set("end", position(endLine));
  const ranges = Json.array();
  ranges.push(range);
  const value = Json.object();
  value.set("info", info);
  value.set("ranges", ranges);
  const detail = Json.object();
  detail.set("type", Json.string(SOURCE_ERROR));
  detail.set("value", value);
  return detail;
}

function position(line: i32): Json {
  const place = Json.object();
  place.set("line", Json.i64(line));
  return place;
}
