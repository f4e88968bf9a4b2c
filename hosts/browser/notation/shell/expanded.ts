// Expands a command's words: variables and the output of `$(…)`.

import type { SyntaxNode, Word } from "unbash";
import { unsetRemark } from "../parse.js";
import { readsOperand } from "./defaults.js";
import { fieldsOf, textOf, type Values } from "./expand.js";
import type { Place } from "./place.js";
import type { Result } from "./result.js";
import { readScript, substitutions, type Simple, type Step } from "./script.js";

/** `code`: the exit code of the last `$(…)` in it. */
export interface Expanded {
  readonly words: readonly string[];
  readonly set: ReadonlyMap<string, string>;
  readonly code: number;
}

/** Runs the commands within `$(…)`; their output is not shown. */
type RunInner = (steps: readonly Step[]) => Promise<Result>;

export async function expanded({ words, assignments }: Simple, place: Place, runInner: RunInner): Promise<Expanded> {
  const all = [...words, ...assignments.map(({ value }) => value)];
  const { printed, code } = await substituted(all, place, runInner);
  const set = new Map<string, string>();
  const values: Values = {
    printed: (part) => printed.get(part) ?? "",
    variable: (name) => {
      const value = set.get(name) ?? place.variables.get(name);
      if (value === undefined) place.remark(unsetRemark(name));
      return value ?? "";
    },
    known: (name) => set.get(name) ?? place.variables.get(name),
    assign: (name, value) => place.variables.set(name, value),
  };
  // Expanded first: the words do not see the variables set for their command.
  const fields = words.flatMap((word) => fieldsOf(word, values));
  for (const { name, value } of assignments) set.set(name, textOf(value, values));
  return { words: fields, set, code };
}

async function substituted(
  words: readonly Word[],
  place: Place,
  runInner: RunInner,
): Promise<{ printed: ReadonlyMap<SyntaxNode, string>; code: number }> {
  const printed = new Map<SyntaxNode, string>();
  let code = 0;
  const isRead = (operator: string, name: string): boolean => readsOperand(operator, place.variables.get(name));
  for (const { part, text } of words.flatMap((word) => substitutions(word, isRead))) {
    const inner = readScript(text);
    inner.remarks.forEach((remark) => place.remark(remark));
    const result = await runInner(inner.steps);
    printed.set(part, result.printed);
    code = result.code;
  }
  return { printed, code };
}
