// Writes the forms of the core's records for the hosts: TypeScript types of the records, the kinds of their keys, and
// the layout of a journal entry. They come from the core's own sources: the functions that list a record's fields
// (core/assembly/records/fields.ts), and the constants of keys and entries.

import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

const KINDS = "core/assembly/records/kinds.ts";
const ENTRY = "core/assembly/event/entry-form.ts";

interface RecordField {
  name: string;
  type: string;
  optional: boolean;
}

/** Fields by the record's name in TypeScript. */
export type RecordFields = ReadonlyMap<string, readonly RecordField[]>;

/** A module. */
export async function writeRecordTypes(root: string): Promise<string> {
  const fields = await readRecordFields(root);
  const types = [...fields].map(([name, list]) => `export interface ${name} {\n${list.map(line).join("")}}\n`);
  const kinds = kindsOf(await readFile(join(root, KINDS), "utf8"));
  const entry = entryOf(await readFile(join(root, ENTRY), "utf8"));
  return [...types, kinds, entry].join("\n");
}

export async function readRecordFields(root: string): Promise<RecordFields> {
  return recordFieldsOf(await sourcesIn(join(root, "core/assembly")));
}

async function sourcesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".ts")).sort();
  return Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
}

const FUNCTION = /^(?:export )?function (\w+)Fields\((fields: Fields\b[^)]*)\): (\w+) \{\n([\s\S]*?)\n\}/gm;

/** The fields of every record and part of a record in these sources of the core. */
export function recordFieldsOf(sources: readonly string[]): RecordFields {
  const found = sources.flatMap((source) => Array.from(source.matchAll(FUNCTION)));
  const bodies = new Map(found.map(([, name, , , body]) => [name!, body!]));
  if (bodies.size < found.length) throw new Error("two records list their fields in functions of the same name");
  const whole = found.filter(([, , , returned]) => returned !== "void");
  if (whole.length === 0) throw new Error("the core's sources have no records");
  return new Map(whole.map(([, name]) => [recordName(name!), fieldsIn(name!, bodies)]));
}

const CALL =
  /\bfields\.(\w+)\(\s*"(\w+)"|\b(partOf|listOf|optionalListOf)<\w+>\(\s*fields,\s*"(\w+)",[^;]*?\b(\w+)Fields,?\s*\)|\b(\w+)Fields\(fields, \w+\)/g;

const TYPES: Readonly<Record<string, string>> = {
  text: "string",
  bool: "boolean",
  number: "number",
  within: "number",
  u32: "number",
  i32: "number",
  time: "number",
  texts: "string[]",
  textMap: "Record<string, string>",
  document: "unknown",
};

function fieldsIn(name: string, bodies: ReadonlyMap<string, string>): RecordField[] {
  const body = bodies.get(name);
  if (body === undefined) throw new Error(`no function ${name}Fields lists fields`);
  const calls = Array.from(body.matchAll(CALL));
  const uses = body.match(/\bfields[.,]/g)?.length ?? 0;
  if (calls.length !== uses)
    throw new Error(`${name}Fields uses its fields in a way that core/record-types.ts cannot read`);
  const conditional = new Set(calls.filter(([, method]) => method === "has").map((call) => call[2]!));
  return calls.flatMap(([, method, field, list, part, type, more]) => {
    if (more !== undefined) return fieldsIn(more, bodies);
    if (list !== undefined) return [partField(list, part!, recordName(type!))];
    return method === "has" ? [] : [ownField(method!, field!, conditional)];
  });
}

function ownField(method: string, name: string, conditional: ReadonlySet<string>): RecordField {
  const kind = method.replace(/^optional(.)/, (_, first: string) => first.toLowerCase());
  const type = TYPES[kind];
  if (type === undefined) throw new Error(`core/record-types.ts knows no type for fields.${method}`);
  return { name, type, optional: kind !== method || conditional.has(name) };
}

function partField(list: string, name: string, type: string): RecordField {
  return list === "partOf" ? { name, type, optional: true } : { name, type: `${type}[]`, optional: list !== "listOf" };
}

function recordName(name: string): string {
  return `${name[0]!.toUpperCase()}${name.slice(1)}Record`;
}

function line({ name, type, optional }: RecordField): string {
  return `  ${name}${optional ? "?" : ""}: ${type};\n`;
}

function kindsOf(source: string): string {
  const kinds = Array.from(
    source.matchAll(/^export const \w+_RECORDS: string = "([\w-]+)\/";$/gm),
    (match) => match[1]!,
  );
  if (kinds.length === 0) throw new Error(`${KINDS} has no kinds of records`);
  const texts = kinds.map((kind) => JSON.stringify(kind));
  return `/** What a record's key begins with, before its slash. */\nexport type RecordKind = ${texts.join(" | ")};\n`;
}

function entryOf(source: string): string {
  const valueOf = (name: string): string => {
    const value = new RegExp(`const ${name}: \\w+ = (\\d+);`).exec(source)?.[1];
    if (value === undefined) throw new Error(`${ENTRY} has no number ${name}`);
    return value;
  };
  const forms = `[${valueOf("UNORDERED")}, ${valueOf("FORM")}]`;
  return (
    "/** An entry of the journal: the known formats, the size of its head and of each length, in bytes. */\n" +
    `export const JOURNAL_ENTRY = { forms: ${forms}, head: ${valueOf("HEAD")}, length: ${valueOf("LENGTH")} } as const;\n`
  );
}
