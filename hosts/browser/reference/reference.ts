// The API reference for the console: one version's endpoints, small enough to send to a browser. Made at build time by
// `node-references.ts` from the descriptions of the API.

/** The parts of a JSON Schema that a form needs, with refs resolved. */
export interface Field {
  /** `string`, `integer`, `number`, `boolean`, `array`, `object`, or `any`. */
  readonly type: string;
  /** At most one paragraph. */
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly example?: unknown;
  /** For an array. */
  readonly items?: Field | FieldRef;
  /** For an object. */
  readonly fields?: Readonly<Record<string, Field | FieldRef>>;
  /** For a map: the type of its values. */
  readonly values?: Field | FieldRef;
  readonly required?: readonly string[];
}

/** A reference to a shape that is described once, by its name in `Reference.shapes`. */
export interface FieldRef {
  readonly ref: string;
}

export interface Parameter extends Field {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly mandatory: boolean;
}

export interface Endpoint {
  readonly method: string;
  /** For example `/containers/{id}/start`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  readonly body?: Field | FieldRef;
  /** A complete body to start from. */
  readonly example?: unknown;
  /** Statuses and their meanings. */
  readonly answers: Readonly<Record<string, string>>;
}

export interface Reference {
  /** The version that the page shows, such as `1.41`. */
  readonly version: string;
  readonly tags: readonly { name: string; title: string }[];
  readonly endpoints: readonly Endpoint[];
  readonly shapes: Readonly<Record<string, Field>>;
}

/** Resolves a field: itself, or the shape that it names. */
export function resolved(reference: Reference, field: Field | FieldRef): Field {
  return "ref" in field ? (reference.shapes[field.ref] ?? { type: "any" }) : field;
}
