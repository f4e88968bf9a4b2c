// Looks for what is surely not meant as it is written, in a file that can be built.

import { Instruction } from "./instruction";
import { Form, formOf } from "./keywords";
import { Warning } from "./warning";

/** Of each of these a stage has one; an earlier one makes no difference. */
const ONCE: string[] = ["CMD", "ENTRYPOINT", "HEALTHCHECK"];
const RESERVED: string[] = ["context", "scratch"];

/** In the order of the lines at which they are found. */
export function warningsOf(instructions: Instruction[]): Warning[] {
  const warnings: Warning[] = [];
  const lines = new StaticArray<i32>(ONCE.length);
  for (let i = 0; i < instructions.length; i++) {
    const instruction = instructions[i];
    if (instruction.keyword == "FROM") {
      lines.fill(0);
      checkName(instruction, warnings);
    }
    checkOnce(instruction, lines, warnings);
    checkList(instruction, warnings);
  }
  return warnings;
}

function checkName(from: Instruction, warnings: Warning[]): void {
  const name = from.words.length == 3 ? from.words[2].toLowerCase() : "";
  if (!RESERVED.includes(name)) return;
  const text = `Stage name should not use the same name as reserved stage "${name}"`;
  warnings.push(new Warning(from.line, "ReservedStageName", text));
}

/** The line is that of the instruction that makes no difference. */
function checkOnce(instruction: Instruction, lines: StaticArray<i32>, warnings: Warning[]): void {
  const place = ONCE.indexOf(instruction.keyword);
  if (place < 0) return;
  if (lines[place] > 0) {
    const which = `Multiple ${instruction.keyword} instructions should not be used in the same stage`;
    const text = `${which} because only the last one will be used`;
    warnings.push(new Warning(lines[place], "MultipleInstructionsDisallowed", text));
  }
  lines[place] = instruction.line;
}

/** Docker has no rule for it: `CMD ['a', 'b']` runs a program whose name begins with a bracket. */
function checkList(instruction: Instruction, warnings: Warning[]): void {
  const form = formOf(instruction.keyword);
  if (instruction.isJson || form != Form.Command) return;
  const rest = instruction.rest;
  if (!rest.endsWith("]") || (!rest.startsWith('["') && !rest.startsWith("['"))) return;
  const text = `${instruction.keyword} looks like a JSON list, but is none, so it is run by the shell`;
  warnings.push(new Warning(instruction.line, "InvalidJSONList", text));
}
