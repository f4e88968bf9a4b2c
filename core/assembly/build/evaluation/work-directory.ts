// WORKDIR: where commands run. The image has the directory afterwards.

import { Json } from "../../json/json";
import { followPath } from "../../text/path";
import { Instruction } from "../dockerfile/instruction";
import { BuildState } from "./build-state";
import { Step, StepKind } from "./step";

/** An absolute path stays as it is written; a relative one continues the present directory, and is cleaned. */
export function evaluateDirectory(state: BuildState, instruction: Instruction): Step {
  const wanted = state.expand(instruction.words[0]);
  if (wanted.length == 0) state.fail("cannot normalize nothing");
  const directory = wanted.startsWith("/") ? wanted : pathFrom(state.config.text("WorkingDir"), wanted);
  state.config.set("WorkingDir", Json.string(directory));
  const step = new Step(StepKind.Directory);
  step.command = state.config.shell().concat([`#(nop) WORKDIR ${directory}`]);
  return step;
}

/** A path that begins in a directory: absolute and cleaned. */
export function pathFrom(directory: string, path: string): string {
  const names: string[] = [];
  followPath(names, directory);
  followPath(names, path);
  return "/" + names.join("/");
}
