// Several commands, run one after the other as a shell does it.

import type { SyntaxNode, Word } from "unbash";
import { parseWords } from "../commands.js";
import { Wrong } from "../docker/wrong.js";
import { unsetRemark } from "../parse.js";
import { ended, runPlan, type Sender } from "../plan.js";
import { isBuiltin, runBuiltin } from "./builtins.js";
import { fieldsOf, textOf, type Values } from "./expand.js";
import { filtered } from "./filters.js";
import { printedBy, wentWell } from "./output.js";
import { readScript, substitutions, type Script, type Simple, type Step } from "./script.js";
import type { Variables } from "./variables.js";
import { invocations } from "./xargs.js";

export interface Place {
  readonly version: string;
  readonly sender: Sender;
  /** Kept from line to line. */
  readonly variables: Variables;
  /** Shows what a command has to show by itself. */
  show(text: string): void;
  remark(text: string): void;
  /** Says why a command did nothing; what comes after it may be run all the same. */
  refuse(problem: string): void;
}

interface Result {
  readonly ok: boolean;
  readonly printed: string;
}

/** Whether the last command went well; throws what is no line of a shell, or more than is worked out here. */
export async function runScript(script: Script, place: Place): Promise<boolean> {
  script.remarks.forEach((remark) => place.remark(remark));
  return (await runSteps(script.steps, place, false)).ok;
}

/** `captured`: what is printed is for another command. */
async function runSteps(steps: readonly Step[], place: Place, captured: boolean): Promise<Result> {
  let ok = true;
  let printed = "";
  for (const [at, step] of steps.entries()) {
    if ((step.joint === "&&" && !ok) || (step.joint === "||" && ok)) continue;
    const last = await runPipeline(step.commands, place, { waits: at + 1 < steps.length, captured });
    ok = last.ok;
    printed += last.printed === "" ? "" : `${last.printed}\n`;
  }
  return { ok, printed };
}

interface How {
  /** Something comes after it. */
  readonly waits: boolean;
  /** What it prints is read by another command. */
  readonly captured: boolean;
}

async function runPipeline(commands: readonly Simple[], place: Place, how: How): Promise<Result> {
  let last: Result | null = null;
  for (const [at, command] of commands.entries()) {
    const isRead = at + 1 < commands.length;
    const own = { waits: how.waits || isRead, captured: how.captured || isRead };
    last = await runSimple(command, place, own, last?.printed ?? null);
  }
  return last ?? { ok: true, printed: "" };
}

/** `input`: what the command before it in the pipe has printed. */
async function runSimple(command: Simple, place: Place, how: How, input: string | null): Promise<Result> {
  const { words, set, ok } = await expanded(command, place);
  if (words.length === 0) {
    for (const [name, value] of set) place.variables.set(name, value);
    return { ok, printed: "" };
  }
  const run = (one: readonly string[]): Promise<Result> => runWords(one, place, how, set);
  try {
    if (input === null) return await run(words);
    return words[0] === "xargs"
      ? await runEach(invocations(words.slice(1), input), run)
      : await runFilter(words, input, place, how);
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    place.refuse(error.message);
    return { ok: false, printed: "" };
  }
}

async function runFilter(words: readonly string[], input: string, place: Place, how: How): Promise<Result> {
  const { ok, printed, problem } = await filtered(words, input);
  if (problem !== "") place.refuse(problem);
  if (!how.captured && printed !== "") place.show(printed);
  return { ok, printed };
}

async function runEach(
  commands: readonly string[][],
  run: (words: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const results: Result[] = [];
  for (const words of commands) results.push(await run(words));
  const printed = results.map((one) => one.printed).filter((text) => text !== "");
  return { ok: results.every((one) => one.ok), printed: printed.join("\n") };
}

/** `set`: variables of this command alone. */
async function runWords(
  words: readonly string[],
  place: Place,
  how: How,
  set: ReadonlyMap<string, string>,
): Promise<Result> {
  if (isBuiltin(words[0]!)) {
    const done = runBuiltin(words, place.variables);
    if (!how.captured && done.printed !== "") place.show(done.printed);
    return done;
  }
  const parsed = parseWords(words, place.version, place.variables.environment(set));
  if (!parsed.ok) throw new Wrong(parsed.message, parsed.at);
  parsed.remarks.forEach((remark) => place.remark(remark));
  if (parsed.text !== undefined && !how.captured) place.show(parsed.text);
  const outcome = await runPlan(parsed.requests, place.sender);
  const shows = parsed.formats === true && !how.captured;
  if (!how.waits && !how.captured && !shows) return { ok: outcome.ok, printed: "" };
  for (const exchange of outcome.sent) await ended(exchange);
  const ok = wentWell(parsed, outcome);
  const printed = outcome.ok && (how.captured || shows) ? printedBy(parsed, outcome) : "";
  if (shows && printed !== "") place.show(printed);
  return { ok, printed };
}

/** A command's words and variables with all put in; `ok`: whether the last `$(…)` in them went well. */
interface Expanded {
  readonly words: readonly string[];
  readonly set: ReadonlyMap<string, string>;
  readonly ok: boolean;
}

async function expanded({ words, assignments }: Simple, place: Place): Promise<Expanded> {
  const all = [...words, ...assignments.map(({ value }) => value)];
  const { printed, ok } = await substituted(all, place);
  const set = new Map<string, string>();
  const values: Values = {
    printed: (part) => printed.get(part) ?? "",
    variable: (name) => {
      const value = set.get(name) ?? place.variables.get(name);
      if (value === undefined) place.remark(unsetRemark(name));
      return value ?? "";
    },
  };
  // The words come first: they do not see what is set for their command.
  const fields = words.flatMap((word) => fieldsOf(word, values));
  for (const { name, value } of assignments) set.set(name, textOf(value, values));
  return { words: fields, set, ok };
}

async function substituted(
  words: readonly Word[],
  place: Place,
): Promise<{ printed: ReadonlyMap<SyntaxNode, string>; ok: boolean }> {
  const printed = new Map<SyntaxNode, string>();
  let ok = true;
  for (const { part, text } of words.flatMap(substitutions)) {
    const inner = readScript(text);
    inner.remarks.forEach((remark) => place.remark(remark));
    const result = await runSteps(inner.steps, place, true);
    printed.set(part, result.printed);
    ok = result.ok;
  }
  return { printed, ok };
}
