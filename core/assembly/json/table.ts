// Tables of Docker's big objects: which fields there are, of which type, with which default, in which order, and whether
// this engine acts on them.

import { encodeUtf8 } from "../text/utf8";
import { Json, sameFolded } from "./json";
import { parseJson } from "./reader";
import { jsonBytes } from "./writer";

export enum FieldType {
  String,
  Bool,
  /** 64 bits, signed. */
  Int,
  UInt16,
  UInt64,
  /** Two unsigned numbers: `ConsoleSize`. */
  Pair,
  Strings,
  /** A list of texts, or one text: `Cmd` and `Entrypoint`. */
  Command,
  StringMap,
  /** Names with empty objects: `ExposedPorts`, `Volumes`. */
  Set,
  Struct,
  Structs,
  /** Structs by name: `EndpointsConfig`. */
  StructMap,
  /** Lists of structs by name: `PortBindings`. */
  StructListMap,
  /** Kept as it is. */
  Raw,
}

/** What becomes of a field that a client sets. */
export enum Effect {
  /** It does what it says. */
  Built,
  /** It changes nothing of what runs: kept and shown. */
  Kept,
  /** It would change what runs, and cannot be had yet. */
  Refused,
  /** It would change what runs, and is always refused in Docker's words, by whoever looks at it: at create or at start. */
  Denied,
}

/** As the first version of a field: only its type counts, whatever the version. */
export const NEVER: i32 = i32.MAX_VALUE;

/** A row. `fallback`: JSON of the default; null for a field that is left out while it is empty. */
export class Field {
  /** As Go's errors name the type. */
  goType: string;
  table: Table | null = null;
  effect: Effect = Effect.Built;
  /** First and last version (minor) whose requests may set it. */
  since: i32 = 0;
  until: i32 = i32.MAX_VALUE;
  /** A Go pointer: only null means "not given"; `false` and 0 are values. */
  pointer: bool = false;
  /** JSON of values that ask for nothing, besides empty ones. */
  neutral: string[] = [];
  /** What a reader of core/fields.md should know of its effect. */
  note: string = "";
  /** Go's name of a map's type, where it has one. */
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

  /** Names Go's type where it is not the usual one. */
  typed(goType: string): Field {
    this.goType = goType;
    return this;
  }

  /** Names Go's type of a map. */
  mapped(goType: string): Field {
    this.mapType = goType;
    return this;
  }

  /** The default as a tree; whoever gets it may change it. */
  default(): Json {
    if (this.parsed === null) this.parsed = literal(this.fallback!);
    return this.parsed!.copy();
  }

  /** The default as bytes. */
  defaultBytes(): Uint8Array {
    if (this.written === null) this.written = jsonBytes(literal(this.fallback!));
    return this.written!;
  }

  /** The table of a struct, of a list of structs, of a map's structs. */
  of(table: Table): Field {
    this.table = table;
    return this;
  }

  pointed(): Field {
    this.pointer = true;
    return this;
  }

  /** Requests of older versions may hold it, and must hold the right type; it is as if they did not. */
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

  /** Not built yet; `neutral`: JSON of values that ask for nothing. */
  refused(neutral: string[] = []): Field {
    this.effect = Effect.Refused;
    this.neutral = neutral;
    return this;
  }

  /** Refused as Docker refuses it where the machine, or the network, has not got it. */
  denied(): Field {
    this.effect = Effect.Denied;
    return this;
  }

  /** For core/fields.md: a few words, no sentence. */
  says(note: string): Field {
    this.note = note;
    return this;
  }
}

/** The fields of a Go struct, in Docker's order. */
export class Table {
  private places: Map<string, i32> = new Map();

  constructor(
    /** Name of Go's struct, for errors. */
    public struct: string,
    public fields: Field[],
    /** With its package, for a document that is no object at all. */
    public goType: string = struct,
  ) {
    for (let i = 0; i < fields.length; i++) this.places.set(fields[i].name, i);
  }

  /** Place of the field that a name means: exact, else folded. -1: unknown. */
  place(name: string): i32 {
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
