// Runs one command whose words are complete: a builtin, a filter of a pipe, xargs, or a command that sends requests.

import { parseWords } from "../commands.js";
import { isBuiltin, runBuiltin } from "./builtins.js";
import type { Expanded } from "./expanded.js";
import type { Feed } from "./feed.js";
import { filtered } from "./filters.js";
import { STDOUT } from "./output.js";
import { stopOf, type How, type Place } from "./place.js";
import { Printed } from "./printed.js";
import type { Result } from "./result.js";
import { runParsed } from "./run-parsed.js";
import { invocations } from "./xargs.js";

/** `input`: the output of the previous command in the pipe. */
export async function runExpanded(
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
  const isRead = how.taken?.has(STDOUT) !== false;
  const shown = new Printed(isRead && !how.captured ? place.show : null);
  const output = isRead && how.feed !== undefined ? how.feed.sink : shown;
  const { code, problem } = await filtered(words, input.source, output, stopOf(place, how));
  if (problem !== "") place.refuse(problem);
  const rest = isRead ? shown.rest() : "";
  if (!how.captured && rest !== "") place.show(rest);
  return { code, printed: how.captured ? rest.replace(/\n$/, "") : "" };
}

/** Exits like xargs: with 123 if one command failed. */
async function runEach(
  commands: readonly string[][],
  run: (words: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const results: Result[] = [];
  for (const words of commands) results.push(await run(words));
  const printed = results.map((one) => one.printed).filter((text) => text !== "");
  return { code: results.every(({ code }) => code === 0) ? 0 : 123, printed: printed.join("\n") };
}

/** `set`: variables of this command only. */
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
