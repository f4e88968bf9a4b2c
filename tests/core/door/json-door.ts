// Door to core/assembly/json.

import { asI64, asU64, isI64, isU64 } from "../../../core/assembly/json/json";
import { Members } from "../../../core/assembly/json/members";
import { answer, answerBytes, given } from "./exchange";
import { Json, JsonWriter, jsonBytes, jsonError, jsonErrorOffset, parseJson } from "./json";

export { allocate, collect, outputLength, outputStart } from "./exchange";

/** Bytes → the same document rewritten, or `{"error", "offset"}`. */
export function roundTrip(): void {
  const value = parseJson(given());
  if (value !== null) return answerBytes(jsonBytes(value));
  const failure = Json.object();
  failure.set("error", Json.string(jsonError()));
  failure.set("offset", Json.i64(jsonErrorOffset()));
  answer(failure);
}

/** `{"key": …, "object": …}` → `[find, entry]`. */
export function find(): void {
  const value = parseJson(given());
  const found = Json.array();
  if (value !== null) {
    const object = value.entry("object");
    const key = value.stringOf("key");
    if (object !== null) {
      const first = object.find(key);
      const second = object.entry(key);
      found.push(first === null ? Json.string("nothing") : first);
      found.push(second === null ? Json.string("nothing") : second);
    }
  }
  answer(found);
}

/**
 * `{"names": [..], "object": …}` → the value of each name, taken from the object's bytes; "nothing" if there is none.
 */
export function members(): void {
  const value = parseJson(given());
  const found = Json.array();
  if (value !== null) {
    const members = new Members(jsonBytes(value.entry("object")!));
    const names = value.stringsOf("names");
    for (let i = 0; i < names.length; i++) {
      const tree = members.tree(names[i]);
      found.push(tree === null ? Json.string("nothing") : tree);
    }
  }
  answer(found);
}

/** Bytes that need not be JSON → the object of the members that are found under the names a, b and c. */
export function copiedMembers(): void {
  const members = new Members(given());
  const writer = new JsonWriter();
  writer.beginObject();
  for (let i = 0; i < 3; i++) {
    const name = String.fromCharCode(0x61 + i);
    const place = members.find(name);
    if (place >= 0) members.copy(writer, place);
  }
  members.flush(writer);
  writer.endObject();
  answerBytes(writer.finish());
}

/** A list of values → for each `[isI64, value, isU64, value]`, values as texts. */
export function integers(): void {
  const list = parseJson(given());
  const result = Json.array();
  if (list !== null) {
    for (let i = 0; i < list.items.length; i++) {
      const item = list.items[i];
      const row = Json.array();
      row.push(Json.bool(isI64(item)));
      row.push(Json.string(asI64(item).toString()));
      row.push(Json.bool(isU64(item)));
      row.push(Json.string(asU64(item).toString()));
      result.push(row);
    }
  }
  answer(result);
}

/** One of everything that the writer supports. */
export function written(): void {
  const writer = new JsonWriter(false, 1);
  writer.beginObject();
  writer.stringField("s", "a<b>&\u2028").i64Field("min", i64.MIN_VALUE).boolField("t", true).nullField("n");
  writer.key("max").u64(u64.MAX_VALUE);
  writer.key("f").f64(1.5).key("whole").f64(3).key("none").f64(NaN);
  writer.stringArrayField("list", ["x", "y"]);
  writer.rawField("raw", Uint8Array.wrap(String.UTF8.encode("[1]")));
  writer.key("o").beginObject().endObject().key("a").beginArray().beginArray().endArray().i64(-7).endArray();
  answerBytes(writer.endObject().finish());
}

/** A list → each item on a line, with HTML characters escaped. */
export function lines(): void {
  const list = parseJson(given());
  const writer = new JsonWriter(true);
  if (list !== null) {
    for (let i = 0; i < list.items.length; i++) writer.json(list.items[i]).line("\r\n");
  }
  answerBytes(writer.finish());
}

/** Unpaired surrogates, which only the core itself could make. */
export function surrogates(): void {
  const writer = new JsonWriter();
  writer
    .beginArray()
    .string(String.fromCharCode(0xd800))
    .string(String.fromCharCode(0xdc00) + "x")
    .endArray();
  answerBytes(writer.finish());
}
