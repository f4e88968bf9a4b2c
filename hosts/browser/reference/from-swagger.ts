// Makes a reference from one version's description (Swagger 2.0 in YAML). Runs when the page is built.

import { parse } from "yaml";
import type { Endpoint, Field, FieldRef, Parameter, Reference } from "./reference.js";

/** Texts are cut here: the page is not meant to replace the manual. */
const LONGEST = 300;
const METHODS = ["get", "head", "post", "put", "delete"] as const;

/** `text`: the description's YAML; `version`: its version, such as `1.41`. */
export function referenceFrom(text: string, version: string): Reference {
  const document = parse(text, { merge: true }) as Swagger;
  const shapes = new Shapes(document.definitions ?? {});
  const endpoints = Object.entries(document.paths).flatMap(([path, operations]) =>
    METHODS.flatMap((method) => {
      const operation = operations[method];
      return operation === undefined ? [] : [endpointOf(method, path, operation, operations.parameters ?? [], shapes)];
    }),
  );
  return {
    version,
    tags: tagsOf(document, endpoints),
    endpoints,
    shapes: shapes.all(),
  };
}

/** In the description's order, followed by tags of endpoints that it does not list. */
function tagsOf(document: Swagger, endpoints: readonly Endpoint[]): Reference["tags"] {
  const titles = new Map((document.tags ?? []).map((tag) => [tag.name, tag["x-displayName"] ?? tag.name]));
  for (const { tag } of endpoints) if (!titles.has(tag)) titles.set(tag, tag);
  const used = new Set(endpoints.map(({ tag }) => tag));
  return [...titles].filter(([name]) => used.has(name)).map(([name, title]) => ({ name, title }));
}

interface Swagger {
  tags?: { name: string; "x-displayName"?: string }[];
  paths: Record<string, Partial<Record<(typeof METHODS)[number], Operation>> & { parameters?: SwaggerParameter[] }>;
  definitions?: Record<string, Schema>;
}

interface Operation {
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: SwaggerParameter[];
  responses?: Record<string, { description?: string }>;
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  default?: unknown;
  example?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  allOf?: Schema[];
  required?: string[];
}

interface SwaggerParameter extends Omit<Schema, "required"> {
  name: string;
  in: "path" | "query" | "header" | "body" | "formData";
  required?: boolean;
  schema?: Schema;
}

function endpointOf(
  method: string,
  path: string,
  operation: Operation,
  shared: readonly SwaggerParameter[],
  shapes: Shapes,
): Endpoint {
  const parameters = [...shared, ...(operation.parameters ?? [])];
  const body = parameters.find((parameter) => parameter.in === "body");
  const schema = body?.schema;
  const description = paragraph(operation.description);
  const example = schema === undefined ? undefined : shapes.exampleOf(schema);
  return {
    method: method.toUpperCase(),
    path,
    tag: operation.tags?.[0] ?? "",
    summary: plain(operation.summary ?? ""),
    ...(description === "" ? {} : { description }),
    parameters: parameters.flatMap((parameter) => parameterOf(parameter, shapes)),
    ...(schema === undefined ? {} : { body: shapes.fieldOf(schema) }),
    ...(example === undefined ? {} : { example }),
    answers: answersOf(operation),
  };
}

function parameterOf(parameter: SwaggerParameter, shapes: Shapes): Parameter[] {
  const { name, in: place, required, ...schema } = parameter;
  if (place === "body" || place === "formData") return [];
  const field = shapes.fieldOf(schema) as Field;
  return [{ ...field, name, in: place, mandatory: required ?? false }];
}

function answersOf(operation: Operation): Record<string, string> {
  const answers = Object.entries(operation.responses ?? {});
  return Object.fromEntries(answers.map(([status, { description }]) => [status, paragraph(description)]));
}

/** Definitions that some endpoint uses. */
class Shapes {
  readonly #definitions: Readonly<Record<string, Schema>>;
  readonly #asked = new Map<string, Field | null>();

  constructor(definitions: Readonly<Record<string, Schema>>) {
    this.#definitions = definitions;
  }

  all(): Record<string, Field> {
    const made = [...this.#asked].filter((entry): entry is [string, Field] => entry[1] !== null);
    return Object.fromEntries(made.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Simple definitions are inlined; objects get a name. */
  fieldOf(schema: Schema): Field | FieldRef {
    const name = schema.$ref === undefined ? null : nameOf(schema.$ref);
    if (name === null) return this.#inline(schema);
    const target = this.#definitions[name] ?? {};
    if (target.properties === undefined && target.allOf === undefined) return this.#inline(target);
    if (!this.#asked.has(name)) {
      // Marked before it is made, because shapes can contain themselves.
      this.#asked.set(name, null);
      this.#asked.set(name, this.#inline(target));
    }
    return { ref: name };
  }

  exampleOf(schema: Schema): unknown {
    if (schema.example !== undefined) return schema.example;
    const name = schema.$ref === undefined ? null : nameOf(schema.$ref);
    if (name !== null) return this.exampleOf(this.#definitions[name] ?? {});
    const parts = (schema.allOf ?? []).map((part) => this.exampleOf(part)).filter((one) => typeof one === "object");
    return parts.length === 0 ? undefined : (Object.assign({}, ...parts) as unknown);
  }

  #inline(schema: Schema): Field {
    const whole = this.#merged(schema);
    const description = paragraph(whole.description);
    const { enum: words, items, properties, additionalProperties: values } = whole;
    return {
      type: typeOf(whole),
      ...(description === "" ? {} : { description }),
      ...(words === undefined ? {} : { enum: words.map(String) }),
      ...(whole.default === undefined ? {} : { default: whole.default }),
      ...(whole.example === undefined || properties !== undefined ? {} : { example: whole.example }),
      ...(items === undefined ? {} : { items: this.fieldOf(items) }),
      ...(properties === undefined ? {} : { fields: this.#fields(properties) }),
      ...(typeof values === "object" ? { values: this.fieldOf(values) } : {}),
      ...(whole.required === undefined ? {} : { required: whole.required }),
    };
  }

  #fields(properties: Record<string, Schema>): Record<string, Field | FieldRef> {
    return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, this.fieldOf(schema)]));
  }

  /** Merges all parts of an `allOf`. */
  #merged(schema: Schema): Schema {
    if (schema.allOf === undefined) return schema;
    const parts = schema.allOf.map((part) => {
      const name = part.$ref === undefined ? null : nameOf(part.$ref);
      return this.#merged(name === null ? part : (this.#definitions[name] ?? {}));
    });
    return {
      ...schema,
      type: "object",
      properties: Object.assign({}, ...parts.map((part) => part.properties ?? {}), schema.properties ?? {}) as Record<
        string,
        Schema
      >,
    };
  }
}

function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}

function typeOf({ type, properties }: Schema): string {
  if (Array.isArray(type)) return type.find((one) => one !== "null") ?? "any";
  return type ?? (properties === undefined ? "any" : "object");
}

function paragraph(text: string | undefined): string {
  const first = plain((text ?? "").trim().split(/\n\s*\n/)[0] ?? "");
  if (first.length <= LONGEST) return first;
  const sentence = first.lastIndexOf(". ", LONGEST);
  return sentence > 0 ? first.slice(0, sentence + 1) : `${first.slice(0, LONGEST)}…`;
}

/** Removes Markdown and HTML. */
function plain(text: string): string {
  return text
    .replace(/<[^>\s][^>]*>/g, "")
    .replace(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replace(/[`*]{1,2}/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
