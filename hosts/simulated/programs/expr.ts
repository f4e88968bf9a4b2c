// expr: integers, comparisons, and matches at the beginning of a text (POSIX expr).

import { command, complain } from "./command.js";
import { posixExpression } from "./expressions.js";

class Malformed extends Error {}

export const expr = command(async (process, args) => {
  try {
    const value = new Reader(args).whole();
    await process.stdout.write(`${value}\n`);
    return value === "" || value === "0" ? 1 : 0;
  } catch (error) {
    if (error instanceof Malformed) return complain(process, error.message, 2);
    throw error;
  }
});

/** Operators, the lowest precedence first. */
const LEVELS: readonly (readonly string[])[] = [
  ["|"],
  ["&"],
  ["<", "<=", "=", "==", "!=", ">=", ">"],
  ["+", "-"],
  ["*", "/", "%"],
  [":"],
];

class Reader {
  #at = 0;

  constructor(readonly words: readonly string[]) {}

  whole(): string {
    const value = this.#level(0);
    if (this.#at < this.words.length || this.words.length === 0) throw new Malformed("syntax error");
    return value;
  }

  #level(level: number): string {
    const operators = LEVELS[level];
    if (!operators) return this.#primary();
    let left = this.#level(level + 1);
    for (let word = this.words[this.#at]; word !== undefined && operators.includes(word); word = this.words[this.#at]) {
      this.#at++;
      left = compute(word, left, this.#level(level + 1));
    }
    return left;
  }

  #primary(): string {
    const word = this.words[this.#at++];
    if (word === undefined) throw new Malformed("syntax error");
    if (word === "length") return String([...this.#primary()].length);
    if (word === "match") return compute(":", this.#primary(), this.#primary());
    if (word === "substr") {
      const [text, from, length] = [this.#primary(), Number(this.#primary()), Number(this.#primary())];
      return text.slice(from - 1, from - 1 + length);
    }
    if (word !== "(") return word;
    const value = this.#level(0);
    if (this.words[this.#at++] !== ")") throw new Malformed("syntax error");
    return value;
  }
}

function compute(operator: string, left: string, right: string): string {
  const isTrue = (text: string): boolean => text !== "" && text !== "0";
  if (operator === "|") return isTrue(left) ? left : right;
  if (operator === "&") return isTrue(left) && isTrue(right) ? left : "0";
  if (operator === ":") return matched(left, right);
  if (LEVELS[2]!.includes(operator)) return compare(operator, left, right) ? "1" : "0";
  const [a, b] = [integer(left), integer(right)];
  if (operator === "+") return String(a + b);
  if (operator === "-") return String(a - b);
  if (operator === "*") return String(a * b);
  if (b === 0n) throw new Malformed("division by zero");
  return String(operator === "/" ? a / b : a % b);
}

function compare(operator: string, left: string, right: string): boolean {
  const numbers = /^-?\d+$/.test(left) && /^-?\d+$/.test(right);
  const order = numbers ? Number(integer(left) - integer(right)) : left < right ? -1 : left > right ? 1 : 0;
  if (operator === "<") return order < 0;
  if (operator === "<=") return order <= 0;
  if (operator === ">") return order > 0;
  if (operator === ">=") return order >= 0;
  return operator === "!=" ? order !== 0 : order === 0;
}

function matched(text: string, pattern: string): string {
  const expression = posixExpression(pattern.replace(/^\^/, ""), false);
  const found = new RegExp(`^(?:${expression.source})`).exec(text);
  if (/\\\(/.test(pattern)) return found?.[1] ?? "";
  return String(found?.[0].length ?? 0);
}

function integer(text: string): bigint {
  if (!/^[+-]?\d+$/.test(text)) throw new Malformed("non-numeric argument");
  return BigInt(text);
}
