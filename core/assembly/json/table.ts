// Tables for Docker's large objects: their fields with type,
// default and order, and whether this engine implements them.

import { encodeUtf8 } from "../text/utf8";
import { Json, sameFolded } from "./json";
import { parseJson } from "./reader";
import { jsonBytes } from "./writer";

export enum FieldType {
  String,
  Bool,
  /** A signed integer of 64 bits. */
  Int,
  UInt16,
  UInt64,
  /** Two unsigned numbers: `ConsoleSize`. */
  Pair,
  Strings,
  /** A list of strings, or one string: `Cmd` and `Entrypoint`. */
  Command,
  StringMap,
  /** Names mapped to empty objects: `ExposedPorts`, `Volumes`. */
  Set,
  Struct,
  Structs,
  /** Names mapped to structs: `EndpointsConfig`. */
  StructMap,
  /** Names mapped to lists of structs: `PortBindings`. */
  StructListMap,
  /** Kept unchanged. */
  Raw,
}

/** What the engine does with a field that a client sets. */
export enum Effect {
  /** Implemented. */
  Built,
  /** Kept and shown, without any effect on what runs. */
  Kept,
  /** It would affect what runs, and is not implemented yet. */
  Refused,
  /** It would affect what runs, and is always refused in Docker's words, at create or at start. */
  Denied,
}

/** As a field's first version: only its type is checked, in every version. */
export const NEVER: i32 = i32.MAX_VALUE;

/** One field. `fallback`: JSON of the default; null for a field that is left out while it is empty. */
export class Field {
  /** The name of the type in Go's errors. */
  goType: string;
  table: Table | null = null;
  effect: Effect = Effect.Built;
  /** First and last API version (minor) whose requests may set it. */
  since: i32 = 0;
  until: i32 = i32.MAX_VALUE;
  /** A pointer in Go: only null means "not given"; `false` and 0 are values. */
  pointer: bool = false;
  /** JSON of values that ask for nothing, in addition to empty values. */
  neutral: string[] = [];
  /** A note on its effect for core/fields.md. */
  note: string = "";
  /** Go's name for a map's type, if it has one. */
  mapType: string = "";
  private parsed: Json | null = null;
  private written: Uint8Array | null = null;

  constructor(
    public name: string,
    public type: FieldType,
    public fallback: string | null,
  ) {
    this.goType = goTypeOf(type);
  }

  /** Sets the name of Go's type where it is not the usual one. */
  typed(goType: string): Field {
    this.goType = goType;
    return this;
  }

  /** Sets the name of Go's map type. */
  mapped(goType: string): Field {
    this.mapType = goType;
    return this;
  }

  /** The default. Its arrays and objects are new, and the caller may change them. */
  default(): Json {
    if (this.parsed === null) this.parsed = literal(this.fallback!);
    return this.parsed!.copy();
  }

  /** The default as bytes. */
  defaultBytes(): Uint8Array {
    if (this.written === null) this.written = jsonBytes(literal(this.fallback!));
    return this.written!;
  }

  /** Sets the table of a struct, of a list of structs, or of a map's structs. */
  of(table: Table): Field {
    this.table = table;
    return this;
  }

  pointed(): Field {
    this.pointer = true;
    return this;
  }

  /** Older requests may contain the field, and its type is checked, but it is ignored. */
  from(since: i32): Field {
    this.since = since;
    return this;
  }

  upTo(until: i32): Field {
    this.until = until;
    return this;
  }

  kept(): Field {
    this.effect = Effect.Kept;
    return this;
  }

  /** Not implemented yet; `neutral`: JSON of values that ask for nothing. */
  refused(neutral: string[] = []): Field {
    this.effect = Effect.Refused;
    this.neutral = neutral;
    return this;
  }

  /** Refused as Docker refuses it when the machine or the network does not support it. */
  denied(): Field {
    this.effect = Effect.Denied;
    return this;
  }

  /** A note for core/fields.md: a few words, no sentence. */
  says(note: string): Field {
    this.note = note;
    return this;
  }
}

/** The fields of a Go struct, in Docker's order. */
export class Table {
  private places: Map<string, i32> = new Map();

  constructor(
    /** Name of the Go struct, for errors. */
    public struct: string,
    public fields: Field[],
    /** The name with its package, for a document that is not an object at all. */
    public goType: string = struct,
  ) {
    for (let i = 0; i < fields.length; i++) this.places.set(fields[i].name, i);
  }

  /**
   * Index of the field for a name: an exact match, else one that ignores case. -1 for an unknown name. `guess`: is looked
   * at first, since members mostly come in the table's order.
   */
  place(name: string, guess: i32 = -1): i32 {
    if (<u32>guess < <u32>this.fields.length && this.fields[guess].name == name) return guess;
    if (this.places.has(name)) return this.places.get(name);
    for (let i = 0; i < this.fields.length; i++) {
      if (sameFolded(this.fields[i].name, name)) return i;
    }
    return -1;
  }
}

function literal(text: string): Json {
  const value = parseJson(encodeUtf8(text));
  return value === null ? Json.null() : value;
}

function goTypeOf(type: FieldType): string {
  switch (type) {
    case FieldType.String:
      return "string";
    case FieldType.Bool:
      return "bool";
    case FieldType.UInt16:
      return "uint16";
    case FieldType.UInt64:
      return "uint64";
    case FieldType.Pair:
      return "[2]uint";
    case FieldType.Strings:
      return "[]string";
    default:
      return "int64";
  }
}
