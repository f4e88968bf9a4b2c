// `$((…))`: 64-bit integers with C's operators (POSIX 2.6.4).

import { parse, type ArithmeticExpression } from "unbash";
import { ShellError } from "./errors.js";
import type { Shell } from "./shell.js";

const DEPTH_MAX = 64;

export async function evaluate(expression: ArithmeticExpression | undefined, shell: Shell, depth = 0): Promise<bigint> {
  if (!expression) return 0n;
  if (depth > DEPTH_MAX) throw new ShellError("expression recursion loop detected");
  switch (expression.type) {
    case "ArithmeticGroup":
      return evaluate(expression.expression, shell, depth);
    case "ArithmeticWord":
      return valueOf(await textOf(expression, shell), shell, depth);
    case "ArithmeticCommandExpansion":
      throw new ShellError("arithmetic syntax error");
    case "ArithmeticTernary": {
      const chosen = (await evaluate(expression.test, shell, depth)) !== 0n;
      return evaluate(chosen ? expression.consequent : expression.alternate, shell, depth);
    }
    case "ArithmeticUnary":
      return unary(expression, shell, depth);
    case "ArithmeticBinary":
      return binary(expression, shell, depth);
  }
}

type Word = Extract<ArithmeticExpression, { type: "ArithmeticWord" }>;

async function textOf(word: Word, shell: Shell): Promise<string> {
  return word.parts ? shell.interpreter.expandText(word.parts) : word.value;
}

/** A number, or a variable, whose value may be an expression. */
async function valueOf(text: string, shell: Shell, depth: number): Promise<bigint> {
  const trimmed = text.trim();
  if (trimmed === "") return 0n;
  if (/^0[xX][0-9a-fA-F]+$/.test(trimmed)) return BigInt.asIntN(64, BigInt(trimmed));
  if (/^0[0-7]+$/.test(trimmed)) return BigInt.asIntN(64, BigInt(`0o${trimmed.slice(1)}`));
  if (/^0\d/.test(trimmed)) throw new ShellError("arithmetic syntax error");
  if (/^\d+$/.test(trimmed)) return BigInt.asIntN(64, BigInt(trimmed));
  if (/^[A-Za-z_]\w*$/.test(trimmed)) return valueOf(shell.parameter(trimmed) ?? "0", shell, depth + 1);
  if (depth > DEPTH_MAX) throw new ShellError("expression recursion loop detected");
  return evaluate(parseExpression(trimmed), shell, depth + 1);
}

/** Throws if the text is not an expression. */
export function parseExpression(text: string): ArithmeticExpression | undefined {
  const script = parse(`: $((${text}))`);
  const command = script.commands[0]?.command;
  const word = command?.type === "Command" ? command.suffix[0] : undefined;
  const part = word?.type === "Word" ? word.parts?.[0] : undefined;
  if (script.errors?.length || part?.type !== "ArithmeticExpansion" || (!part.expression && text.trim() !== ""))
    throw new ShellError("arithmetic syntax error");
  return part.expression;
}

async function unary(
  { operator, operand, prefix }: Extract<ArithmeticExpression, { type: "ArithmeticUnary" }>,
  shell: Shell,
  depth: number,
): Promise<bigint> {
  const value = await evaluate(operand, shell, depth);
  if (operator === "++" || operator === "--") {
    const changed = BigInt.asIntN(64, operator === "++" ? value + 1n : value - 1n);
    assign(operand, changed, shell);
    return prefix ? changed : value;
  }
  if (operator === "!") return value === 0n ? 1n : 0n;
  if (operator === "~") return ~value;
  return operator === "-" ? BigInt.asIntN(64, -value) : value;
}

function assign(target: ArithmeticExpression, value: bigint, shell: Shell): void {
  if (target.type !== "ArithmeticWord" || !/^[A-Za-z_]\w*$/.test(target.value))
    throw new ShellError("arithmetic syntax error");
  shell.variables.set(target.value, String(value));
}

async function binary(
  { operator, left, right }: Extract<ArithmeticExpression, { type: "ArithmeticBinary" }>,
  shell: Shell,
  depth: number,
): Promise<bigint> {
  if (operator === "&&" || operator === "||") {
    const first = (await evaluate(left, shell, depth)) !== 0n;
    if (first === (operator === "||")) return first ? 1n : 0n;
    return (await evaluate(right, shell, depth)) !== 0n ? 1n : 0n;
  }
  const isAssignment = /^([-+*/%&|^]|<<|>>)?=$/.test(operator);
  const a = operator === "=" ? 0n : await evaluate(left, shell, depth);
  const b = await evaluate(right, shell, depth);
  if (!isAssignment) return compute(operator, a, b);
  const value = operator === "=" ? b : compute(operator.slice(0, -1), a, b);
  assign(left, value, shell);
  return value;
}

function compute(operator: string, a: bigint, b: bigint): bigint {
  if ((operator === "/" || operator === "%") && b === 0n) throw new ShellError("divide by zero");
  const operation = OPERATIONS[operator];
  if (!operation) throw new ShellError("arithmetic syntax error");
  return BigInt.asIntN(64, operation(a, b));
}

const truth = (value: boolean): bigint => (value ? 1n : 0n);

const OPERATIONS: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "**": (a, b) => (b < 0n ? 0n : a ** b),
  "<<": (a, b) => a << (b & 63n),
  ">>": (a, b) => a >> (b & 63n),
  "&": (a, b) => a & b,
  "|": (a, b) => a | b,
  "^": (a, b) => a ^ b,
  "<": (a, b) => truth(a < b),
  ">": (a, b) => truth(a > b),
  "<=": (a, b) => truth(a <= b),
  ">=": (a, b) => truth(a >= b),
  "==": (a, b) => truth(a === b),
  "!=": (a, b) => truth(a !== b),
  ",": (_, b) => b,
};
