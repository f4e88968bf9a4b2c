// What is found in a Dockerfile.

import { Instruction } from "../dockerfile/instruction";
import { withoutUsers } from "../run/web/shown";
import { CheckOptions } from "./check-options";
import { LintRule } from "./lint-rule";

/** More are left out: each costs a client some lines. */
const MOST: i32 = 200;
/** An instruction may have a million lines. */
export const MOST_LINES: i32 = 50;

export class Finding {
  constructor(
    readonly rule: LintRule,
    readonly detail: string,
    /** The lines that it is about, counted from 1; of many only the first. */
    readonly line: i32,
    readonly endLine: i32,
  ) {}

  /** In one line, as the progress of a build shows it. */
  get short(): string {
    return `${this.rule.name}: ${this.detail} (line ${this.line.toString()})`;
  }
}

export class Findings {
  readonly all: Finding[] = [];
  /** Some stages begin with images that are not here: nobody knows yet which variables they set. */
  lacksImages: bool = false;
  /** The first of those that were found in another round. */
  private round: i32 = 0;

  constructor(readonly options: CheckOptions) {}

  add(rule: LintRule, instruction: Instruction, detail: string): void {
    this.addAt(rule, instruction.line, instruction.endLine, detail);
  }

  addAt(rule: LintRule, line: i32, endLine: i32, detail: string): void {
    if (!this.wants(rule)) return;
    const finding = new Finding(rule, withoutUsers(detail), line, min(endLine, line + MOST_LINES - 1));
    if (!this.isKnown(finding)) this.all.push(finding);
  }

  /** Looks for the same again. What was found before is not added once more. */
  beginAgain(): void {
    this.round = this.all.length;
  }

  /** Of this round, in the order of their lines. */
  get newest(): Finding[] {
    return this.all.slice(this.round).sort(byLine);
  }

  private isKnown(finding: Finding): bool {
    for (let i = 0; i < this.round; i++) {
      const one = this.all[i];
      if (one.rule === finding.rule && one.line == finding.line && one.detail == finding.detail) return true;
    }
    return false;
  }

  /** Whether there is room for what breaks this rule, and it counts. */
  wants(rule: LintRule): bool {
    return this.all.length < MOST && this.options.wants(rule);
  }

  /** In the order of their lines. */
  sort(): void {
    this.all.sort(byLine);
  }

  /** With which the build ends, if the file wants that; empty if it goes on. */
  get error(): string {
    if (!this.options.isError || this.all.length == 0) return "";
    const names: string[] = [];
    for (let i = 0; i < this.all.length; i++) {
      if (!names.includes(this.all[i].rule.name)) names.push(this.all[i].rule.name);
    }
    return `lint violation found for rules: ${names.sort().join(", ")}`;
  }
}

function byLine(one: Finding, other: Finding): i32 {
  return one.line - other.line;
}
