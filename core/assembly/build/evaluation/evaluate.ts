// Evaluates an instruction: substitutes its variables, changes the config, and tells what there is to do.

import { Instruction } from "../dockerfile/instruction";
import { evaluateArgument } from "./argument";
import { BuildState } from "./build-state";
import { evaluateCommand, evaluateEntrypoint, evaluateShell } from "./command";
import { evaluateCopy } from "./copy";
import { evaluateExpose } from "./expose";
import { evaluateHealthcheck } from "./healthcheck";
import { evaluateEnvironment, evaluateLabels } from "./pairs";
import { evaluateRun } from "./run";
import { Step } from "./step";
import { evaluateMaintainer, evaluateStopSignal, evaluateTrigger, evaluateUser } from "./text";
import { evaluateVolumes } from "./volume";
import { evaluateDirectory } from "./work-directory";

/** `instruction`: any but FROM, and valid: see `dockerfile/rules.ts`. */
export function evaluate(state: BuildState, instruction: Instruction): Step {
  state.problem = "";
  const step = stepOf(state, instruction);
  step.problem = state.problem;
  return step;
}

function stepOf(state: BuildState, instruction: Instruction): Step {
  const keyword = instruction.keyword;
  if (keyword == "RUN") return evaluateRun(state, instruction);
  if (keyword == "COPY" || keyword == "ADD") return evaluateCopy(state, instruction);
  if (keyword == "ENV") return evaluateEnvironment(state, instruction);
  if (keyword == "ARG") return evaluateArgument(state, instruction);
  if (keyword == "LABEL") return evaluateLabels(state, instruction);
  if (keyword == "WORKDIR") return evaluateDirectory(state, instruction);
  if (keyword == "CMD") return evaluateCommand(state, instruction);
  if (keyword == "ENTRYPOINT") return evaluateEntrypoint(state, instruction);
  if (keyword == "SHELL") return evaluateShell(state, instruction);
  if (keyword == "EXPOSE") return evaluateExpose(state, instruction);
  if (keyword == "VOLUME") return evaluateVolumes(state, instruction);
  if (keyword == "USER") return evaluateUser(state, instruction);
  if (keyword == "STOPSIGNAL") return evaluateStopSignal(state, instruction);
  if (keyword == "HEALTHCHECK") return evaluateHealthcheck(state, instruction);
  if (keyword == "ONBUILD") return evaluateTrigger(state, instruction);
  return evaluateMaintainer(state, instruction);
}
