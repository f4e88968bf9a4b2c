// Expands words to fields: tilde, parameters, commands, arithmetic, then splitting and file names (POSIX 2.6).

import type { DoubleQuotedChild, Word, WordPart } from "unbash";
import { evaluate } from "./arithmetic.js";
import { ShellError } from "./errors.js";
import { toFields } from "./fields.js";
import { expandParameter, expandSimple } from "./parameters.js";
import { BREAK, textOf, toPattern, type Piece } from "./pieces.js";
import type { Shell } from "./shell.js";
import { substituted } from "./substitution.js";

/** Expands all words of a command. */
export async function expandWords(words: readonly Word[], shell: Shell): Promise<string[]> {
  const fields: string[] = [];
  for (const word of words) fields.push(...toFields(await piecesOf(word, shell), shell));
  return fields;
}

/** Expands to one text without splitting, for assignments and redirections. */
export async function expandWord(word: Word, shell: Shell): Promise<string> {
  return textOf(await piecesOf(word, shell));
}

/** Expands a pattern, for `case` and `${x#…}`. */
export async function expandPattern(word: Word, shell: Shell): Promise<string> {
  return toPattern(await piecesOf(word, shell));
}

/** Expands parts to one text, for here-documents and arithmetic. */
export async function expandText(parts: readonly WordPart[], shell: Shell): Promise<string> {
  return textOf(await expandParts(parts, shell, true));
}

/** `quoted`: within double quotes. */
export async function piecesOf(word: Word, shell: Shell, quoted = false): Promise<Piece[]> {
  const tilde = quoted ? null : /^~(?=\/|$)/.exec(word.text);
  if (!word.parts) {
    const text = tilde ? (shell.variables.value("HOME") ?? "~") + word.value.slice(1) : word.value;
    return [{ text, quoted: true, bare: !quoted && !tilde && !/["'\\]/.test(word.text) }];
  }
  const pieces = await expandParts(word.parts, shell, quoted);
  if (tilde && pieces[0] !== BREAK && pieces[0]?.text.startsWith("~")) {
    pieces[0] = { ...pieces[0], text: (shell.variables.value("HOME") ?? "~") + pieces[0].text.slice(1) };
  }
  return pieces;
}

async function expandParts(parts: readonly WordPart[], shell: Shell, quoted: boolean): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for (const part of parts) pieces.push(...(await expandPart(part, shell, quoted)));
  return pieces;
}

async function expandPart(part: WordPart, shell: Shell, quoted: boolean): Promise<Piece[]> {
  switch (part.type) {
    case "Literal":
      return [{ text: part.value, quoted: true, bare: !quoted && !part.text.includes("\\") }];
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [{ text: part.value, quoted: true }];
    case "DoubleQuoted":
      return doubleQuoted(part.parts, shell);
    case "Glob":
      return glob(part, shell, quoted);
    case "SimpleExpansion":
      return expandSimple(part.text.slice(1), shell, quoted);
    case "ParameterExpansion":
      return expandParameter(part, shell, quoted);
    case "CommandExpansion":
      return [{ text: await substituted(part.script, shell), quoted, split: !quoted }];
    case "ArithmeticExpansion":
      return [{ text: String(await evaluate(part.expression, shell)), quoted, split: !quoted }];
    case "BraceExpansion":
      // ash has no brace expansion, so the text stays as it is.
      return part.parts ? expandParts(part.parts, shell, quoted) : [{ text: part.text, quoted: true, bare: true }];
    case "ExtendedGlob":
    case "ProcessSubstitution":
      throw new ShellError(`syntax error: unexpected "("`);
    case "LocaleString":
      return [{ text: "$", quoted: true }, ...(await doubleQuoted(part.parts, shell))];
  }
}

/** An empty pair of quotes is a field; `"$@"` without parameters is none. */
async function doubleQuoted(parts: readonly DoubleQuotedChild[], shell: Shell): Promise<Piece[]> {
  if (parts.length === 0) return [{ text: "", quoted: true }];
  return expandParts(parts, shell, true);
}

async function glob(part: Extract<WordPart, { type: "Glob" }>, shell: Shell, quoted: boolean): Promise<Piece[]> {
  if (quoted) return [{ text: part.text, quoted }];
  if (!part.parts) return [{ text: part.value, quoted: false }];
  const inner = await expandParts(part.parts, shell, false);
  const pattern = inner.map((piece) => (piece === BREAK ? "" : piece.text)).join("");
  return [{ text: `[${pattern}]`, quoted: false }];
}
