// Expands words to fields: variables and command output, then splitting (POSIX 2.6).

import type { DoubleQuotedChild, SyntaxNode, Word, WordPart } from "unbash";
import { Wrong } from "../docker/wrong.js";
import { readsOperand, type Parameter } from "./defaults.js";

export interface Values {
  /** The value of a variable that must be set. */
  variable(name: string): string;
  /** The value of a variable that may be unset. */
  known(name: string): string | undefined;
  /** Sets a variable permanently. */
  assign(name: string, value: string): void;
  /** The output of the command in a `$(…)`. */
  printed(part: SyntaxNode): string;
}

/** Text, and whether it is split at blanks. */
interface Piece {
  readonly text: string;
  readonly split: boolean;
}

export function fieldsOf(word: Word, values: Values): string[] {
  const pieces = word.parts === undefined ? [whole(word.value)] : word.parts.flatMap((part) => piecesOf(part, values));
  const fields: string[] = [];
  // Null if no field is open.
  let field: string | null = null;
  for (const { text, split } of pieces) {
    const [first = "", ...others] = split ? text.split(/[ \t\n]+/) : [text];
    if (!split || first !== "") field = (field ?? "") + first;
    for (const next of others) {
      if (field !== null) fields.push(field);
      field = next === "" ? null : next;
    }
  }
  return field === null ? fields : [...fields, field];
}

/** One text without splitting. */
export function textOf(word: Word, values: Values): string {
  if (word.parts === undefined) return word.value;
  return word.parts
    .flatMap((part) => piecesOf(part, values))
    .map(({ text }) => text)
    .join("");
}

function piecesOf(part: WordPart | DoubleQuotedChild, values: Values): Piece[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [whole(part.value)];
    case "DoubleQuoted":
    case "LocaleString": {
      const inner = part.parts.flatMap((child) => piecesOf(child, values));
      return [whole(""), ...inner.map(({ text }) => whole(text))];
    }
    case "SimpleExpansion":
      return [{ text: values.variable(part.text.slice(1)), split: true }];
    case "ParameterExpansion":
      return parameterOf(part, values);
    case "CommandExpansion":
      return [{ text: values.printed(part).replace(/\n+$/, ""), split: true }];
    // There are no files to match, so the pattern stays as it is, as in a shell.
    case "Glob":
    case "ExtendedGlob":
    case "BraceExpansion":
      return [whole(part.text)];
    default:
      throw unknown(part.text);
  }
}

/** `${X}`, `${#X}`, and default values: `${X:-y}`. */
function parameterOf(part: Parameter, values: Values): Piece[] {
  const { parameter: name, operation, prefix } = part;
  if (part.index !== undefined) throw unknown(part.text);
  if (operation === undefined && prefix !== "!") {
    const value = values.variable(name);
    return [{ text: prefix === "#" ? String([...value].length) : value, split: true }];
  }
  if (operation?.type !== "Default" || prefix !== undefined) throw unknown(part.text);
  const { operator, operand } = operation;
  const value = values.known(name);
  if (!readsOperand(operator, value)) return [{ text: operator.endsWith("+") ? "" : (value ?? ""), split: true }];
  if (operator.endsWith("?")) throw new Wrong(`${name}: ${textOf(operand, values) || "it has no value"}`, part.text);
  if (!operator.endsWith("=")) return operandOf(operand, values);
  const text = textOf(operand, values);
  values.assign(name, text);
  return [{ text, split: true }];
}

/** Unquoted text in it is split like a value. */
function operandOf({ value, parts }: Word, values: Values): Piece[] {
  if (parts === undefined) return [{ text: value, split: true }];
  return parts.flatMap((part) =>
    part.type === "Literal" ? [{ text: part.value, split: true }] : piecesOf(part, values),
  );
}

function whole(text: string): Piece {
  return { text, split: false };
}

function unknown(text: string): Wrong {
  return new Wrong(`${text} is not supported here`, text);
}
