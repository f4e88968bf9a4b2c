// Instructions with one text: USER, STOPSIGNAL, MAINTAINER, ONBUILD.

import { Json } from "../../json/json";
import { parseSignal } from "../../container/stop/signals";
import { TextBuilder } from "../../text/builder";
import { Instruction } from "../dockerfile/instruction";
import { BuildState } from "./build-state";
import { configStep } from "./config-step";
import { Step } from "./step";

export function evaluateUser(state: BuildState, instruction: Instruction): Step {
  const user = state.expand(instruction.words[0]);
  state.config.set("User", Json.string(user));
  return configStep(state, `USER ${user}`);
}

/** Kept as it is written; any number but 0 is valid, as in Docker. */
export function evaluateStopSignal(state: BuildState, instruction: Instruction): Step {
  const signal = state.expand(instruction.words[0]);
  if (parseSignal(signal) == 0) state.fail(`invalid signal: ${signal}`);
  state.config.set("StopSignal", Json.string(signal));
  return configStep(state, `STOPSIGNAL ${signal}`);
}

/** Nothing is substituted in it. */
export function evaluateMaintainer(state: BuildState, instruction: Instruction): Step {
  state.author = instruction.words[0];
  return configStep(state, `MAINTAINER ${state.author}`);
}

/** The instruction is kept as a text, with its here-documents: it is evaluated where the image is used. */
export function evaluateTrigger(state: BuildState, instruction: Instruction): Step {
  const text = new TextBuilder();
  text.text(instruction.rest);
  const heredocs = instruction.trigger!.heredocs;
  for (let i = 0; i < heredocs.length; i++) text.text("\n").text(heredocs[i].content).text(heredocs[i].name);
  const trigger = text.toString();
  state.config.addTrigger(trigger);
  return configStep(state, `ONBUILD ${trigger}`);
}
