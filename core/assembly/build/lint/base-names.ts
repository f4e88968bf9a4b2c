// Rules about the image that a stage begins with, and about its platform.

import { hostPlatform } from "../../image/host-platform";
import { parseReference } from "../../image/reference";
import { parsePlatform } from "../../image/platform";
import { Instruction } from "../dockerfile/instruction";
import { declareGlobal } from "../evaluation/argument";
import { Budget } from "../evaluation/budget";
import { BuildArguments } from "../evaluation/build-arguments";
import { declarePlatforms } from "../evaluation/platform-arguments";
import { substitute, Values } from "../evaluation/substitution";
import { quoteText } from "../../text/go-quote";
import { Findings } from "./findings";
import { suggestion } from "../../text/suggestion";
import {
  FROM_PLATFORM_FLAG_CONST_DISALLOWED,
  INVALID_DEFAULT_ARG_IN_FROM,
  REDUNDANT_TARGET_PLATFORM,
  UNDEFINED_ARG_IN_FROM,
} from "./lint-rule";

const TARGETS: string[] = ["$TARGETPLATFORM", "${TARGETPLATFORM}"];

/** The arguments before the first FROM, with their defaults; it notes which of them are asked for. */
export class GlobalArguments implements Values {
  readonly asked: Set<string> = new Set<string>();
  private readonly declared: Set<string> = new Set<string>();
  private readonly defaults: BuildArguments = new BuildArguments();
  private readonly budget: Budget = new Budget();

  constructor(private readonly escape: i32) {
    declarePlatforms(this.defaults, hostPlatform(), hostPlatform());
  }

  add(instruction: Instruction): void {
    declareGlobal(this.defaults, instruction, this.escape, this.budget);
    for (let i = 0; i < instruction.words.length; i++) this.declared.add(instruction.words[i].split("=")[0]);
  }

  find(name: string): string | null {
    this.asked.add(name);
    return this.defaults.find(name);
  }

  isDeclared(name: string): bool {
    return this.declared.has(name) || this.defaults.find(name) !== null;
  }

  get names(): string[] {
    return this.defaults.globals;
  }

  /** The word with the defaults; empty if that cannot be. */
  valueOf(word: string): string {
    return substitute(word, this, this.escape, this.budget).text;
  }
}

/** `isStage`: whether an earlier stage has this name. */
export function checkBase(from: Instruction, globals: GlobalArguments, isStage: bool, findings: Findings): void {
  const base = from.words[0];
  globals.asked.clear();
  globals.valueOf(from.flag("platform"));
  const value = globals.valueOf(base);
  let undeclared = 0;
  const asked = globals.asked.values();
  for (let i = 0; i < asked.length; i++) {
    const name = asked[i];
    if (globals.isDeclared(name)) continue;
    undeclared += 1;
    if (!findings.wants(UNDEFINED_ARG_IN_FROM)) continue;
    const meant = suggestion(name, globals.names, "");
    findings.add(UNDEFINED_ARG_IN_FROM, from, `FROM argument '${name}' is not declared${meant}`);
  }
  if (undeclared == 0 && base.includes("$") && !isStage && parseReference(value) === null) {
    const detail = `Default value for ARG ${base} results in empty or invalid base image name`;
    findings.add(INVALID_DEFAULT_ARG_IN_FROM, from, detail);
  }
}

export function checkPlatform(from: Instruction, findings: Findings): void {
  const platform = from.flag("platform");
  if (TARGETS.includes(platform)) {
    const detail = `Setting platform to predefined ${platform} in FROM is redundant as this is the default behavior`;
    findings.add(REDUNDANT_TARGET_PLATFORM, from, detail);
  } else if (platform.length > 0 && !platform.includes("$") && !isNamedAfter(from, platform)) {
    const detail = `FROM --platform flag should not use constant value ${quoteText(platform)}`;
    findings.add(FROM_PLATFORM_FLAG_CONST_DISALLOWED, from, detail);
  }
}

/** `FROM --platform=linux/arm64 alpine AS build_arm64` says that it means this platform. */
function isNamedAfter(from: Instruction, text: string): bool {
  const platform = parsePlatform(text, hostPlatform());
  if (from.words.length < 3 || platform === null) return false;
  const name = from.words[2].toLowerCase();
  return name.includes(platform.os) || name.includes(platform.architecture);
}
