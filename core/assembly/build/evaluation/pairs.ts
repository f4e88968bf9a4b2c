// ENV and LABEL: names and values.

import { Json } from "../../json/json";
import { Instruction } from "../dockerfile/instruction";
import { BuildState } from "./build-state";
import { configStep } from "./config-step";
import { Step } from "./step";

/** All words are expanded before any variable is set: `ENV a=1 b=$a` gives `b` what `a` was before. */
export function evaluateEnvironment(state: BuildState, instruction: Instruction): Step {
  const words = state.expandAll(instruction.words);
  for (let i = 0; i < words.length && state.problem.length == 0; i += 2) {
    if (words[i].length == 0) state.fail(`invalid environment variable: =${words[i + 1]}`);
    else state.config.setVariable(words[i], words[i + 1]);
  }
  return configStep(state, `ENV ${pairsOf(words)}`);
}

export function evaluateLabels(state: BuildState, instruction: Instruction): Step {
  const words = state.expandAll(instruction.words);
  if (state.problem.length == 0) {
    for (let i = 0; i < words.length; i += 2) state.config.setIn("Labels", words[i], Json.string(words[i + 1]));
  }
  return configStep(state, `LABEL ${pairsOf(words)}`);
}

/** A label by the query of the build, in which nothing is substituted. */
export function addLabel(state: BuildState, name: string, value: string): Step {
  state.config.setIn("Labels", name, Json.string(value));
  return configStep(state, `LABEL ${name}=${value}`);
}

/** `a=b c=d`, without quotes, as Docker's history has it. */
function pairsOf(words: string[]): string {
  const pairs: string[] = [];
  for (let i = 0; i + 1 < words.length; i += 2) pairs.push(`${words[i]}=${words[i + 1]}`);
  return pairs.join(" ");
}
