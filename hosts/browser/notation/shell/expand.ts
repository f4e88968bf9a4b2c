// Words to fields: variables and what commands printed, then splitting (POSIX 2.6).

import type { DoubleQuotedChild, SyntaxNode, Word, WordPart } from "unbash";
import { Wrong } from "../docker/wrong.js";

export interface Values {
  /** Of a variable. */
  variable(name: string): string;
  /** What the command of a `$(…)` has printed. */
  printed(part: SyntaxNode): string;
}

/** Text, and whether it is split where it has blanks. */
interface Piece {
  readonly text: string;
  readonly split: boolean;
}

export function fieldsOf(word: Word, values: Values): string[] {
  const pieces = word.parts === undefined ? [whole(word.value)] : word.parts.flatMap((part) => piecesOf(part, values));
  const fields: string[] = [];
  // Null where no field is open.
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

/** One text, whatever blanks are in it. */
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
      if (part.operation !== undefined || part.prefix !== undefined) throw unknown(part.text);
      return [{ text: values.variable(part.parameter), split: true }];
    case "CommandExpansion":
      return [{ text: values.printed(part).replace(/\n+$/, ""), split: true }];
    // There are no files that a pattern could match: a shell then leaves it as it is.
    case "Glob":
    case "ExtendedGlob":
    case "BraceExpansion":
      return [whole(part.text)];
    default:
      throw unknown(part.text);
  }
}

function whole(text: string): Piece {
  return { text, split: false };
}

function unknown(text: string): Wrong {
  return new Wrong(`${text} is not worked out here`, text);
}
