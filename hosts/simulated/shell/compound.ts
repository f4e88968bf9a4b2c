// Compound commands and functions (POSIX 2.9.4, 2.9.5).

import type { Case, CommandNode, CompoundCommand, For, If, Redirected, Statement, TestExpression, While } from "unbash";
import { RedirectionFailed } from "./descriptors.js";
import { Loop, Return, ShellError } from "./errors.js";
import { expandPattern, expandWord, expandWords } from "./expand.js";
import { patternExpression } from "./pattern.js";
import { redirected } from "./redirect.js";
import type { FunctionBody, Shell } from "./shell.js";
import { evaluateTest } from "./test.js";
import { NAME } from "./variables.js";

type Compound = Exclude<CommandNode, { type: "Command" }>;

/** `last`: nothing comes after it in this process. */
export async function runCompound(node: Compound | FunctionBody, shell: Shell, last = false): Promise<number> {
  switch (node.type) {
    case "Redirected":
      return runRedirected(node, shell);
    case "CompoundList":
      return shell.interpreter.runList(node.commands, false);
    case "BraceGroup":
      return shell.interpreter.runList(node.body.commands, false);
    case "Subshell":
      return runSubshell(node.body.commands, shell, last);
    case "If":
      return runIf(node, shell);
    case "While":
      return runLoop(
        shell,
        () => whileHolds(node, shell),
        () => shell.interpreter.runList(node.body.commands, false),
      );
    case "For":
      return runFor(node, shell);
    case "Case":
      return runCase(node, shell);
    case "Function":
      shell.functions.set(node.name.value, node.body);
      return 0;
    case "TestCommand":
      return evaluateTest(await testWords(node.expression, shell), shell.process);
    default:
      throw new ShellError(`syntax error: unexpected "("`);
  }
}

async function runRedirected(node: Redirected, shell: Shell): Promise<number> {
  const before = shell.descriptors;
  try {
    shell.descriptors = await redirected(node.redirects, shell);
    return await runCompound(node.command satisfies CompoundCommand, shell);
  } catch (error) {
    if (!(error instanceof RedirectionFailed)) throw error;
    shell.descriptors = before;
    await shell.complain(error.message);
    return 1;
  } finally {
    shell.descriptors = before;
  }
}

async function runSubshell(commands: readonly Statement[], shell: Shell, last: boolean): Promise<number> {
  if (last && shell.traps.size === 0) return shell.interpreter.runList(commands, true); // already its own process
  const child = shell.subshell((inner) => inner.interpreter.runList(commands, true));
  const code = await child.exited;
  await shell.process.work(0);
  return code;
}

async function runIf(node: If, shell: Shell): Promise<number> {
  for (const { clause, then } of [node, ...node.elif]) {
    if ((await shell.condition(() => shell.interpreter.runList(clause.commands, false))) === 0)
      return shell.interpreter.runList(then.commands, false);
  }
  shell.status = 0;
  return node.else ? shell.interpreter.runList(node.else.commands, false) : 0;
}

async function whileHolds({ kind, clause }: While, shell: Shell): Promise<boolean> {
  const status = await shell.condition(() => shell.interpreter.runList(clause.commands, false));
  return (status === 0) === (kind === "while");
}

async function runFor(node: For, shell: Shell): Promise<number> {
  const name = node.name.value;
  if (!NAME.test(name)) throw new ShellError("syntax error: bad for loop variable");
  const values = node.wordlist ? await expandWords(node.wordlist, shell) : [...shell.parameters];
  let next = 0;
  const hasNext = async (): Promise<boolean> => {
    const value = values[next++];
    if (value !== undefined) shell.variables.set(name, value);
    return value !== undefined;
  };
  return runLoop(shell, hasNext, () => shell.interpreter.runList(node.body.commands, false));
}

async function runLoop(shell: Shell, holds: () => Promise<boolean>, body: () => Promise<number>): Promise<number> {
  let status = 0;
  shell.loops++;
  try {
    for (;;) {
      try {
        if (!(await holds())) return status;
        await shell.process.work(LOOP_NS);
        status = await body();
      } catch (error) {
        if (!(error instanceof Loop)) throw error;
        status = 0;
        if (--error.levels > 0 && shell.loops > 1) throw error;
        if (error.kind === "break") return 0;
      }
    }
  } finally {
    shell.loops--;
  }
}

const LOOP_NS = 1_000;

async function runCase(node: Case, shell: Shell): Promise<number> {
  const text = await expandWord(node.word, shell);
  let falls = false;
  for (const { pattern, body, terminator } of node.items) {
    if (!falls && !(await matchesAny(text, pattern, shell))) continue;
    shell.status = 0;
    const status = await shell.interpreter.runList(body.commands, false);
    if (terminator !== ";&") return status;
    falls = true;
  }
  return 0;
}

async function matchesAny(text: string, patterns: Case["items"][number]["pattern"], shell: Shell): Promise<boolean> {
  for (const pattern of patterns) if (patternExpression(await expandPattern(pattern, shell)).test(text)) return true;
  return false;
}

const DEPTH_MAX = 1000;

export async function callFunction(body: FunctionBody, args: readonly string[], shell: Shell): Promise<number> {
  if (shell.depth >= DEPTH_MAX) throw new ShellError("function nesting too deep");
  const before = { parameters: shell.parameters, locals: shell.locals, loops: shell.loops };
  Object.assign(shell, { parameters: args, locals: new Map(), loops: 0 });
  shell.depth++;
  try {
    return await runCompound(body, shell);
  } catch (error) {
    if (error instanceof Return) return error.code;
    throw error;
  } finally {
    shell.depth--;
    for (const [name, variable] of shell.locals ?? []) shell.variables.restore(name, variable);
    Object.assign(shell, before);
  }
}

/** `[[ … ]]` as in ash: `test` without splitting. */
async function testWords(expression: TestExpression, shell: Shell): Promise<string[]> {
  switch (expression.type) {
    case "TestUnary":
      return [expression.operator, await expandWord(expression.operand, shell)];
    case "TestBinary":
      return [await expandWord(expression.left, shell), expression.operator, await expandWord(expression.right, shell)];
    case "TestGroup":
      return ["(", ...(await testWords(expression.expression, shell)), ")"];
    case "TestNot":
      return [...expression.negations.map(() => "!"), ...(await testWords(expression.operand, shell))];
    case "TestLogical": {
      const operator = expression.operator === "&&" ? "-a" : "-o";
      const operands: string[][] = [];
      for (const operand of expression.operands) operands.push(await testWords(operand, shell));
      return operands.flatMap((words, index) => (index > 0 ? [operator, ...words] : words));
    }
  }
}
