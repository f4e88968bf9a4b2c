// Checks a reply against the description of its API version (tests/swagger): the schema of its path, method and status.
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { Ajv, type ValidateFunction } from "ajv";
import { extract } from "tar-stream";
import { parse } from "yaml";

const ARCHIVE = new URL("../swagger/swagger.tar.br", import.meta.url);

type Schema = { [key: string]: unknown };

export class Swagger {
  readonly #ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, logger: false });
  readonly #document: Schema;
  readonly #validators = new Map<string, ValidateFunction | null>();

  constructor(text: string) {
    this.#document = allowNulls(parse(joinFolded(text), { merge: true }) as Schema) as Schema;
    this.#ajv.addSchema({ $id: "doc", definitions: this.#document["definitions"] });
  }

  /** The problems of a JSON body, one per line; empty if there are none, null if the description has no schema. */
  problems(path: string, method: string, status: number, body: unknown): string[] | null {
    const key = `${method} ${path} ${status}`;
    if (!this.#validators.has(key)) this.#validators.set(key, this.#compile(path, method, status));
    const validate = this.#validators.get(key) ?? null;
    if (validate === null) return null;
    if (validate(body)) return [];
    return (validate.errors ?? []).map((error) =>
      `${error.instancePath} ${error.message} ${valueOf(error.params)}`.trim(),
    );
  }

  #compile(path: string, method: string, status: number): ValidateFunction | null {
    const schema = at(this.#document, ["paths", path, method.toLowerCase(), "responses", String(status), "schema"]);
    return schema === undefined ? null : this.#ajv.compile(absoluteRefs(schema) as Schema);
  }
}

/** All descriptions by version, `1.25` first. */
export async function swaggers(archive: string | URL = ARCHIVE): Promise<Map<string, string>> {
  const tar = brotliDecompressSync(readFileSync(archive));
  const found = new Map<string, string>();
  const entries = extract();
  entries.end(tar);
  for await (const entry of entries) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    found.set(entry.header.name.replace(/^v|\.yaml$/g, ""), Buffer.concat(chunks).toString());
  }
  return found;
}

/** The description for a version: its own, or the nearest older one. */
export function versionOfSwagger(version: string, available: Iterable<string>): string {
  const minor = Number(version.split(".")[1]);
  const older = [...available].filter((one) => Number(one.split(".")[1]) <= minor);
  const nearest = older.sort((a, b) => Number(b.split(".")[1]) - Number(a.split(".")[1]))[0];
  if (nearest === undefined) throw new Error(`no description for ${version} or older`);
  return nearest;
}

/**
 * Swagger 2.0 has no null. Docker sends null for Go's nil slices, maps and pointers: for lists and objects without
 * mentioning it, for other types if `x-nullable` says so.
 */
function allowNulls(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(allowNulls);
  if (typeof node !== "object" || node === null) return node;
  const schema = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, allowNulls(value)])) as Schema;
  const types = typeof schema["type"] === "string" ? [schema["type"]] : schema["type"];
  if (!Array.isArray(types)) return schema;
  if (schema["x-nullable"] !== true && !types.includes("array") && !types.includes("object")) return schema;
  const { enum: words } = schema;
  const nullable = { ...schema, type: [...(types as unknown[]), "null"] };
  return Array.isArray(words) ? { ...nullable, enum: [...(words as unknown[]), null] } : nullable;
}

/** 1.25 folds quoted text onto lines that are not indented further, which YAML forbids. */
export function joinFolded(text: string): string {
  return text.replace(/: "[^"\n]*\n[^"]*"$/gm, (quoted) => quoted.replace(/\n\s*/g, " "));
}

function absoluteRefs(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(absoluteRefs);
  if (typeof node !== "object" || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === "$ref" && typeof value === "string" ? value.replace(/^#/, "doc#") : absoluteRefs(value),
    ]),
  );
}

function at(node: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((found, key) => (found as Schema | undefined)?.[key], node);
}

function valueOf(params: object): string {
  return Object.values(params)
    .map((value) => JSON.stringify(value))
    .join(" ");
}
