// Looks for what breaks the rules of `docker build --check` in a Dockerfile that can be read.

import { Dockerfile } from "../dockerfile/dockerfile";
import { Instruction } from "../dockerfile/instruction";
import { Warning } from "../dockerfile/warning";
import { BuildOptions } from "../options";
import { quoteText } from "../../text/go-quote";
import { checkBase, checkPlatform, GlobalArguments } from "./base-names";
import { checkKeywords, checkNameCasing } from "./casing";
import { CheckOptions } from "./check-options";
import { checkDescription } from "./descriptions";
import { checkEvaluated } from "./evaluated-checks";
import { Findings } from "./findings";
import { checkInstruction, StageFacts } from "./instruction-checks";
import {
  DUPLICATE_STAGE_NAME,
  INVALID_DEFINITION_DESCRIPTION,
  LintRule,
  MULTIPLE_INSTRUCTIONS_DISALLOWED,
  NO_EMPTY_CONTINUATION,
  RESERVED_STAGE_NAME,
} from "./lint-rule";

/** What the parser tells by itself. It has a rule of its own besides, which no other builder knows. */
const OF_PARSER: LintRule[] = [NO_EMPTY_CONTINUATION, RESERVED_STAGE_NAME, MULTIPLE_INSTRUCTIONS_DISALLOWED];

/** `text`: of the file. `checks`: from the client, or else from the file. `options`: of the build. */
export function lintOf(file: Dockerfile, text: string, checks: CheckOptions, options: BuildOptions): Findings {
  const findings = new Findings(checks);
  for (let i = 0; i < file.warnings.length; i++) takeWarning(file.warnings[i], file.instructions, findings);
  checkKeywords(file.instructions, findings);
  new Linter(file, text, findings).check();
  checkEvaluated(file, options, findings, []);
  findings.sort();
  return findings;
}

function takeWarning(warning: Warning, instructions: Instruction[], findings: Findings): void {
  for (let i = 0; i < OF_PARSER.length; i++) {
    const rule = OF_PARSER[i];
    if (rule.name != warning.rule || !findings.wants(rule)) continue;
    const detail = rule === NO_EMPTY_CONTINUATION ? "Empty continuation line" : warning.text;
    findings.addAt(rule, warning.line, endOf(warning.line, instructions), detail);
  }
}

/** The last line of the instruction that begins on this line. */
function endOf(line: i32, instructions: Instruction[]): i32 {
  for (let i = 0; i < instructions.length; i++) if (instructions[i].line == line) return instructions[i].endLine;
  return line;
}

class Linter {
  private readonly globals: GlobalArguments;
  /** By the names of stages. */
  private readonly stages: Map<string, StageFacts> = new Map<string, StageFacts>();
  private facts: StageFacts = new StageFacts(false, false);
  private begun: bool = false;

  private readonly lines: string[];

  constructor(
    private readonly file: Dockerfile,
    text: string,
    private readonly findings: Findings,
  ) {
    this.globals = new GlobalArguments(file.escape);
    this.lines = findings.wants(INVALID_DEFINITION_DESCRIPTION) ? text.split("\n") : [];
  }

  check(): void {
    const instructions = this.file.instructions;
    for (let i = 0; i < instructions.length; i++) {
      const instruction = instructions[i];
      if (instruction.keyword == "FROM") this.begin(instruction);
      else if (!this.begun) this.globals.add(instruction);
      checkInstruction(instruction, this.file.escape, this.facts, this.findings);
      checkDescription(instruction, this.lines, this.file.directives, this.findings);
    }
  }

  private begin(from: Instruction): void {
    this.begun = true;
    const base = this.globals.valueOf(from.words[0]).toLowerCase();
    const isStage = this.stages.has(base);
    const before = isStage ? this.stages.get(base) : new StageFacts(false, false);
    this.facts = new StageFacts(before.hasShell, before.hasDirectory);
    checkBase(from, this.globals, isStage, this.findings);
    checkPlatform(from, this.findings);
    if (from.words.length == 3) this.name(from);
  }

  private name(from: Instruction): void {
    checkNameCasing(from, this.findings);
    const name = from.words[2].toLowerCase();
    if (this.stages.has(name)) {
      const detail = `Duplicate stage name ${quoteText(name)}, stage names should be unique`;
      this.findings.add(DUPLICATE_STAGE_NAME, from, detail);
    }
    this.stages.set(name, this.facts);
  }
}
