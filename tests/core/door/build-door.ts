// Door to core/assembly/build.

import { Dockerfile, parseDockerfile, parseTrigger } from "../../../core/assembly/build/dockerfile/dockerfile";
import { Heredoc, Instruction } from "../../../core/assembly/build/dockerfile/instruction";
import { emptyContinuations, Warning } from "../../../core/assembly/build/dockerfile/warning";
import { answer, answerText, text } from "./exchange";
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
