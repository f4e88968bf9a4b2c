// Generates the form of a type as data, for programs that read its values from text of their own.

import { Layouts } from "./layout.js";
import { camel } from "./names.js";
import { resolved } from "./spelling.js";
import type { Definition, Type, World } from "./world.js";

/** What a value looks like in JavaScript. A case without a value has the form null. */
export type Form =
  | "string"
  | "bool"
  | "number"
  | "bigint"
  | { enum: readonly string[] }
  | { record: Readonly<Record<string, Form>> }
  | { variant: Readonly<Record<string, Form | null>> }
  | { list: Form }
  | { option: Form };

/** The source of a module with the forms of some types by their names. */
export function writeForms(world: World, types: readonly string[]): string {
  const layouts = new Layouts(world);
  const forms = Object.fromEntries(types.map((name) => [name, formOf(layouts, { kind: "named", name })]));
  return `// Generated from the WIT world by core/bindgen.

export const FORMS = ${JSON.stringify(forms, null, 2)} as const;
`;
}

export function formOf(layouts: Layouts, type: Type): Form {
  const found = resolved(layouts, type);
  switch (found.kind) {
    case "primitive":
      if (found.name === "string" || found.name === "bool") return found.name;
      return found.name === "u64" || found.name === "s64" ? "bigint" : "number";
    case "named":
      return definedForm(layouts, layouts.definition(found.name));
    case "list":
      return { list: formOf(layouts, found.of) };
    case "option":
      return { option: formOf(layouts, found.of) };
    default:
      throw new Error(`a ${found.kind} has no form`);
  }
}

function definedForm(layouts: Layouts, definition: Definition): Form {
  switch (definition.kind) {
    case "enum":
      return { enum: definition.cases.map(({ name }) => name) };
    case "record":
      return {
        record: Object.fromEntries(definition.fields.map(({ name, type }) => [camel(name), formOf(layouts, type)])),
      };
    case "variant":
      return {
        variant: Object.fromEntries(
          definition.cases.map(({ name, type }) => [name, type === undefined ? null : formOf(layouts, type)]),
        ),
      };
    case "alias":
      return formOf(layouts, definition.type);
  }
}
