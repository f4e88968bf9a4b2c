// What Docker refuses in the flags of an instruction.

import { suggestion } from "../../text/suggestion";
import { flagName, flagValue, Instruction } from "./instruction";
import { flagsOf, hasRepeatedFlag, hasSwitch, hasValueFlag } from "./keywords";

/** Docker's sentence; empty if all flags are valid. It does not look at the flags of `HEALTHCHECK NONE`. */
export function flagProblem(instruction: Instruction): string {
  if (isNoCheck(instruction)) return "";
  const seen: string[] = [];
  for (let i = 0; i < instruction.flags.length; i++) {
    const flag = instruction.flags[i];
    const name = flagName(flag);
    const problem = problemOfFlag(instruction, flag, name, seen.includes(name));
    if (problem.length > 0) return problem;
    if (!hasRepeatedFlag(instruction.keyword, name)) seen.push(name);
  }
  return "";
}

function problemOfFlag(instruction: Instruction, flag: string, name: string, again: bool): string {
  const keyword = instruction.keyword;
  const isSwitch = hasSwitch(keyword, name);
  if (!isSwitch && !takesValue(keyword, name))
    return `unknown flag: --${name}${suggestion(name, flagsOf(keyword), "")}`;
  if (again) return `duplicate flag specified: --${name}`;
  const hasValue = flag.includes("=");
  const value = flagValue(flag).toLowerCase();
  if (isSwitch ? hasValue && value.length == 0 : !hasValue) return `missing a value on flag: --${name}`;
  if (!isSwitch || !hasValue || value == "true" || value == "false") return "";
  return `expecting boolean value for flag --${name}, not: ${flagValue(flag)}`;
}

function takesValue(keyword: string, name: string): bool {
  return hasValueFlag(keyword, name) || hasRepeatedFlag(keyword, name);
}

function isNoCheck(instruction: Instruction): bool {
  const words = instruction.words;
  return instruction.keyword == "HEALTHCHECK" && words.length > 0 && words[0].toUpperCase() == "NONE";
}
