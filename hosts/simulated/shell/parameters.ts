// Parameter expansion: `$x`, `"$@"`, `${x:-word}` and so on (POSIX 2.6.2, and ash's additions from bash).

import type { ParameterExpansionPart, ParameterOperation, Word } from "unbash";
import { evaluate, parseExpression } from "./arithmetic.js";
import { ShellError } from "./errors.js";
import { patternExpression } from "./pattern.js";
import { BREAK, textOf, toPattern, type Piece } from "./pieces.js";
import type { Shell } from "./shell.js";

export function expandSimple(name: string, shell: Shell, quoted: boolean): Piece[] {
  if (name === "@" || name === "*") return positional(name, shell, quoted);
  return [{ text: required(name, shell), quoted, split: !quoted }];
}

export async function expandParameter(part: ParameterExpansionPart, shell: Shell, quoted: boolean): Promise<Piece[]> {
  const { parameter: name, prefix, operation } = part;
  if (prefix === "!" || part.index) throw new ShellError("syntax error: bad substitution");
  if (prefix === "#") return [{ text: String(lengthOf(name, shell)), quoted, split: !quoted }];
  if (!operation) return expandSimple(name, shell, quoted);
  if (operation.type === "Default") return defaulted(name, operation, shell, quoted);
  const value = name === "@" || name === "*" ? shell.parameters.join(" ") : required(name, shell);
  return [{ text: await changed(value, operation, shell), quoted, split: !quoted }];
}

/** `"$@"` gives a field for each parameter; `"$*"` gives one, joined by the first character of IFS. */
function positional(name: "@" | "*", shell: Shell, quoted: boolean): Piece[] {
  const { parameters } = shell;
  if (quoted && name === "*") {
    const ifs = shell.variables.value("IFS");
    return [{ text: parameters.join(ifs === undefined ? " " : ifs.slice(0, 1)), quoted }];
  }
  const pieces: Piece[] = [];
  for (const [index, text] of parameters.entries()) {
    if (index > 0 && (quoted || text !== "")) pieces.push(BREAK);
    if (quoted || text !== "") pieces.push({ text, quoted, split: !quoted });
  }
  return pieces[0] === BREAK ? pieces.slice(1) : pieces;
}

function required(name: string, shell: Shell): string {
  const value = shell.parameter(name);
  if (value === undefined && shell.options.has("u")) throw new ShellError(`${name}: parameter not set`);
  return value ?? "";
}

function lengthOf(name: string, shell: Shell): number {
  if (name === "@" || name === "*") return shell.parameters.length;
  return [...required(name, shell)].length;
}

type Default = Extract<ParameterOperation, { type: "Default" }>;

async function defaulted(
  name: string,
  { operator, operand }: Default,
  shell: Shell,
  quoted: boolean,
): Promise<Piece[]> {
  const isList = name === "@" || name === "*";
  const value = isList ? shell.parameters.join(" ") || undefined : shell.parameter(name);
  const isMissing = value === undefined || (operator.startsWith(":") && value === "");
  const action = operator.replace(":", "");
  if (action === "+") return isMissing ? [] : operandPieces(operand, shell, quoted);
  if (!isMissing) return isList ? expandSimple(name, shell, quoted) : [{ text: value, quoted, split: !quoted }];
  if (action === "-") return operandPieces(operand, shell, quoted);
  const text = textOf(await shell.interpreter.expand(operand, quoted));
  if (action === "?")
    throw new ShellError(`${name}: ${text || (operator === "?" ? "parameter not set" : "parameter not set or null")}`);
  shell.variables.set(name, text);
  return [{ text, quoted, split: !quoted }];
}

/** Text written without quotes is split. */
async function operandPieces(operand: Word, shell: Shell, quoted: boolean): Promise<Piece[]> {
  const pieces = await shell.interpreter.expand(operand, quoted);
  return pieces.map((piece) => (piece !== BREAK && piece.bare ? { ...piece, quoted: false, split: true } : piece));
}

async function changed(value: string, operation: ParameterOperation, shell: Shell): Promise<string> {
  switch (operation.type) {
    case "Remove":
      return removed(value, operation.operator, toPattern(await shell.interpreter.expand(operation.operand)));
    case "Replace":
      return replaced(value, operation, shell);
    case "Slice": {
      const start = Number(await number(operation.offset, shell));
      const length = operation.length ? Number(await number(operation.length, shell)) : undefined;
      const characters = [...value];
      const from = start < 0 ? Math.max(0, characters.length + start) : start;
      return characters.slice(from, length === undefined ? undefined : length < 0 ? length : from + length).join("");
    }
    default:
      throw new ShellError("syntax error: bad substitution");
  }
}

async function number(word: Word, shell: Shell): Promise<bigint> {
  return evaluate(parseExpression(textOf(await shell.interpreter.expand(word))), shell);
}

function removed(value: string, operator: "#" | "##" | "%" | "%%", pattern: string): string {
  const isLong = operator.length === 2;
  const whole = patternExpression(pattern);
  const lengths = Array.from({ length: value.length + 1 }, (_, index) => index);
  if (isLong) lengths.reverse();
  const atStart = operator.startsWith("#");
  const part = (length: number): string => (atStart ? value.slice(0, length) : value.slice(value.length - length));
  const length = lengths.find((candidate) => whole.test(part(candidate)));
  if (length === undefined) return value;
  return atStart ? value.slice(length) : value.slice(0, value.length - length);
}

type Replace = Extract<ParameterOperation, { type: "Replace" }>;

async function replaced(value: string, { operator, pattern, replacement }: Replace, shell: Shell): Promise<string> {
  const wanted = toPattern(await shell.interpreter.expand(pattern));
  if (wanted === "") return value;
  const anchor = operator === "/#" ? "^" : operator === "/%" ? "$" : "";
  const expression = patternExpression(wanted, anchor);
  const text = textOf(await shell.interpreter.expand(replacement));
  const flags = operator === "//" ? "gsu" : "su";
  return value.replace(new RegExp(expression.source, flags), () => text);
}
