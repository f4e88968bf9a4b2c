// Writes an event as one line of JSON (surface §2.11, §6.4), directly from its entry and piece by piece. Writing
// continues at any place, so that a long line need not be kept.

import { JsonWriter } from "../json/writer";
import { wholeFrom } from "../text/utf8";
import { ACTION, ATTRIBUTES, Entry, ID } from "./entry";

/** Earlier versions also get `status`, `id` and `from`. */
const WITHOUT_OLD: i32 = 52;
/** A shorter part of a string is not worth another piece. */
const LEAST: i32 = 1024;

/** How far a line has been written. */
export class Place {
  /** Index of the part. */
  part: i32 = 0;
  /** Byte offset in the part's string. */
  offset: i32 = 0;

  get begun(): bool {
    return this.part > 0 || this.offset > 0;
  }
}

/** JSON to write before a string of the entry. */
class Part {
  constructor(
    readonly lead: string,
    readonly text: i32,
  ) {}
}

export class Line {
  private readonly head: Part[] = [];
  private readonly last: i32;

  constructor(
    private readonly entry: Entry,
    version: i32,
  ) {
    if (version < WITHOUT_OLD) this.addOld();
    this.add("Type", 0);
    this.add("Action", ACTION);
    this.head.push(new Part(`,"Actor":{"ID":`, ID));
    this.last = this.head.length + 2 * entry.attributeCount;
  }

  /** Writes at least `most` bytes from a place on, or up to the end, and advances the place. */
  write(place: Place, most: i32): Uint8Array {
    const json = new JsonWriter(false, min(most, this.entry.bytes.length + (this.entry.bytes.length >> 2)) + 512);
    while (!this.endsAt(place) && json.length < most) this.writePart(json, place, most - json.length);
    return json.finish();
  }

  endsAt(place: Place): bool {
    return place.part > this.last;
  }

  private addOld(): void {
    const entry = this.entry;
    const type = entry.type;
    if (type != "container" && type != "image") return;
    this.add("status", ACTION);
    if (entry.endOf(ID) > entry.startOf(ID)) this.add("id", ID);
    const image = type == "container" ? entry.find("image") : -1;
    if (image >= 0) this.add("from", image);
  }

  private add(name: string, text: i32): void {
    this.head.push(new Part(`${this.head.length == 0 ? "{" : ","}"${name}":`, text));
  }

  private writePart(json: JsonWriter, place: Place, most: i32): void {
    if (place.part == this.last) {
      json.literal(this.tail());
      place.part += 1;
      return;
    }
    const entry = this.entry;
    const text = this.textOf(place.part);
    if (place.offset == 0) json.literal(this.leadOf(place.part)).literal('"');
    const from = entry.startOf(text) + place.offset;
    const end = entry.endOf(text);
    const to = end - from <= max(most, LEAST) ? end : wholeFrom(entry.bytes, from + max(most, LEAST), end);
    json.escaped(entry.bytes, from, to);
    if (to < end) {
      place.offset += to - from;
      return;
    }
    json.literal('"');
    place.part += 1;
    place.offset = 0;
  }

  private textOf(part: i32): i32 {
    const head = this.head.length;
    return part < head ? this.head[part].text : ATTRIBUTES + part - head;
  }

  private leadOf(part: i32): string {
    const head = this.head.length;
    if (part < head) return this.head[part].lead;
    if (part == head) return BEFORE_ATTRIBUTES;
    return (part - head) % 2 == 0 ? "," : ":";
  }

  private tail(): string {
    const at = this.entry.at;
    const begin = this.last == this.head.length ? BEFORE_ATTRIBUTES : "";
    return `${begin}}},"scope":"local","time":${(at / 1_000_000_000).toString()},"timeNano":${at.toString()}}\n`;
  }
}

const BEFORE_ATTRIBUTES = ',"Attributes":{';

/** The whole line of an event. */
export function lineOf(entry: Entry, version: i32): Uint8Array {
  return new Line(entry, version).write(new Place(), i32.MAX_VALUE);
}

/** The same, cached while readers are being told, since all readers with the same version get the same line. */
export function sharedLineOf(entry: Entry, version: i32): Uint8Array {
  const written = entry.written;
  if (written !== null && entry.writtenFor == version) return written;
  const line = lineOf(entry, version);
  entry.written = line;
  entry.writtenFor = version;
  return line;
}
