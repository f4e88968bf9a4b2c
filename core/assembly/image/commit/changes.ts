// Applies Dockerfile lines to a config: the `changes` of commit (surface §2.22).

import { parseLines } from "../../build/dockerfile/dockerfile";
import { Instruction } from "../../build/dockerfile/instruction";
import { problemOf } from "../../build/dockerfile/rules";
import { Budget } from "../../build/evaluation/budget";
import { BuildArguments, StageArguments } from "../../build/evaluation/build-arguments";
import { BuildState } from "../../build/evaluation/build-state";
import { evaluate } from "../../build/evaluation/evaluate";
import { Json } from "../../json/json";
import { trimSpace } from "../../text/space";

// prettier-ignore
const CHANGES: string[] = [
  "CMD", "ENTRYPOINT", "ENV", "EXPOSE", "HEALTHCHECK", "LABEL", "ONBUILD", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR",
];

/** Applies the lines to a `Config`; returns what is wrong with them, or empty. All are read before one is applied. */
export function applyChanges(config: Json, changes: string[]): string {
  const text = changes.join("\n");
  if (trimSpace(text).length == 0) return "";
  const file = parseLines(text);
  const problem = file.problem.length > 0 ? file.problem : problemIn(file.instructions);
  if (problem.length > 0) return problem;
  const state = new BuildState(config, new StageArguments(new BuildArguments()), file.escape, new Budget());
  // A check takes what it does not say from the container's, which is merged in later.
  state.isCommit = true;
  for (let i = 0; i < file.instructions.length; i++) {
    const step = evaluate(state, file.instructions[i]);
    if (step.problem.length > 0) return step.problem;
  }
  state.config.json();
  return "";
}

function problemIn(instructions: Instruction[]): string {
  for (let i = 0; i < instructions.length; i++) {
    if (CHANGES.includes(instructions[i].keyword)) continue;
    return `${instructions[i].keyword.toLowerCase()} is not a valid change command`;
  }
  for (let i = 0; i < instructions.length; i++) {
    const problem = problemOf(instructions[i]);
    if (problem.length > 0) return problem;
  }
  return "";
}
