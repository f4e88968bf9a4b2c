// VOLUME: paths that are volumes in each container.

import { Json } from "../../json/json";
import { trimSpace } from "../../text/space";
import { Instruction } from "../dockerfile/instruction";
import { BuildState } from "./build-state";
import { configStep } from "./config-step";
import { Step } from "./step";

export function evaluateVolumes(state: BuildState, instruction: Instruction): Step {
  const paths = state.expandAll(instruction.words);
  for (let i = 0; i < paths.length && state.problem.length == 0; i++) {
    paths[i] = trimSpace(paths[i]);
    if (paths[i].length == 0) state.fail("VOLUME specified can not be an empty string");
    else state.config.setIn("Volumes", paths[i], Json.object());
  }
  return configStep(state, `VOLUME [${paths.join(" ")}]`);
}
