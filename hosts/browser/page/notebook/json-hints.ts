// Completion in a JSON body at the caret: property names, and the values that the schema lists.

import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";
import { resolved, type Field, type FieldRef, type Reference } from "../../reference/reference.js";

export interface Hints {
  reference: Reference | null;
  /** The schema of the body. */
  body: Field | FieldRef | null;
}

export function completeJson(context: CompletionContext, { reference, body }: Hints): CompletionResult | null {
  if (reference === null || body === null) return null;
  const node = syntaxTree(context.state).resolveInner(context.pos, -1);
  const [from, to] =
    node.name === "PropertyName" || node.name === "String" ? [node.from, node.to] : [context.pos, context.pos];
  if (from === context.pos && !context.explicit) return null;
  const path = pathTo(node, context.state);
  const isName =
    node.name === "PropertyName" || node.name === "Object" || (node.name === "⚠" && node.parent?.name === "Object");
  const field = fieldAt(reference, body, path);
  if (field === null) return null;
  const options = isName ? namesOf(reference, field) : valuesOf(field);
  return options.length === 0 ? null : { from, to, options, validFor: /^"?[\w-]*"?$/ };
}

/** Names of the properties around a node, outermost first; a step into an array is `[]`. */
function pathTo(node: SyntaxNode, state: EditorState): string[] {
  const path: string[] = [];
  const start = node.name === "PropertyName" ? node.parent?.parent : node;
  for (let at: SyntaxNode | null | undefined = start; at; at = at.parent) {
    if (at.name === "Array") path.unshift("[]");
    const name = at.name === "Property" ? at.getChild("PropertyName") : null;
    if (name) path.unshift(state.sliceDoc(name.from + 1, name.to - 1));
  }
  return path;
}

function fieldAt(reference: Reference, body: Field | FieldRef, path: readonly string[]): Field | null {
  let field = resolved(reference, body);
  for (const name of path) {
    const next = name === "[]" ? field.items : (field.fields?.[name] ?? field.values);
    if (next === undefined) return null;
    field = resolved(reference, next);
  }
  return field;
}

function namesOf(reference: Reference, object: Field): Completion[] {
  return Object.entries(object.fields ?? {}).map(([name, one]) => {
    const field = resolved(reference, one);
    const completion: Completion = { label: `"${name}"`, apply: `"${name}": `, detail: field.type };
    return field.description === undefined ? completion : { ...completion, info: field.description };
  });
}

function valuesOf(field: Field): Completion[] {
  if (field.type === "boolean") return ["true", "false"].map((label) => ({ label }));
  return (field.enum ?? []).map((value) => ({ label: JSON.stringify(value) }));
}
