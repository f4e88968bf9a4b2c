// Converts POSIX regular expressions, basic and extended, to JavaScript's.

import { bracketExpression } from "../shell/pattern.js";

const BRACKET = /^\[\^?\]?(?:\[:\w+:\]|[^\]])*\]/;

export function posixExpression(pattern: string, extended: boolean, flags = ""): RegExp {
  let source = "";
  for (let at = 0; at < pattern.length;) {
    const [piece, length] = translate(pattern, at, extended, source);
    source += piece;
    at += length;
  }
  return new RegExp(source, flags);
}

function translate(pattern: string, at: number, extended: boolean, before: string): [string, number] {
  const character = pattern[at]!;
  const next = pattern[at + 1];
  if (character === "\\" && next !== undefined) return [escaped(next, extended), 2];
  const bracket = character === "[" ? BRACKET.exec(pattern.slice(at))?.[0] : undefined;
  if (bracket) return [bracketExpression(bracket.replace(/\\/g, "\\\\")), bracket.length];
  if (character === "*" && (before === "" || /(^|[^\\])[(|^]$/.test(before))) return ["\\*", 1];
  if (character === "^" && !extended && at > 0 && !before.endsWith("(") && !before.endsWith("|")) return ["\\^", 1];
  if (character === "$" && !extended && next !== undefined && !pattern.startsWith("\\)", at + 1)) return ["\\$", 1];
  if (!extended && "(){}|+?".includes(character)) return [`\\${character}`, 1];
  if (extended && character === "{" && !/^\{\d*,?\d*\}/.test(pattern.slice(at))) return ["\\{", 1];
  return ["]/".includes(character) ? `\\${character}` : character, 1];
}

function escaped(character: string, extended: boolean): string {
  if (!extended && "(){}|+?".includes(character)) return character;
  if (/[1-9bBwWsS]/.test(character)) return `\\${character}`;
  if (character === "<" || character === ">") return "\\b";
  if (character === "n" || character === "t") return `\\${character}`;
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}

export function escapeExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
