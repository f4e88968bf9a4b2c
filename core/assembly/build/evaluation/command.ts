// CMD, ENTRYPOINT and SHELL.

import { Json } from "../../json/json";
import { Instruction } from "../dockerfile/instruction";
import { BuildState } from "./build-state";
import { configStep, quotedList } from "./config-step";
import { Step } from "./step";

/** An empty list is no command. Without any argument the command is the shell itself, as in Docker. */
export function evaluateCommand(state: BuildState, instruction: Instruction): Step {
  const words = commandOf(state, instruction);
  state.config.set("Cmd", stringsOrNull(words));
  if (instruction.words.length > 0) state.commandGiven = true;
  return configStep(state, `CMD ${quotedList(words)}`);
}

/** The arguments in `Cmd` belong to the old entry point: they go, unless the stage itself has set them. */
export function evaluateEntrypoint(state: BuildState, instruction: Instruction): Step {
  const words = instruction.words.length == 0 ? instruction.words : commandOf(state, instruction);
  state.config.set("Entrypoint", stringsOrNull(words));
  if (!state.commandGiven) state.config.set("Cmd", Json.null());
  return configStep(state, `ENTRYPOINT ${quotedList(words)}`);
}

export function evaluateShell(state: BuildState, instruction: Instruction): Step {
  state.config.set("Shell", Json.strings(instruction.words));
  return configStep(state, `SHELL [${instruction.words.join(" ")}]`);
}

/** A JSON list is used as it is; anything else is for the shell. */
export function commandOf(state: BuildState, instruction: Instruction): string[] {
  return instruction.isJson ? instruction.words : state.config.shell().concat(instruction.words);
}

function stringsOrNull(words: string[]): Json {
  return words.length == 0 ? Json.null() : Json.strings(words);
}
