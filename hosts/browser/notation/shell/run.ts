// Several commands, run one after the other as a shell does it.

import type { SyntaxNode, Word } from "unbash";
import { parseWords } from "../commands.js";
import { Wrong } from "../docker/wrong.js";
import type { Understood } from "../notation.js";
import { unsetRemark } from "../parse.js";
import { ended, runPlan, type Outcome } from "../plan.js";
import { isBuiltin, runBuiltin } from "./builtins.js";
import { readsOperand } from "./defaults.js";
import { fieldsOf, textOf, type Values } from "./expand.js";
import { Feed } from "./feed.js";
import { filtered } from "./filters.js";
import { codeOf, printedBy, refusalOf, STDERR, STDOUT } from "./output.js";
import { Stopped, StoppableSender } from "./stoppable.js";
import { redirected, stopOf, type How, type Place } from "./place.js";
import { readScript, substitutions, type Script, type Simple, type Step } from "./script.js";
import { invocations } from "./xargs.js";

interface Result {
  /** What it ended with; 0 if it went well. */
  readonly code: number;
  readonly printed: string;
  /** What it ends with, where it is not waited for. */
  readonly later?: Promise<number>;
}

/** Whether the last command went well; throws what is no line of a shell, or more than is worked out here. */
export async function runScript(script: Script, place: Place): Promise<boolean> {
  script.remarks.forEach((remark) => place.remark(remark));
  return (await runSteps(script.steps, place, false)).code === 0;
}

/** One command alone, whose words are all there. */
export async function runAlone(parsed: Understood, place: Place): Promise<void> {
  try {
    const { code, later } = await runParsed(parsed, place, { waits: false, captured: false });
    place.variables.ended(code, later);
  } catch (error) {
    place.variables.ended(1);
    throw error;
  }
}

/** `captured`: what is printed is for another command. */
async function runSteps(steps: readonly Step[], place: Place, captured: boolean): Promise<Result> {
  let code = 0;
  let printed = "";
  for (const [at, step] of steps.entries()) {
    if ((step.joint === "&&" && code !== 0) || (step.joint === "||" && code === 0)) continue;
    const last = await runPipeline(step.commands, place, { waits: at + 1 < steps.length, captured });
    code = place.interrupted?.aborted ? INTERRUPTED : last.code;
    place.variables.ended(code, last.later);
    printed += last.printed === "" ? "" : `${last.printed}\n`;
    if (place.interrupted?.aborted) break;
  }
  return { code, printed };
}

/** As after SIGINT. */
export const INTERRUPTED = 130;

/** All commands of a pipe run at a time; it ends as its last one does. */
async function runPipeline(commands: readonly Simple[], place: Place, how: How): Promise<Result> {
  let input: Feed | null = null;
  const running: Promise<Result>[] = [];
  for (const [at, command] of commands.entries()) {
    const feed = at + 1 < commands.length ? new Feed() : undefined;
    const own = { waits: how.waits || feed !== undefined, captured: how.captured || feed !== undefined, feed };
    running.push(runOne(command, place, own, input));
    input = feed ?? null;
  }
  return (await Promise.all(running)).at(-1) ?? { code: 0, printed: "" };
}

async function runOne(command: Simple, place: Place, how: How, input: Feed | null): Promise<Result> {
  try {
    const complaints: string[] = [];
    const [itsPlace, itsHow] = redirected(command, place, how, (problem) => void complaints.push(problem));
    const result = await runSimple(command, itsPlace, itsHow, input);
    const own = command.streams.out === "err" ? "" : result.printed;
    const printed = [...complaints, own].filter((text) => text !== "").join("\n");
    if (how.feed === undefined) return { ...result, printed };
    how.feed.write(printed === "" ? "" : `${printed}\n`);
    return { ...result, printed: "" };
  } finally {
    how.feed?.end();
    input?.close();
  }
}

/** What is wrong with a command ends that one alone. */
async function runSimple(command: Simple, place: Place, how: How, input: Feed | null): Promise<Result> {
  try {
    return await runExpanded(await expanded(command, place), place, how, input);
  } catch (error) {
    if (error instanceof Stopped) return { code: INTERRUPTED, printed: "" };
    if (!(error instanceof Wrong)) throw error;
    place.refuse(error.message);
    return { code: 1, printed: "" };
  }
}

/** `input`: what the command before it in the pipe prints. */
async function runExpanded(
  { words, set, code }: Expanded,
  place: Place,
  how: How,
  input: Feed | null,
): Promise<Result> {
  if (words.length === 0) {
    for (const [name, value] of set) place.variables.set(name, value);
    return { code, printed: "" };
  }
  const run = (one: readonly string[]): Promise<Result> => runWords(one, place, how, set);
  if (input === null) return run(words);
  return words[0] === "xargs"
    ? runEach(invocations(words.slice(1), await input.whole(stopOf(place, how))), run)
    : runFilter(words, input, place, how);
}

async function runFilter(words: readonly string[], input: Feed, place: Place, how: How): Promise<Result> {
  let text = "";
  const print = (piece: string): void => {
    if (how.taken?.has(STDOUT) === false) return;
    if (how.feed !== undefined) return how.feed.write(piece);
    text += piece;
    const end = how.captured ? -1 : text.lastIndexOf("\n");
    if (end < 0) return;
    place.show(text.slice(0, end));
    text = text.slice(end + 1);
  };
  const { code, problem } = await filtered(words, input, print, stopOf(place, how));
  if (problem !== "") place.refuse(problem);
  if (!how.captured && text !== "") place.show(text);
  return { code, printed: how.captured ? text.replace(/\n$/, "") : "" };
}

/** As xargs ends: with 123 where one of them did not go well. */
async function runEach(
  commands: readonly string[][],
  run: (words: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const results: Result[] = [];
  for (const words of commands) results.push(await run(words));
  const printed = results.map((one) => one.printed).filter((text) => text !== "");
  return { code: results.every(({ code }) => code === 0) ? 0 : 123, printed: printed.join("\n") };
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
    return how.taken?.has(STDOUT) === false ? { ...done, printed: "" } : done;
  }
  const parsed = parseWords(words, place.version, place.variables.environment(set));
  if (parsed.ok) return runParsed(parsed, place, how);
  place.refuse(parsed.message);
  return { code: parsed.code ?? 1, printed: "" };
}

async function runParsed(parsed: Understood, place: Place, how: How): Promise<Result> {
  parsed.remarks.forEach((remark) => place.remark(remark));
  if (parsed.text !== undefined && !how.captured) place.show(parsed.text);
  const sender = new StoppableSender(place.sender, stopOf(place, how), how);
  const outcome = await runPlan(parsed.requests, sender);
  const shows = parsed.formats === true && !how.captured;
  if (!how.waits && !how.captured && !shows) {
    const later = codeAtEnd(parsed, outcome).finally(() => sender.end());
    return { code: codeOf(parsed, outcome), printed: "", later };
  }
  const code = await codeAtEnd(parsed, outcome);
  const isTold = sender.end();
  if (!outcome.ok && how.captured && how.taken?.has(STDERR)) return { code, printed: refusalOf(outcome) };
  const printed = outcome.ok && !isTold && (how.captured || shows) ? printedBy(parsed, outcome, how.taken) : "";
  if (shows && printed !== "") place.show(printed);
  return { code, printed };
}

async function codeAtEnd(parsed: Understood, outcome: Outcome): Promise<number> {
  for (const exchange of outcome.sent) await ended(exchange);
  return codeOf(parsed, outcome);
}

/** A command's words and variables with all put in; `code`: what the last `$(…)` in them ended with. */
interface Expanded {
  readonly words: readonly string[];
  readonly set: ReadonlyMap<string, string>;
  readonly code: number;
}

async function expanded({ words, assignments }: Simple, place: Place): Promise<Expanded> {
  const all = [...words, ...assignments.map(({ value }) => value)];
  const { printed, code } = await substituted(all, place);
  const set = new Map<string, string>();
  const values: Values = {
    printed: (part) => printed.get(part) ?? "",
    variable: (name) => {
      const value = set.get(name) ?? place.variables.get(name);
      if (value === undefined) place.remark(unsetRemark(name));
      return value ?? "";
    },
    known: (name) => set.get(name) ?? place.variables.get(name),
    assign: (name, value) => place.variables.set(name, value),
  };
  // The words come first: they do not see what is set for their command.
  const fields = words.flatMap((word) => fieldsOf(word, values));
  for (const { name, value } of assignments) set.set(name, textOf(value, values));
  return { words: fields, set, code };
}

async function substituted(
  words: readonly Word[],
  place: Place,
): Promise<{ printed: ReadonlyMap<SyntaxNode, string>; code: number }> {
  const printed = new Map<SyntaxNode, string>();
  let code = 0;
  const isRead = (operator: string, name: string): boolean => readsOperand(operator, place.variables.get(name));
  for (const { part, text } of words.flatMap((word) => substitutions(word, isRead))) {
    const inner = readScript(text);
    inner.remarks.forEach((remark) => place.remark(remark));
    const result = await runSteps(inner.steps, place, true);
    printed.set(part, result.printed);
    code = result.code;
  }
  return { printed, code };
}
