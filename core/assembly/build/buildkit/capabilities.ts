// What clients may ask of the frontend and in definitions (moby/buildkit, frontend/gateway/pb/caps.go). A client leaves out
// what is not in the list, or refuses it with its own words.

import { JsonWriter } from "../../json/writer";

const OF_FRONTEND: string[] = [
  "frontend.caps",
  "frontend.inputs",
  "gateway.solve.evaluate",
  "gateway.solve.metadata",
  "importcaches",
  "proto.refarray",
  "readdir",
  "readfile",
  "reference.output",
  "resolveimage",
  "resolveimage.resolvemode",
  "return",
  "returnmap",
  "solve.base",
  "statfile",
];

export function writeCapabilities(json: JsonWriter): void {
  json.key("FrontendAPICaps").beginArray();
  for (let i = 0; i < OF_FRONTEND.length; i++) {
    json.beginObject().stringField("ID", OF_FRONTEND[i]).boolField("Enabled", true).endObject();
  }
  json.endArray();
}
