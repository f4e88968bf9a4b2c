// ARG: from here on, the stage has a build argument.

import { Instruction } from "../dockerfile/instruction";
import { BuildArguments } from "./build-arguments";
import { Budget } from "./budget";
import { BuildState } from "./build-state";
import { configStep } from "./config-step";
import { Step } from "./step";
import { substitute } from "./substitution";

/** An argument's value is not yet there for others of the same line. */
export function evaluateArgument(state: BuildState, instruction: Instruction): Step {
  const shown: string[] = ["ARG"];
  const names: string[] = [];
  const values: (string | null)[] = [];
  for (let i = 0; i < instruction.words.length && state.problem.length == 0; i++) {
    const word = instruction.words[i];
    const equals = word.indexOf("=");
    const name = state.expand(equals < 0 ? word : word.slice(0, equals));
    const value: string | null = equals < 0 ? null : state.expand(word.slice(equals + 1));
    names.push(name);
    values.push(value);
    shown.push(value === null ? name : `${name}=${value}`);
  }
  if (state.problem.length == 0) {
    for (let i = 0; i < names.length; i++) state.given.add(names[i], values[i]);
  }
  return configStep(state, shown.join(" "));
}

/** An ARG before the first FROM: it sees those of the lines before it. Returns what is wrong with it, or empty. */
export function declareGlobal(given: BuildArguments, instruction: Instruction, escape: i32, budget: Budget): string {
  const names: string[] = [];
  const values: (string | null)[] = [];
  for (let i = 0; i < instruction.words.length; i++) {
    const word = instruction.words[i];
    const equals = word.indexOf("=");
    const name = substitute(equals < 0 ? word : word.slice(0, equals), given, escape, budget);
    if (name.problem.length > 0) return name.problem;
    const value = substitute(equals < 0 ? "" : word.slice(equals + 1), given, escape, budget);
    if (value.problem.length > 0) return value.problem;
    names.push(name.text);
    if (equals < 0) values.push(null);
    else values.push(value.text);
  }
  for (let i = 0; i < names.length; i++) given.declareForAll(names[i], values[i]);
  return "";
}
