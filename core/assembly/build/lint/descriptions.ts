// A comment right in front of a stage or an argument describes it, for `--call=outline` and `--call=targets`. This rule is an
// experiment of Docker's: it counts only if the Dockerfile asks for it.

import { trimSpace } from "../../text/space";
import { Instruction } from "../dockerfile/instruction";
import { Findings } from "./findings";
import { INVALID_DEFINITION_DESCRIPTION } from "./lint-rule";

/** `lines`: of the file. `directives`: so many lines at its beginning are parser directives. */
export function checkDescription(instruction: Instruction, lines: string[], directives: i32, findings: Findings): void {
  if (!findings.wants(INVALID_DEFINITION_DESCRIPTION)) return;
  const names = namesOf(instruction);
  const above = instruction.line - 2;
  if (names.length == 0 || above < directives) return;
  const comment = trimSpace(lines[above]);
  const description = trimSpace(comment.slice(1));
  if (!comment.startsWith("#") || description.length == 0 || names.includes(description.split(" ")[0])) return;
  const name = instruction.keyword == "ARG" && names.length > 1 ? "<arg_key>" : names[0];
  const detail = `Comment for ${instruction.keyword} should follow the format: \`# ${name} <description>\``;
  findings.add(INVALID_DEFINITION_DESCRIPTION, instruction, detail);
}

/** A stage's name counts as it is written, too. */
function namesOf(instruction: Instruction): string[] {
  const words = instruction.words;
  if (instruction.keyword == "ARG") return words.map<string>((word) => word.split("=")[0]);
  if (instruction.keyword != "FROM" || words.length < 3) return [];
  return [words[2].toLowerCase(), words[2]];
}
