// Generates the module of types: every WIT type as AssemblyScript, in one flat namespace.

import type { Layouts } from "./layout.js";
import { camel, pascal, variable } from "./names.js";
import { spell } from "./spelling.js";
import type { Case, Definition, Field } from "./world.js";

export function writeTypes(layouts: Layouts): string {
  checkNames(layouts);
  const definitions = [...layouts.world.types.values()].map((one) => writeDefinition(layouts, one));
  return `import { Box, Result, Tuple2 } from "./runtime";\nexport { Box, Result, Tuple2 };\n\n${definitions.join("\n")}`;
}

/** The names that the module exports for one type. */
export function namesOf(definition: Definition): string[] {
  const name = pascal(definition.name);
  if (definition.kind !== "variant") return [name];
  return [name, `${name}Tag`, ...definition.cases.filter((one) => one.type).map((one) => name + pascal(one.name))];
}

function checkNames(layouts: Layouts): void {
  const seen = new Set(["Box", "Result", "Tuple2"]);
  for (const name of [...layouts.world.types.values()].flatMap(namesOf)) {
    if (seen.has(name)) throw new Error(`two types would be called ${name} in AssemblyScript`);
    seen.add(name);
  }
}

function writeDefinition(layouts: Layouts, one: Definition): string {
  const name = pascal(one.name);
  switch (one.kind) {
    case "alias":
      return `${doc(one.doc)}export type ${name} = ${spell(layouts, one.type)};\n`;
    case "enum":
      return `${doc(one.doc)}${writeEnum(name, one.cases)}`;
    case "record":
      return `${doc(one.doc)}${writeRecord(layouts, name, one.fields)}`;
    case "variant":
      return writeVariant(layouts, name, one.doc, one.cases);
  }
}

function writeEnum(name: string, cases: Case[]): string {
  return `export enum ${name} {\n${cases.map((one) => `${doc(one.doc, "  ")}  ${pascal(one.name)},\n`).join("")}}\n`;
}

/** A class whose constructor takes all fields in their order. */
function writeRecord(layouts: Layouts, name: string, fields: Field[]): string {
  const spelled = fields.map((field) => ({ ...field, type: spell(layouts, field.type) }));
  const members = spelled.map((field) => `${doc(field.doc, "  ")}  ${camel(field.name)}: ${field.type};\n`);
  const params = spelled.map((field) => `${variable(field.name)}: ${field.type}`);
  const sets = spelled.map((field) => `    this.${camel(field.name)} = ${variable(field.name)};\n`);
  return `export class ${name} {\n${members.join("")}\n  constructor(${params.join(", ")}) {\n${sets.join("")}  }\n}\n`;
}

function writeVariant(layouts: Layouts, name: string, docs: string[], cases: Case[]): string {
  const base = `export class ${name} {\n  constructor(readonly tag: ${name}Tag) {}\n}\n`;
  const payloads = cases.flatMap((one) => (one.type ? writeCase(name, one, spell(layouts, one.type)) : []));
  return `${writeEnum(`${name}Tag`, cases)}\n${doc(docs)}${base}${payloads.join("")}`;
}

function writeCase(variant: string, one: Case, type: string): string {
  const name = pascal(one.name);
  return `
${doc(one.doc)}export class ${variant}${name} extends ${variant} {
  constructor(readonly value: ${type}) {
    super(${variant}Tag.${name});
  }
}
`;
}

function doc(lines: string[], indent = ""): string {
  if (lines.length === 0) return "";
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join("")}${indent} */\n`;
}
