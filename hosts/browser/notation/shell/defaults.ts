// What stands in for a variable's value (POSIX 2.6.2): `${X:-y}` and its like.

import type { SyntaxNode } from "unbash";

export type Parameter = Extract<SyntaxNode, { type: "ParameterExpansion" }>;

/** Whether the word behind `:-` and the others counts; `value` is undefined where there is none. */
export function readsOperand(operator: string, value: string | undefined): boolean {
  const isThere = operator.startsWith(":") ? value !== undefined && value !== "" : value !== undefined;
  return operator.endsWith("+") ? isThere : !isThere;
}
