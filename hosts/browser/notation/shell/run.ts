// Runs several commands one after the other like a shell, and the commands of a pipe in parallel.

import { Wrong } from "../docker/wrong.js";
import type { Understood } from "../notation.js";
import { expanded } from "./expanded.js";
import { Feed } from "./feed.js";
import { redirected, type How, type Place } from "./place.js";
import { INTERRUPTED, type Result } from "./result.js";
import { runParsed } from "./run-parsed.js";
import { runExpanded } from "./run-words.js";
import type { Script, Simple, Step } from "./script.js";
import { Stopped } from "./stoppable.js";

/** Resolves to whether the last command succeeded. Throws if the line is invalid or not supported here. */
export async function runScript(script: Script, place: Place): Promise<boolean> {
  script.remarks.forEach((remark) => place.remark(remark));
  return (await runSteps(script.steps, place, false)).code === 0;
}

/** Runs one command whose words are complete. */
export async function runAlone(parsed: Understood, place: Place): Promise<void> {
  try {
    const { code, later } = await runParsed(parsed, place, { waits: false, captured: false });
    place.variables.ended(code, later);
  } catch (error) {
    place.variables.ended(1);
    throw error;
  }
}

/** `captured`: another command reads the output. */
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

/** Runs all commands of a pipe at the same time. The exit code is that of the last one. */
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

/** `input`: the output of the previous command in the pipe. */
async function runOne(command: Simple, place: Place, how: How, input: Feed | null): Promise<Result> {
  try {
    const complaints: string[] = [];
    const [itsPlace, itsHow] = redirected(command, place, how, (problem) => void complaints.push(problem));
    const result = await runSimple(command, itsPlace, itsHow, input);
    const own = command.streams.out === "err" ? "" : result.printed;
    const printed = [...complaints, own].filter((text) => text !== "").join("\n");
    if (how.feed === undefined) return { ...result, printed };
    await how.feed.write(printed === "" ? "" : `${printed}\n`);
    return { ...result, printed: "" };
  } finally {
    how.feed?.end();
    input?.close();
  }
}

/** An error in a command ends only that command. */
async function runSimple(command: Simple, place: Place, how: How, input: Feed | null): Promise<Result> {
  try {
    const all = await expanded(command, place, (steps) => runSteps(steps, place, true));
    return await runExpanded(all, place, how, input);
  } catch (error) {
    if (error instanceof Stopped) return { code: INTERRUPTED, printed: "" };
    if (!(error instanceof Wrong)) throw error;
    place.refuse(error.message);
    return { code: 1, printed: "" };
  }
}
