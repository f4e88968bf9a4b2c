// A command's words with all put in that stands for something else: variables, and what `$(…)` prints.

import type { SyntaxNode, Word } from "unbash";
import { unsetRemark } from "../parse.js";
import { readsOperand } from "./defaults.js";
import { fieldsOf, textOf, type Values } from "./expand.js";
import type { Place } from "./place.js";
import type { Result } from "./result.js";
import { readScript, substitutions, type Simple, type Step } from "./script.js";

/** `code`: what the last `$(…)` in it ended with. */
export interface Expanded {
  readonly words: readonly string[];
  readonly set: ReadonlyMap<string, string>;
  readonly code: number;
}

/** Runs what stands within `$(…)`; what it prints is not shown. */
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
  // The words come first: they do not see what is set for their command.
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
