// Default values for variables (POSIX 2.6.2): `${X:-y}` and similar forms.

import type { SyntaxNode } from "unbash";

export type Parameter = Extract<SyntaxNode, { type: "ParameterExpansion" }>;

/** Whether the word after `:-` and similar operators is used. `value` is undefined if the variable is not set. */
export function readsOperand(operator: string, value: string | undefined): boolean {
  const isThere = operator.startsWith(":") ? value !== undefined && value !== "" : value !== undefined;
  return operator.endsWith("+") ? isThere : !isThere;
}
