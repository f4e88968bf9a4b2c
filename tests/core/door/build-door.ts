// Door to core/assembly/build.

import { Dockerfile, parseDockerfile, parseTrigger } from "../../../core/assembly/build/dockerfile/dockerfile";
import { Heredoc, Instruction } from "../../../core/assembly/build/dockerfile/instruction";
import { emptyContinuations, Warning } from "../../../core/assembly/build/dockerfile/warning";
import { Budget } from "../../../core/assembly/build/evaluation/budget";
import { BuildArguments, StageArguments } from "../../../core/assembly/build/evaluation/build-arguments";
import { BuildState } from "../../../core/assembly/build/evaluation/build-state";
import { evaluate } from "../../../core/assembly/build/evaluation/evaluate";
import { Mount } from "../../../core/assembly/build/evaluation/run-mount";
import { CopyStep, RunStep, Step, StepKind } from "../../../core/assembly/build/evaluation/step";
import { substitute } from "../../../core/assembly/build/evaluation/substitution";
import { parseIgnoreFile } from "../../../core/assembly/build/ignore/ignore-file";
import { NamedContext } from "../../../core/assembly/build/stages/named-context";
import { Stage } from "../../../core/assembly/build/stages/stage";
import { stagesOf } from "../../../core/assembly/build/stages/stages";
import { answer, answerText, argument, text } from "./exchange";
import { Json } from "./json";

export { allocate, collect, outputLength, outputStart } from "./exchange";

/** Text, name → the instructions and warnings, or the problem. */
export function dockerfile(): void {
  answer(shown(parseDockerfile(text(0), text(1).length == 0 ? "Dockerfile" : text(1))));
}

/** Text → the instruction of a trigger. */
export function trigger(): void {
  answer(shown(parseTrigger(text(0))));
}

/** Text → the classic builder's words for empty continuations. */
export function continuations(): void {
  answerText(emptyContinuations(parseDockerfile(text(0)).warnings));
}

function shown(file: Dockerfile): Json {
  const result = Json.object();
  if (file.problem.length > 0) {
    result.set("problem", Json.string(file.problem));
    return result;
  }
  const instructions = Json.array();
  for (let i = 0; i < file.instructions.length; i++) instructions.push(shownInstruction(file.instructions[i]));
  result.set("instructions", instructions);
  result.set("warnings", shownWarnings(file.warnings));
  return result;
}

/** Members that have nothing to tell are left out. */
function shownInstruction(instruction: Instruction): Json {
  const result = Json.object();
  result.set("keyword", Json.string(instruction.keyword));
  result.set("lines", Json.string(instruction.line.toString() + "-" + instruction.endLine.toString()));
  result.set("words", Json.strings(instruction.words));
  if (instruction.flags.length > 0) result.set("flags", Json.strings(instruction.flags));
  if (instruction.isJson) result.set("json", Json.bool(true));
  result.set("original", Json.string(instruction.original));
  if (instruction.heredocs.length > 0) result.set("heredocs", shownHeredocs(instruction.heredocs));
  const trigger = instruction.trigger;
  if (trigger !== null) result.set("trigger", shownInstruction(trigger));
  return result;
}

function shownHeredocs(heredocs: Heredoc[]): Json {
  const result = Json.array();
  for (let i = 0; i < heredocs.length; i++) {
    const one = Json.object();
    one.set("name", Json.string(heredocs[i].name));
    one.set("expand", Json.bool(heredocs[i].expand));
    one.set("chomp", Json.bool(heredocs[i].chomp));
    one.set("content", Json.string(heredocs[i].content));
    one.set("text", Json.string(heredocs[i].text()));
    result.push(one);
  }
  return result;
}

function shownWarnings(warnings: Warning[]): Json {
  const lines: string[] = [];
  for (let i = 0; i < warnings.length; i++) {
    lines.push(`${warnings[i].line.toString()} ${warnings[i].rule}: ${warnings[i].text}`);
  }
  return Json.strings(lines);
}

/**
 * `{"from": config, "given": {name: value}, "global": {…}}`, lines → what each step asks for, and the config at the end;
 * the first problem ends it.
 */
export function steps(): void {
  const file = parseDockerfile("FROM scratch\n" + text(1));
  if (file.problem.length > 0) return answerText(file.problem);
  const state = stateOf(argument(0), file.escape);
  const steps = Json.array();
  for (let i = 1; i < file.instructions.length; i++) {
    const step = evaluate(state, file.instructions[i]);
    if (step.problem.length > 0) return answerText(step.problem);
    steps.push(shownStep(step));
  }
  const result = Json.object();
  result.set("steps", steps);
  result.set("config", state.config.json());
  result.set("author", Json.string(state.author));
  result.set("warning", Json.string(state.given.all.warning()));
  answer(result);
}

/** Text, variables `{name: value}`, whether quotes count → `[result, words]`, or the problem. */
export function substituted(): void {
  const values = new BuildArguments();
  declareAll(values, argument(1));
  const budget = new Budget();
  const result = substitute(text(0), values, 0x5c, budget, !argument(2).bool);
  if (result.problem.length > 0) return answerText(result.problem);
  const shown = Json.array();
  shown.push(Json.string(result.text));
  shown.push(Json.strings(result.words));
  answer(shown);
}

/** Dockerfile, given, target, images by the names of contexts → the stages. */
export function stages(): void {
  const file = parseDockerfile(text(0));
  if (file.problem.length > 0) return answerText(file.problem);
  const given = new BuildArguments();
  giveAll(given, argument(1));
  const stages = stagesOf(file, given, text(2), contextsIn(argument(3)), new Budget());
  if (stages.problem.length > 0) return answerText(stages.problem);
  const shown: string[] = [];
  for (let i = 0; i < stages.globals.length; i++) {
    shown.push(`${stages.globals[i].instruction.original} ${stages.globals[i].problem}`);
  }
  for (let i = 0; i < stages.all.length; i++) shown.push(shownStage(stages.all[i]));
  shown.push(`needed ${stages.needed.join(" ")}, target ${stages.target.toString()}`);
  answer(Json.strings(shown));
}

function contextsIn(images: Json): NamedContext[] {
  const contexts: NamedContext[] = [];
  for (let i = 0; i < images.keys.length; i++) {
    const context = new NamedContext(images.keys[i], images.keys[i]);
    context.image = images.items[i].text;
    contexts.push(context);
  }
  return contexts;
}

function shownStage(stage: Stage): string {
  const base = stage.isScratch ? "nothing" : stage.base < 0 ? stage.image : "stage " + stage.base.toString();
  const name = stage.name.length == 0 ? "" : " as " + stage.name;
  const uses = stage.uses.length == 0 ? "" : " uses " + stage.uses.join(" ");
  const platform = stage.platform.length == 0 ? "" : " for " + stage.platform;
  const problem = stage.problem.length == 0 ? "" : ": " + stage.problem;
  return `${stage.index.toString()} from ${base}${platform}${name}${uses}${problem}`;
}

function stateOf(given: Json, escape: i32): BuildState {
  const all = new BuildArguments();
  const globals = given.entry("global");
  if (globals !== null) declareAll(all, globals);
  const own = given.entry("given");
  if (own !== null) giveAll(all, own);
  const from = given.entry("from");
  const config = from === null ? Json.object() : from.copy();
  const state = new BuildState(config, new StageArguments(all), escape, new Budget());
  state.isBuildKit = given.boolOf("buildKit");
  all.pairsProxies = state.isBuildKit;
  return state;
}

function declareAll(all: BuildArguments, values: Json): void {
  for (let i = 0; i < values.keys.length; i++) all.declareGlobal(values.keys[i], values.items[i].text);
}

function giveAll(all: BuildArguments, values: Json): void {
  for (let i = 0; i < values.keys.length; i++) {
    const value = values.items[i];
    all.give(values.keys[i], value.isNull ? null : value.text);
  }
}

function shownStep(step: Step): Json {
  const result = Json.object();
  const copy = step.copy;
  result.set("history", Json.string(copy === null ? step.history : copy.commandFor("file:HEX").join(" ")));
  if (step.notes.length > 0) result.set("notes", Json.strings(step.notes));
  const run = step.run;
  if (run !== null) result.set("run", shownRun(run));
  if (copy !== null) result.set("copy", shownCopy(copy));
  if (step.kind == StepKind.Directory) result.set("directory", Json.bool(true));
  return result;
}

function shownRun(run: RunStep): Json {
  const result = Json.object();
  result.set("argv", Json.strings(run.argv));
  result.set("env", Json.strings(run.environment));
  if (run.network != "default") result.set("network", Json.string(run.network));
  const mounts: string[] = [];
  for (let i = 0; i < run.mounts.length; i++) mounts.push(shownMount(run.mounts[i]));
  if (mounts.length > 0) result.set("mounts", Json.strings(mounts));
  return result;
}

function shownMount(mount: Mount): string {
  const from = mount.from.length == 0 ? "" : ` from ${mount.from}`;
  const mode = mount.mode.length == 0 ? "" : ` mode ${mount.mode}`;
  const more = `${mount.readOnly ? " ro" : ""}${mount.required ? " required" : ""}${from}${mode}`;
  return `${(<i32>mount.type).toString()} ${mount.source}:${mount.target} ${mount.id}${more}${mount.script}`;
}

function shownCopy(copy: CopyStep): Json {
  const result = Json.object();
  const sources: string[] = [];
  for (let i = 0; i < copy.sources.length; i++) {
    const source = copy.sources[i];
    const kind = "path,url,git,content".split(",")[<i32>source.kind];
    sources.push(`${kind} ${source.text}${source.content.length > 0 ? " = " + source.content : ""}`);
  }
  result.set("sources", Json.strings(sources));
  result.set("target", Json.string(copy.target));
  const more: string[] = [];
  if (copy.from.length > 0) more.push(`from ${copy.from}`);
  if (copy.owner.length > 0) more.push(`owner ${copy.owner}`);
  if (copy.mode.length > 0) more.push(`mode ${copy.mode}`);
  if (copy.link) more.push("link");
  if (copy.parents) more.push("parents");
  if (copy.unpack) more.push("unpack");
  if (copy.excludes.length > 0) more.push(`without ${copy.excludes.join(" ")}`);
  if (copy.checksum.length > 0) more.push(copy.checksum);
  result.set("more", Json.string(more.join(", ")));
  return result;
}

/** A `.dockerignore` → its patterns, or the problem. */
export function ignoreFile(): void {
  const file = parseIgnoreFile(text(0));
  if (file.problem.length > 0) return answerText(file.problem);
  answer(Json.strings(file.texts()));
}

/** A `.dockerignore`, paths → the ignored ones. */
export function ignored(): void {
  const file = parseIgnoreFile(text(0));
  const paths = argument(1).strings();
  const ignored: string[] = [];
  for (let i = 0; i < paths.length; i++) if (file.ignores(paths[i])) ignored.push(paths[i]);
  answer(Json.strings(ignored));
}
