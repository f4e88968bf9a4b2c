// WORKDIR: where commands run. The image has the directory afterwards.

import { followPath } from "../../text/path";
import { Instruction } from "../dockerfile/instruction";
import { BuildState } from "./build-state";
import { ownerOf } from "./owner";
import { BUILDKIT_MARK, Step, StepKind } from "./step";

export function evaluateDirectory(state: BuildState, instruction: Instruction): Step {
  const wanted = state.expand(instruction.words[0]);
  if (wanted.length == 0) state.fail("cannot normalize nothing");
  else state.config.changeDirectory(wanted);
  const step = new Step(StepKind.Directory);
  // Of many relative paths only the last result counts.
  if (state.isCommit) return step;
  const command = `#(nop) WORKDIR ${state.config.directory()}`;
  // As in BuildKit (moby/buildkit, frontend/dockerfile/dockerfile2llb/convert.go). To the classic builder it is root's.
  if (state.isBuildKit) step.owner = ownerOf(state, state.config.text("User"));
  step.command = state.config.shell().concat([step.owner.length > 0 ? `${command} ${BUILDKIT_MARK}` : command]);
  return step;
}

/** A path that begins in a directory: absolute and cleaned. */
export function pathFrom(directory: string, path: string): string {
  const names: string[] = [];
  followPath(names, directory);
  followPath(names, path);
  return "/" + names.join("/");
}
