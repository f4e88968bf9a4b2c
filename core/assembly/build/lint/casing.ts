// Rules about upper and lower case.

import { Instruction } from "../dockerfile/instruction";
import { Findings } from "./findings";
import { CONSISTENT_INSTRUCTION_CASING, FROM_AS_CASING, STAGE_NAME_CASING } from "./lint-rule";

/** Keywords should have the case of most of them; upper case if neither has more. */
export function checkKeywords(instructions: Instruction[], findings: Findings): void {
  let lower = 0;
  let upper = 0;
  for (let i = 0; i < instructions.length; i++) {
    if (isLower(instructions[i].written)) lower += 1;
    else if (isUpper(instructions[i].written)) upper += 1;
  }
  const wanted = lower > upper ? "lowercase" : "uppercase";
  for (let i = 0; i < instructions.length; i++) {
    const written = instructions[i].written;
    if (lower > upper ? isLower(written) : isUpper(written)) continue;
    const detail = `Command '${written}' should match the case of the command majority (${wanted})`;
    findings.add(CONSISTENT_INSTRUCTION_CASING, instructions[i], detail);
  }
}

/** `from`: with a name. */
export function checkNameCasing(from: Instruction, findings: Findings): void {
  const as = from.words[1];
  const written = from.written;
  const isMixed = !isLower(written) && !isUpper(written);
  if (!isMixed && !(isLower(written) ? isLower(as) : isUpper(as))) {
    findings.add(FROM_AS_CASING, from, `'${as}' and '${written}' keywords' casing do not match`);
  }
  const name = from.words[2];
  if (!isLower(name)) findings.add(STAGE_NAME_CASING, from, `Stage name '${name}' should be lowercase`);
}

function isLower(text: string): bool {
  return text.toLowerCase() == text;
}

function isUpper(text: string): bool {
  return text.toUpperCase() == text;
}
