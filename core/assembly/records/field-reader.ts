// Reads a record and checks it: fields must exist and have the right
// type and range. A damaged record must not be used; it is set aside.

import { asI64, isI64, Json, JsonKind } from "../json/json";
import { jsonBytes } from "../json/writer";
import { Fields } from "./fields";

export class FieldReader extends Fields {
  /** The first problem found; empty if there is none. */
  problem: string = "";
  /**
   * The object whose fields are being read, or the list whose items are. `around` has the objects and lists around it.
   */
  private at: Json;
  private readonly around: Json[] = [];
  /** Names of the enclosing parts and lists. */
  private readonly names: string[] = [];

  constructor(json: Json) {
    super();
    this.at = json;
    if (!json.isObject) this.problem = "it is not an object";
  }

  /** Reports another problem. */
  refuse(problem: string): void {
    if (this.problem.length == 0) this.problem = problem;
  }

  has(name: string, _there: bool): bool {
    return this.at.entry(name) !== null;
  }

  text(name: string, value: string): string {
    const found = this.find(name);
    if (found === null) return value;
    if (!found.isString) this.wrong(name, "it is not a string");
    return found.text;
  }

  bool(name: string, value: bool): bool {
    const found = this.find(name);
    if (found === null) return value;
    if (found.kind != JsonKind.Bool) this.wrong(name, "it is neither true nor false");
    return found.bool;
  }

  number(name: string, value: i64): i64 {
    return this.within(name, value, i64.MIN_VALUE, i64.MAX_VALUE);
  }

  within(name: string, value: i64, least: i64, most: i64): i64 {
    const found = this.find(name);
    if (found === null) return value;
    if (!isI64(found)) {
      this.wrong(name, "it is not an integer");
      return value;
    }
    const number = asI64(found);
    if (number < least || number > most) this.wrong(name, `${found.text} is out of range`);
    return number;
  }

  texts(name: string, values: string[]): string[] {
    const found = this.find(name);
    if (found === null) return values;
    if (!found.isArray || !areTexts(found)) this.wrong(name, "it is not a list of strings");
    return found.strings();
  }

  textMap(name: string, keys: string[], values: string[]): void {
    const found = this.find(name);
    if (found === null) return;
    if (!found.isObject || !areTexts(found)) return this.wrong(name, "it is not an object of strings");
    found.takeTexts(keys, values);
  }

  document(name: string, json: Uint8Array): Uint8Array {
    const found = this.find(name);
    if (found === null) return json;
    if (!found.isObject) this.wrong(name, "it is not an object");
    return jsonBytes(found);
  }

  beginPart(name: string): void {
    const found = this.find(name);
    this.enter(name, found === null ? Json.null() : found);
    if (found !== null) this.expectObject();
  }

  beginList(name: string): void {
    const found = this.find(name);
    if (found !== null && !found.isArray) this.wrong(name, "it is not a list");
    this.enter(name, found !== null && found.isArray ? found : Json.array());
  }

  beginItem(at: i32, _length: i32): bool {
    if (at >= this.at.length) return false;
    this.around.push(this.at);
    this.at = this.at.items[at];
    this.expectObject();
    return true;
  }

  end(): void {
    this.at = this.around.pop();
    // List items have no names.
    if (!this.at.isArray) this.names.pop();
  }

  endList(): void {
    this.at = this.around.pop();
    this.names.pop();
  }

  private enter(name: string, json: Json): void {
    this.names.push(name);
    this.around.push(this.at);
    this.at = json;
  }

  private expectObject(): void {
    if (!this.at.isObject) this.refuse(`${this.names.join(": ")}: it is not an object`);
  }

  private find(name: string): Json | null {
    const found = this.at.entry(name);
    if (found === null && this.problem.length == 0) this.problem = `${this.path()}${name} is missing`;
    return found;
  }

  private wrong(name: string, problem: string): void {
    if (this.problem.length == 0) this.problem = `${this.path()}${name}: ${problem}`;
  }

  /** Prefix of problems inside parts: `mounts: `. */
  private path(): string {
    return this.names.length > 0 ? `${this.names.join(": ")}: ` : "";
  }
}

function areTexts(value: Json): bool {
  for (let i = 0; i < value.items.length; i++) if (!value.items[i].isString) return false;
  return true;
}
