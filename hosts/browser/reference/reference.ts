// The API's reference for the console: one version's endpoints, small enough to send to a browser. Made at build time by
// `node-reference.ts` from the descriptions of the API.

/** JSON Schema as far as a form needs it, refs resolved. */
export interface Field {
  /** `string`, `integer`, `number`, `boolean`, `array`, `object`, or `any`. */
  readonly type: string;
  /** One paragraph at most. */
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly example?: unknown;
  /** Of an array. */
  readonly items?: Field | FieldRef;
  /** Of an object. */
  readonly fields?: Readonly<Record<string, Field | FieldRef>>;
  /** Of a map: what its values are. */
  readonly values?: Field | FieldRef;
  readonly required?: readonly string[];
}

/** A shape that is described once, by its name in `Reference.shapes`. */
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
  /** `/containers/{id}/start`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  readonly body?: Field | FieldRef;
  /** A whole body to start from. */
  readonly example?: unknown;
  /** Statuses and what they mean. */
  readonly answers: Readonly<Record<string, string>>;
}

export interface Reference {
  /** Version the page shows: `1.41`. */
  readonly version: string;
  readonly tags: readonly { name: string; title: string }[];
  readonly endpoints: readonly Endpoint[];
  readonly shapes: Readonly<Record<string, Field>>;
}

/** What a reference says of a field: itself, or the shape that it names. */
export function resolved(reference: Reference, field: Field | FieldRef): Field {
  return "ref" in field ? (reference.shapes[field.ref] ?? { type: "any" }) : field;
}
