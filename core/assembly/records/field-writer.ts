// Writes a record as a JSON object, with fields in the order of the list.

import { JsonWriter } from "../json/writer";
import { Fields } from "./fields";

export class FieldWriter extends Fields {
  private readonly json: JsonWriter;

  /** `capacity`: bytes that are usually enough. */
  constructor(capacity: i32) {
    super();
    this.json = new JsonWriter(false, capacity);
    this.json.beginObject();
  }

  /** The record; nothing may be written afterwards. */
  take(): Uint8Array {
    this.json.endObject();
    return this.json.take();
  }

  has(_name: string, there: bool): bool {
    return there;
  }

  text(name: string, value: string): string {
    this.json.stringField(name, value);
    return value;
  }

  bool(name: string, value: bool): bool {
    this.json.boolField(name, value);
    return value;
  }

  number(name: string, value: i64): i64 {
    this.json.i64Field(name, value);
    return value;
  }

  within(name: string, value: i64, _least: i64, _most: i64): i64 {
    this.json.i64Field(name, value);
    return value;
  }

  texts(name: string, values: string[]): string[] {
    this.json.stringArrayField(name, values);
    return values;
  }

  textMap(name: string, keys: string[], values: string[]): void {
    this.json.key(name).textMap(keys, values);
  }

  document(name: string, json: Uint8Array): Uint8Array {
    this.json.rawField(name, json);
    return json;
  }

  beginPart(name: string): void {
    this.json.key(name).beginObject();
  }

  beginList(name: string): void {
    this.json.key(name).beginArray();
  }

  beginItem(at: i32, length: i32): bool {
    if (at >= length) return false;
    this.json.beginObject();
    return true;
  }

  end(): void {
    this.json.endObject();
  }

  endList(): void {
    this.json.endArray();
  }
}
