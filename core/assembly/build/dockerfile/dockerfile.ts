// Reads a Dockerfile: text in, instructions out. Nothing is substituted, and no image is looked at.

import { utf8Length } from "../../text/utf8";
import { readArguments } from "./arguments";
import { warningsOf } from "./checks";
import { Directives } from "./directives";
import { splitFlags } from "./flags";
import { heredocsIn, readHeredoc } from "./heredocs";
import { Heredoc, Instruction } from "./instruction";
import { Form, formOf, takesHeredocs } from "./keywords";
import { LineReader, MAX_LINE } from "./line-reader";
import { LogicalLine, nextLogicalLine } from "./logical-line";
import { problemOf } from "./rules";
import { Warning } from "./warning";
import { blankIn } from "./words";
import { afterSpace, trimSpace } from "../../text/space";

/** Bytes of the largest Dockerfile; Docker has no limit. */
export const MAX_DOCKERFILE: i32 = 2 * 1024 * 1024;
/** Which stages need which takes stages times instructions. Docker has no limit. */
const MAX_STAGES: i32 = 1000;

export class Dockerfile {
  /** Docker's sentence if the file is not valid: an answer of status 400. Empty if it is. */
  problem: string = "";
  /** First and last line of what the problem is about; 0 if it is about no line. */
  problemLine: i32 = 0;
  problemEnd: i32 = 0;
  /** In the order of the file; of an invalid file those that were read. */
  instructions: Instruction[] = [];
  /** What is surely not meant as it is written. */
  warnings: Warning[] = [];
  /** The character that escapes others, by a parser directive. */
  escape: i32 = 0x5c;
  /** What it says of the rules that it shall keep, by a parser directive. */
  check: string = "";
  /** The frontend that shall read it, by a parser directive: it may have a language of its own. */
  syntax: string = "";
  /** So many lines at its beginning are parser directives. */
  directives: i32 = 0;

  problemAt(line: i32, endLine: i32): void {
    this.problemLine = line;
    this.problemEnd = endLine;
  }
}

/** `name`: the path of the file, for messages. */
export function parseDockerfile(text: string, name: string = "Dockerfile"): Dockerfile {
  if (text.length == 0) return refused(`the Dockerfile (${name}) cannot be empty`);
  if (utf8Length(text) > MAX_DOCKERFILE) {
    return refused(`the Dockerfile (${name}) is larger than ${MAX_DOCKERFILE.toString()} bytes`);
  }
  const file = new Dockerfile();
  const problem = new Parser(text, file).read();
  file.problem = problem.length > 0 ? `failed to parse ${name}: ${problem}` : problemIn(file);
  if (file.problem.length == 0) file.warnings = file.warnings.concat(warningsOf(file.instructions));
  return file;
}

/** Reads a trigger of an image, one line of its `OnBuild`. */
export function parseTrigger(text: string): Dockerfile {
  const file = parseLines(text);
  if (file.problem.length > 0) return file;
  if (file.instructions.length != 1) file.problem = "onbuild trigger should be a single expression";
  else if (file.instructions[0].keyword == "FROM") file.problem = "*instructions.Stage is not a command type";
  else file.problem = problemOf(file.instructions[0]);
  return file;
}

/** Reads lines that are no whole Dockerfile. `problem` is about their form only: for the rest see `rules.ts`. */
export function parseLines(text: string): Dockerfile {
  const file = new Dockerfile();
  file.problem = new Parser(text, file).read();
  return file;
}

function refused(problem: string): Dockerfile {
  const file = new Dockerfile();
  file.problem = problem;
  return file;
}

/** Arguments before the first FROM are for FROM lines. */
function problemIn(file: Dockerfile): string {
  const instructions = file.instructions;
  let stages = 0;
  for (let i = 0; i < instructions.length; i++) {
    const instruction = instructions[i];
    const problem = problemOf(instruction);
    if (problem.length > 0) {
      file.problemAt(instruction.line, instruction.endLine);
      return `dockerfile parse error on line ${instruction.line.toString()}: ${problem}`;
    }
    if (instruction.keyword == "FROM") stages++;
    else if (stages == 0 && instruction.keyword != "ARG") {
      file.problemAt(instruction.line, instruction.endLine);
      return "no build stage in current context";
    }
  }
  if (stages > MAX_STAGES) return `the Dockerfile has more than ${MAX_STAGES.toString()} stages`;
  return stages > 0 ? "" : "no build stage in current context";
}

class Parser {
  private readonly reader: LineReader;
  private readonly directives: Directives = new Directives();

  constructor(
    text: string,
    private readonly file: Dockerfile,
  ) {
    this.reader = new LineReader(text);
  }

  /** Returns what is wrong, or empty. */
  read(): string {
    const problem = this.readLines();
    this.file.syntax = this.directives.syntax;
    return problem;
  }

  private readLines(): string {
    for (let line = nextLogicalLine(this.reader, this.directives); line !== null;) {
      const problem = line.problem.length > 0 ? line.problem : this.take(line);
      if (problem.length > 0) {
        this.file.problemAt(line.line, this.reader.line);
        return problem;
      }
      line = nextLogicalLine(this.reader, this.directives);
    }
    this.file.escape = this.directives.escape;
    this.file.check = this.directives.check;
    this.file.directives = this.directives.count;
    if (this.reader.tooLong) return `dockerfile line greater than max allowed size of ${MAX_LINE.toString()}`;
    return this.file.instructions.length == 0 ? "file with no instructions" : "";
  }

  private take(line: LogicalLine): string {
    if (line.isBlank) return "";
    if (line.hasEmpty) this.file.warnings.push(new Warning(line.line, "NoEmptyContinuation", line.text));
    const instruction = this.instructionOf(line.text);
    this.file.instructions.push(instruction);
    const problem = this.readWords(instruction);
    if (problem.length > 0) return problem;
    const unread = this.readHeredocs(instruction);
    this.place(instruction, line.line);
    return unread;
  }

  private place(instruction: Instruction, line: i32): void {
    instruction.line = line;
    instruction.endLine = this.reader.line;
    const trigger = instruction.trigger;
    if (trigger !== null) this.place(trigger, line);
  }

  private instructionOf(text: string): Instruction {
    const line = trimSpace(text);
    const end = blankIn(line);
    const split = splitFlags(line.slice(end));
    const written = line.slice(0, end);
    const keyword = written.toUpperCase();
    // A trigger keeps the white space at its end, as in Docker.
    const start = afterSpace(text, 0) + end;
    const rest = formOf(keyword) == Form.Trigger ? text.slice(afterSpace(text, start)) : split.rest;
    const instruction = new Instruction(keyword, written, rest, line);
    instruction.flags = split.flags;
    return instruction;
  }

  // A chain of ONBUILDs is read one level deep: rules.ts refuses it.
  private readWords(instruction: Instruction): string {
    if (formOf(instruction.keyword) != Form.Trigger) return readArguments(instruction, this.directives.escape);
    if (instruction.rest.length == 0) return "";
    const trigger = this.instructionOf(instruction.rest);
    instruction.trigger = trigger;
    instruction.words = [trigger.keyword];
    return readArguments(trigger, this.directives.escape);
  }

  /** The trigger of ONBUILD has the here-documents, not the ONBUILD. */
  private readHeredocs(instruction: Instruction): string {
    const trigger = instruction.trigger;
    const taker = trigger === null ? instruction : trigger;
    if (taker.isJson || !takesHeredocs(taker.keyword)) return "";
    const announced = heredocsIn(taker.rest);
    const read: Heredoc[] = [];
    for (let i = 0; i < announced.length; i++) {
      const heredoc = readHeredoc(announced[i], this.reader);
      if (heredoc === null) return this.reader.tooLong ? "" : "unterminated heredoc";
      read.push(heredoc);
    }
    taker.heredocs = read;
    return "";
  }
}
