// An event, and its JSON (surface §2.11, §6.4).

import { JsonWriter } from "../json/writer";
import { sortedPlaces } from "../text/compare";

/** What an attribute takes besides its texts. */
const ATTRIBUTE_BYTES: i32 = 64;

/** How the names of the engine's own attributes begin. */
const OWN = "coracle.";

const NO_LABELS: string[] = [];

export class Event {
  private readonly attributes: Map<string, string> = new Map<string, string>();
  /** Of what it is about: attributes, too, but for those in whose place there is another. There may be very many. */
  private labelKeys: string[] = NO_LABELS;
  private labelValues: string[] = NO_LABELS;
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

  /** Labels, no name twice; neither list is changed any more. */
  labelled(keys: string[], values: string[]): Event {
    this.written = null;
    this.labelKeys = keys;
    this.labelValues = values;
    for (let i = 0; i < keys.length; i++) this.size += ATTRIBUTE_BYTES + 2 * (keys[i].length + values[i].length);
    return this;
  }

  attribute(key: string): string {
    if (this.attributes.has(key)) return this.attributes.get(key);
    const at = this.labelKeys.indexOf(key);
    return at < 0 ? "" : this.labelValues[at];
  }

  has(key: string): bool {
    return this.attributes.has(key) || this.labelKeys.includes(key);
  }

  attributeKeys(): string[] {
    return this.unreplaced(this.labelKeys).concat(this.attributes.keys());
  }

  attributeValues(): string[] {
    return this.unreplaced(this.labelValues).concat(this.attributes.values());
  }

  /** Those of `texts`, which run beside the labels' names, that no other attribute stands in the place of. */
  private unreplaced(texts: string[]): string[] {
    const names = this.attributes.keys();
    const replaced: i32[] = [];
    for (let i = 0; i < names.length; i++) {
      const at = this.labelKeys.indexOf(names[i]);
      if (at >= 0) replaced.push(at);
    }
    if (replaced.length == 0) return texts;
    const left: string[] = [];
    for (let i = 0; i < texts.length; i++) if (!replaced.includes(i)) left.push(texts[i]);
    return left;
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
    const keys = this.attributeKeys();
    const values = this.attributeValues();
    const places = sortedPlaces(keys);
    json.beginObject();
    for (let i = 0; i < places.length; i++) writeOne(json, keys[places[i]], values[places[i]], false);
    for (let i = 0; i < places.length; i++) writeOne(json, keys[places[i]], values[places[i]], true);
    json.endObject();
  }
}

/** `own`: whether those of the engine's own are written now, or all others. */
function writeOne(json: JsonWriter, key: string, value: string, own: bool): void {
  if (key.startsWith(OWN) == own) json.stringField(key, value);
}
