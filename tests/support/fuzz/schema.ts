// Values for parameters of the API description: usually of the right type, sometimes not.
import fc from "fast-check";
import { hostileJson, hostileNumber, hostileText } from "./hostile.js";

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
}

/** Meaningful values by property name; for a list, its elements. */
export type Pools = ReadonlyMap<string, readonly unknown[]>;

/** One value in this many has a wrong type. */
const HOSTILE_EACH = 20;
/** Descriptions contain one another. Deeper levels are left out. */
const DEEPEST = 6;
/** Largest number of properties of an object: a request that fails at the first property never reaches the others. */
const PROPERTIES_MAX = 5;

export class SchemaValues {
  readonly #definitions: Readonly<Record<string, Schema>>;
  readonly #pools: Pools;

  constructor(definitions: Readonly<Record<string, Schema>>, pools: Pools) {
    this.#definitions = definitions;
    this.#pools = pools;
  }

  of(schema: Schema, name = "", depth = 0): fc.Arbitrary<unknown> {
    const right = this.#right(schema, name, depth);
    return fc.oneof({ weight: HOSTILE_EACH - 1, arbitrary: right }, { weight: 1, arbitrary: hostileJson });
  }

  #right(schema: Schema, name: string, depth: number): fc.Arbitrary<unknown> {
    const found = this.#resolved(schema);
    const properties = this.#properties(found);
    if (depth > DEEPEST) return fc.constant(null);
    if (Object.keys(properties).length > 0) return this.#object(properties, depth);
    const pool = this.#pools.get(name);
    const type = typeof found.type === "string" ? found.type : (found.type?.[0] ?? "object");
    if (type === "array") return fc.array(this.of(found.items ?? {}, name, depth + 1), { maxLength: 3 });
    if (pool !== undefined) return fc.constantFrom(...pool);
    if (found.enum !== undefined) return fc.constantFrom(...found.enum);
    if (type === "boolean") return fc.boolean();
    if (type === "integer" || type === "number") return fc.oneof(fc.integer({ min: 0, max: 1000 }), hostileNumber);
    if (type === "string") return hostileText;
    const values = typeof found.additionalProperties === "object" ? found.additionalProperties : { type: "object" };
    return fc.dictionary(hostileText, this.of(values, "", depth + 1), { maxKeys: 2 });
  }

  #object(properties: Readonly<Record<string, Schema>>, depth: number): fc.Arbitrary<unknown> {
    return fc
      .uniqueArray(fc.constantFrom(...Object.keys(properties)), { maxLength: PROPERTIES_MAX })
      .chain((names) =>
        fc.record(Object.fromEntries(names.map((name) => [name, this.of(properties[name] ?? {}, name, depth + 1)]))),
      );
  }

  #properties(schema: Schema): Readonly<Record<string, Schema>> {
    const parts = (schema.allOf ?? []).map((part) => this.#properties(this.#resolved(part)));
    return Object.assign({}, ...parts, schema.properties) as Record<string, Schema>;
  }

  #resolved(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    return this.#resolved(this.#definitions[schema.$ref.replace("#/definitions/", "")] ?? {});
  }
}
