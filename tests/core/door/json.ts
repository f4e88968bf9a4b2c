// The JSON library's exports, for doors.

export { Json, JsonKind } from "../../../core/assembly/json/json";
export { jsonError, jsonErrorOffset, parseJson } from "../../../core/assembly/json/reader";
export { JsonWriter, jsonBytes } from "../../../core/assembly/json/writer";
