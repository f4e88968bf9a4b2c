// Runs lists, conditions and pipelines (POSIX 2.9). For simple commands see `simple.ts`.

import type { AndOr, Pipeline, PipelineNode, Statement } from "unbash";
import type { ContainerProcess } from "../processes/process.js";
import { Bytes, Pipe, type Source } from "../processes/streams.js";
import { runCompound } from "./compound.js";
import { RedirectionFailed } from "./descriptors.js";
import { Exit } from "./errors.js";
import type { Shell } from "./shell.js";
import { runSimple } from "./simple.js";

/** Processor time of a command. */
const COMMAND_NS = 5_000;

/** `last`: nothing comes after it in this process, so its last command may replace the process. */
export async function runList(statements: readonly Statement[], shell: Shell, last: boolean): Promise<number> {
  for (const [index, statement] of statements.entries()) {
    await runStatement(statement, shell, last && index === statements.length - 1);
  }
  return shell.status;
}

export async function runStatement(statement: Statement, shell: Shell, last = false): Promise<number> {
  const { command, background } = statement;
  if (background) return runInBackground(command, shell);
  shell.status = await runAndOr(command, shell, last);
  await shell.traps.run();
  return shell.status;
}

function runInBackground(command: Statement["command"], shell: Shell): number {
  const nothing = new Bytes(new Uint8Array(0));
  const child = shell.subshell((inner) => runAndOr(command, inner, true), { stdin: nothing });
  shell.lastBackground = child.pid;
  shell.jobs.set(child.pid, child);
  return (shell.status = 0);
}

async function runAndOr(node: PipelineNode | AndOr, shell: Shell, last: boolean): Promise<number> {
  if (node.type !== "AndOr") return runPipeline(node, shell, last);
  const { commands, operators } = node;
  for (const [index, command] of commands.entries()) {
    const before = operators[index - 1];
    if (before && (before === "&&") !== (shell.status === 0)) continue;
    const isLast = index === commands.length - 1;
    shell.status = isLast
      ? await runPipeline(command, shell, last)
      : await shell.condition(() => runPipeline(command, shell, false));
  }
  return shell.status;
}

async function runPipeline(node: PipelineNode, shell: Shell, last: boolean): Promise<number> {
  if (node.type !== "Pipeline") return checked(await runCommand(node, shell, last), shell);
  const { commands, prefixes } = node;
  const isNegated = prefixes.filter(({ type }) => type === "Negation").length % 2 === 1;
  const run = (): Promise<number> =>
    commands.length === 1 ? runCommand(commands[0]!, shell, last && !isNegated) : runPiped(node, shell);
  if (!isNegated) return checked(await run(), shell);
  return (await shell.condition(run)) === 0 ? 1 : 0;
}

/** Applies `set -e`. */
function checked(status: number, shell: Shell): number {
  if (status !== 0 && shell.options.has("e") && shell.tested === 0) throw new Exit(status);
  return status;
}

async function runPiped({ commands, operators }: Pipeline, shell: Shell): Promise<number> {
  const children: ContainerProcess[] = [];
  let stdin: Source | undefined;
  for (const [index, command] of commands.entries()) {
    const pipe = index < commands.length - 1 ? new Pipe() : undefined;
    const joined = operators[index] === "|&";
    const start = (inner: Shell): Promise<number> => {
      if (joined) inner.descriptors.duplicate(1, 2);
      return runCommand(command, inner, true);
    };
    const stdio = { ...(stdin && { stdin }), ...(pipe && { stdout: pipe.sink }) };
    children.push(shell.subshell(start, stdio));
    stdin?.release();
    pipe?.sink.release();
    stdin = pipe?.source;
  }
  const codes = await Promise.all(children.map(({ exited }) => exited));
  await shell.process.work(0);
  const failed = shell.options.has("pipefail") ? codes.findLast((code) => code !== 0) : undefined;
  return failed ?? codes.at(-1) ?? 0;
}

async function runCommand(node: PipelineNode, shell: Shell, last: boolean): Promise<number> {
  await shell.process.work(COMMAND_NS);
  if (node.type === "Pipeline") return runPipeline(node, shell, last);
  if (node.type !== "Command") return runCompound(node, shell, last);
  try {
    return await runSimple(node, shell, last);
  } catch (error) {
    if (!(error instanceof RedirectionFailed)) throw error;
    await shell.complain(error.message);
    return 1;
  }
}
