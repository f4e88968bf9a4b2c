// An event, and its JSON (surface §2.11, §6.4).

import { JsonWriter } from "../json/writer";

/** What an attribute takes besides its texts. */
const ATTRIBUTE_BYTES: i32 = 64;

/** How the names of the engine's own attributes begin. */
const OWN = "coracle.";

export class Event {
  private readonly attributes: Map<string, string> = new Map<string, string>();
  /** Its line as it was last written, and for which version: all readers of one version get the same. */
  private written: Uint8Array | null = null;
  private writtenFor: i32 = 0;
  /** Its time in the journal: never before the event before it. */
  stamp: i64 = 0;
  /** Bytes that it takes here, about. */
  size: i32 = 0;

  constructor(
    readonly type: string,
    readonly action: string,
    /** The actor's id. */
    readonly id: string,
    /** Nanoseconds since 1970. */
    readonly at: i64,
  ) {}

  with(key: string, value: string): Event {
    this.written = null;
    this.attributes.set(key, value);
    this.size += ATTRIBUTE_BYTES + 2 * (key.length + value.length);
    return this;
  }

  attribute(key: string): string {
    return this.attributes.has(key) ? this.attributes.get(key) : "";
  }

  has(key: string): bool {
    return this.attributes.has(key);
  }

  attributeKeys(): string[] {
    return this.attributes.keys();
  }

  attributeValues(): string[] {
    return this.attributes.values();
  }

  /** One line. Versions below 1.52 also get `status`, `id` and `from`. */
  line(version: i32): Uint8Array {
    const written = this.written;
    if (written !== null && this.writtenFor == version) return written;
    const line = this.write(version);
    this.written = line;
    this.writtenFor = version;
    return line;
  }

  /** Everybody who reads has been told. */
  told(): void {
    this.written = null;
  }

  private write(version: i32): Uint8Array {
    const json = new JsonWriter();
    json.beginObject();
    if (version < 52) this.writeOldFields(json);
    json.stringField("Type", this.type);
    json.stringField("Action", this.action);
    json.key("Actor");
    json.beginObject();
    json.stringField("ID", this.id);
    json.key("Attributes");
    this.writeAttributes(json);
    json.endObject();
    json.stringField("scope", "local");
    json.i64Field("time", this.at / 1_000_000_000);
    json.i64Field("timeNano", this.at);
    json.endObject();
    return json.line().finish();
  }

  private writeOldFields(json: JsonWriter): void {
    if (this.type != "container" && this.type != "image") return;
    json.stringField("status", this.action);
    if (this.id.length > 0) json.stringField("id", this.id);
    if (this.type == "container" && this.has("image")) json.stringField("from", this.attribute("image"));
  }

  /** Sorted by name, as Go writes maps; the engine's own behind them, since some clients show them in this order. */
  private writeAttributes(json: JsonWriter): void {
    const keys = this.attributes.keys().sort();
    json.beginObject();
    this.writeThose(json, keys, false);
    this.writeThose(json, keys, true);
    json.endObject();
  }

  private writeThose(json: JsonWriter, keys: string[], own: bool): void {
    for (let i = 0; i < keys.length; i++) {
      if (keys[i].startsWith(OWN) == own) json.stringField(keys[i], this.attributes.get(keys[i]));
    }
  }
}
