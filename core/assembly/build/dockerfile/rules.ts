// What Docker refuses in an instruction before it builds anything. The sentences are those of Docker 23 and newer.

import { quoteText } from "../../text/go-quote";
import { trimSpace } from "../../text/space";
import { suggestion } from "../../text/suggestion";
import { checkProblem } from "./check-rules";
import { flagProblem } from "./flag-rules";
import { heredocOf } from "./heredocs";
import { Instruction } from "./instruction";
import { formOf, Form, KEYWORDS } from "./keywords";

const TOO_FEW: string =
  "requires at least two arguments, but only one was provided. Destination could not be determined";

/** Docker's sentence without the line; empty if the instruction is valid. */
export function problemOf(instruction: Instruction): string {
  const keyword = instruction.keyword;
  if (formOf(keyword) == Form.None) return unknownKeyword(instruction.written);
  let problem = flagsFirst(keyword) ? flagProblem(instruction) : countProblem(instruction);
  if (problem.length > 0) return problem;
  problem = flagsFirst(keyword) ? countProblem(instruction) : flagProblem(instruction);
  return problem.length > 0 ? problem : contentProblem(instruction);
}

/** What may be meant is in upper case only if what is written is. */
function unknownKeyword(written: string): string {
  const meant = suggestion(written.toUpperCase(), KEYWORDS, "");
  return `unknown instruction: ${written}${written == written.toUpperCase() ? meant : meant.toLowerCase()}`;
}

/** Of two mistakes Docker tells the first; it counts the arguments of most instructions before it looks at flags. */
function flagsFirst(keyword: string): bool {
  return keyword == "ENV" || keyword == "LABEL" || keyword == "SHELL";
}

function countProblem(instruction: Instruction): string {
  const count = instruction.words.length;
  const keyword = instruction.keyword;
  if (keyword == "FROM") return stageProblem(instruction.words);
  if (keyword == "ADD" || keyword == "COPY") return count < 2 ? `${keyword} ${TOO_FEW}` : "";
  if (keyword == "CMD" || keyword == "ENTRYPOINT" || keyword == "RUN") return "";
  if (isSingle(keyword)) return count == 1 ? "" : `${keyword} requires exactly one argument`;
  return count > 0 ? "" : `${keyword} requires at least one argument`;
}

function isSingle(keyword: string): bool {
  return keyword == "WORKDIR" || keyword == "MAINTAINER" || keyword == "USER" || keyword == "STOPSIGNAL";
}

function contentProblem(instruction: Instruction): string {
  const keyword = instruction.keyword;
  if (keyword == "ENV" || keyword == "LABEL") return pairProblem(instruction);
  if (keyword == "ADD" || keyword == "COPY") return destinationProblem(instruction);
  if (keyword == "ARG") return argumentProblem(instruction.words);
  if (keyword == "VOLUME") return volumeProblem(instruction.words);
  if (keyword == "SHELL") return instruction.isJson ? "" : "SHELL requires the arguments to be in JSON form";
  if (keyword == "HEALTHCHECK") return checkProblem(instruction);
  return keyword == "ONBUILD" ? triggerProblem(instruction.words[0]) : "";
}

function stageProblem(words: string[]): string {
  if (words.length == 1) return "";
  if (words.length != 3 || words[1].toLowerCase() != "as") return "FROM requires either one or three arguments";
  if (isStageName(words[2].toLowerCase())) return "";
  const name = quoteText(words[2]);
  return `invalid name for build stage: ${name}, name can't start with a number or contain symbols`;
}

function isStageName(name: string): bool {
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    if (unit >= 0x61 && unit <= 0x7a) continue;
    const later = (unit >= 0x30 && unit <= 0x39) || unit == 0x2d || unit == 0x2e || unit == 0x5f;
    if (i == 0 || !later) return false;
  }
  return name.length > 0;
}

function destinationProblem(instruction: Instruction): string {
  const words = instruction.words;
  if (heredocOf(words[words.length - 1]) === null) return "";
  return `${instruction.keyword} cannot accept a heredoc as a destination`;
}

function pairProblem(instruction: Instruction): string {
  for (let i = 0; i < instruction.words.length; i += 2) {
    if (instruction.words[i].length == 0) return `${instruction.keyword} names can not be blank`;
  }
  return "";
}

function argumentProblem(words: string[]): string {
  for (let i = 0; i < words.length; i++) {
    if (words[i].startsWith("=")) return "ARG names can not be blank";
  }
  return "";
}

function volumeProblem(words: string[]): string {
  for (let i = 0; i < words.length; i++) {
    if (trimSpace(words[i]).length == 0) return "VOLUME specified can not be an empty string";
  }
  return "";
}

/** An unknown trigger is refused where it is used. */
function triggerProblem(keyword: string): string {
  if (keyword == "ONBUILD") return "Chaining ONBUILD via `ONBUILD ONBUILD` isn't allowed";
  if (keyword != "MAINTAINER" && keyword != "FROM") return "";
  return `${keyword} isn't allowed as an ONBUILD trigger`;
}
