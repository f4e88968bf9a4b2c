// awk, limited to one-liners that select fields: `{print $1, $NF}`, with an optional pattern or condition.

import { chomp, command, eachInput, lines, Writer } from "../command.js";
import { posixExpression } from "../expressions.js";
import { unescapeBytes } from "../escapes.js";
import { parseOptions, UsageError } from "../options.js";

interface Line {
  text: string;
  fields: string[];
  number: number;
}

type Value = (line: Line) => string;

export const awk = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "F:v:", {}, true);
  const script = words.shift();
  if (script === undefined) throw new UsageError("no program");
  const rule = ruleOf(script.trim());
  const separator = flags.get("F");
  const writer = new Writer(process);
  let number = 0;
  const code = await eachInput(process, words, async (input) => {
    for await (const raw of lines(input)) {
      const text = chomp(raw);
      const fields =
        separator === undefined
          ? text
              .trim()
              .split(/[ \t]+/)
              .filter((field) => field !== "")
          : text.split(splitterOf(separator));
      const line = { text, fields, number: ++number };
      if (rule.applies(line)) await writer.write(`${rule.print(line)}\n`);
    }
  });
  await writer.flush();
  return code;
});

function splitterOf(separator: string): string | RegExp {
  const text = separator.replace(/\\t/g, "\t");
  return text.length === 1 ? text : posixExpression(text, true);
}

const RULE =
  /^(?:\/((?:[^/\\]|\\.)*)\/|(\$?\w+)\s*(==|!=|>=|<=|>|<|~)\s*("(?:[^"\\]|\\.)*"|\/(?:[^/\\]|\\.)*\/|[\w.-]+))?\s*(?:\{\s*print\s*(.*?);?\s*\})?$/s;

function ruleOf(script: string): { applies: (line: Line) => boolean; print: Value } {
  const found = RULE.exec(script);
  if (!found || script === "") throw new UsageError(`unsupported program: ${script}`);
  const [, pattern, left, operator, right, printed] = found;
  const expression = pattern === undefined ? undefined : posixExpression(pattern, true);
  const holds = left === undefined ? () => true : conditionOf(left, operator!, right!);
  const print = printed ? valuesOf(printed) : ({ text }: Line) => text;
  return { applies: (line) => (expression ? expression.test(line.text) : holds(line)), print };
}

function conditionOf(left: string, operator: string, right: string): (line: Line) => boolean {
  const a = valueOf(left);
  if (operator === "~") {
    const expression = posixExpression(right.replace(/^["/]|["/]$/g, ""), true);
    return (line) => expression.test(a(line));
  }
  const b = valueOf(right);
  return (line) => {
    const [x, y] = [a(line), b(line)];
    const isNumeric = x !== "" && y !== "" && !Number.isNaN(Number(x)) && !Number.isNaN(Number(y));
    const order = isNumeric ? Number(x) - Number(y) : x < y ? -1 : x > y ? 1 : 0;
    return (
      { "==": order === 0, "!=": order !== 0, ">": order > 0, "<": order < 0, ">=": order >= 0, "<=": order <= 0 }[
        operator
      ] ?? false
    );
  };
}

/** Values separated by commas are joined by spaces; adjacent values are concatenated. */
function valuesOf(text: string): Value {
  const items: Value[][] = [[]];
  for (let rest = text.trim(); rest !== ""; rest = rest.trimStart()) {
    const token = /^(?:,|"(?:[^"\\]|\\.)*"|\$?\w+|\$\(NF-\d+\))/.exec(rest)?.[0];
    if (token === undefined) throw new UsageError(`unsupported program: ${text}`);
    if (token === ",") items.push([]);
    else items.at(-1)!.push(valueOf(token));
    rest = rest.slice(token.length);
  }
  return (line) => items.map((item) => item.map((value) => value(line)).join("")).join(" ");
}

function valueOf(token: string): Value {
  if (token.startsWith('"')) {
    const text = new TextDecoder().decode(unescapeBytes(token.slice(1, -1).replace(/\\"/g, '"'), "printf").bytes);
    return () => text;
  }
  if (token === "NF") return ({ fields }) => String(fields.length);
  if (token === "NR") return ({ number }) => String(number);
  if (token === "$0") return ({ text }) => text;
  if (token === "$NF") return ({ fields }) => fields.at(-1) ?? "";
  const fromEnd = /^\$\(NF-(\d+)\)$/.exec(token)?.[1];
  if (fromEnd !== undefined) return ({ fields }) => fields[fields.length - 1 - Number(fromEnd)] ?? "";
  const index = /^\$(\d+)$/.exec(token)?.[1];
  if (index !== undefined) return ({ fields }) => fields[Number(index) - 1] ?? "";
  if (/^[\d.]+$/.test(token)) return () => token;
  throw new UsageError(`unsupported program: ${token}`);
}
