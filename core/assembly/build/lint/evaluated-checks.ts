// Rules about variables and about the files that copies take. The instructions are evaluated for them as in a build.

import { Json } from "../../json/json";
import { Image } from "../../image/image";
import { hostPlatform } from "../../image/host-platform";
import { parsePlatform, platformFits } from "../../image/platform";
import { imageStore } from "../../image/store";
import { quoteText } from "../../text/go-quote";
import { Dockerfile, parseTrigger } from "../dockerfile/dockerfile";
import { Instruction } from "../dockerfile/instruction";
import { BuildArguments, StageArguments } from "../evaluation/build-arguments";
import { BuildState } from "../evaluation/build-state";
import { Budget } from "../evaluation/budget";
import { evaluate } from "../evaluation/evaluate";
import { CopyStep, SourceKind } from "../evaluation/step";
import { giveArguments } from "../given-arguments";
import { IgnoreFile } from "../ignore/ignore-file";
import { BuildOptions } from "../options";
import { LINT } from "../questions/describe";
import { Stage } from "../stages/stage";
import { Stages, stagesOf } from "../stages/stages";
import { Findings } from "./findings";
import { COPY_IGNORED_FILE, UNDEFINED_VAR } from "./lint-rule";
import { suggestion } from "../../text/suggestion";

/** Instructions in which variables are replaced, but for EXPOSE: that has rules of its own, and takes long. */
const CHECKED: string[] = ["ADD", "ARG", "COPY", "ENV", "LABEL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR"];
/** Build arguments that only switch something on. */
const SWITCHES: string[] = ["BUILDKIT_SBOM_SCAN_CONTEXT", "BUILDKIT_SBOM_SCAN_STAGE"];

/**
 * Of all stages, if the client asks for the rules and names no stage; otherwise of those that are built. `bases`: the images
 * that stages begin with, by their indices; for others those that are here count.
 */
export function checkEvaluated(
  file: Dockerfile,
  options: BuildOptions,
  findings: Findings,
  bases: (Image | null)[],
): void {
  const args = new BuildArguments();
  giveArguments(options, args);
  const budget = new Budget();
  const stages = stagesOf(file, args, options.target, options.contexts, budget);
  if (stages.problem.length > 0) return;
  const checks = new EvaluatedChecks(file, options, stages, args, budget, findings, bases);
  const takesAll = options.question == LINT && options.target.length == 0;
  for (let i = 0; i < stages.all.length; i++) checks.take(stages.all[i], takesAll || stages.needed.includes(i));
}

/** Notes which variables are asked for, and not there. */
class CheckedState extends BuildState {
  readonly missing: Set<string> = new Set<string>();
  /** Declared by a stage that it begins with. */
  inherited: Set<string> = new Set<string>();

  find(name: string): string | null {
    const value = super.find(name);
    if (value === null && !this.given.has(name) && !this.inherited.has(name)) this.missing.add(name);
    return value;
  }
}

class EvaluatedChecks {
  private readonly ignores: IgnoreFile | null;
  /** By the index of a stage; null if its variables are not known. */
  private readonly states: (CheckedState | null)[] = [];

  constructor(
    private readonly file: Dockerfile,
    private readonly options: BuildOptions,
    private readonly stages: Stages,
    private readonly args: BuildArguments,
    private readonly budget: Budget,
    private readonly findings: Findings,
    private readonly bases: (Image | null)[],
  ) {
    const files = options.files;
    this.ignores = files === null ? null : files.ignored;
  }

  take(stage: Stage, counts: bool): void {
    const entries = counts ? this.environmentOf(stage) : null;
    const isKnown = entries !== null && this.budget.spend(lengthOf(entries));
    const state = this.stateWith(isKnown ? entries! : []);
    this.states.push(isKnown ? state : null);
    if (!counts) return;
    if (stage.base >= 0) this.inherit(state, stage.base);
    else if (stage.image.length > 0) this.evaluateTriggers(state, stage);
    for (let i = 0; i < stage.instructions.length; i++) {
      const instruction = stage.instructions[i];
      if (!CHECKED.includes(instruction.keyword)) continue;
      state.missing.clear();
      const step = evaluate(state, instruction);
      if (isKnown) this.checkVariables(instruction, state);
      const copy = step.copy;
      if (copy !== null && state.missing.size == 0) this.checkSources(instruction, copy);
      if (step.problem.length > 0) return;
    }
  }

  /** The variables that the stage begins with; null if nobody knows them before its image is pulled. */
  private environmentOf(stage: Stage): string[] | null {
    if (stage.problem.length > 0) return null;
    if (stage.base >= 0) {
      const base = this.states[stage.base];
      return base === null ? null : base.config.variables.entries.slice(0);
    }
    if (stage.isScratch && stage.context.length == 0) return [];
    const image = this.imageOf(stage);
    if (image !== null) return image.containerConfig().stringsOf("Env");
    if (stage.image.length > 0) this.findings.lacksImages = true;
    return null;
  }

  /** Null if it is not here, or if the build may take another one. */
  private imageOf(stage: Stage): Image | null {
    const found = this.foundFor(stage);
    if (found !== null) return found;
    if (stage.image.length == 0 || this.options.pull) return null;
    const image = imageStore.lookUp(stage.image).image;
    if (image === null) return null;
    const wanted = stage.platform.length > 0 ? parsePlatform(stage.platform, hostPlatform()) : this.options.platform;
    return wanted === null || platformFits(image.platform, wanted) ? image : null;
  }

  private foundFor(stage: Stage): Image | null {
    return stage.index < this.bases.length ? this.bases[stage.index] : null;
  }

  private stateWith(entries: string[]): CheckedState {
    const config = Json.object();
    config.set("Env", Json.strings(entries));
    const state = new CheckedState(config, new StageArguments(this.args), this.file.escape, this.budget);
    state.isBuildKit = true;
    state.config.addPath();
    return state;
  }

  private inherit(state: CheckedState, stage: i32): void {
    const base = this.states[stage];
    if (base === null) return;
    const names = base.given.declared.concat(base.inherited.values());
    for (let i = 0; i < names.length; i++) state.inherited.add(names[i]);
  }

  /** The lines of an image's triggers are nobody's here, but they may set variables. */
  private evaluateTriggers(state: CheckedState, stage: Stage): void {
    const found = this.foundFor(stage);
    const image = found === null ? imageStore.lookUp(stage.image).image : found;
    if (image === null) return;
    const triggers = image.containerConfig().stringsOf("OnBuild");
    for (let i = 0; i < triggers.length; i++) {
      const parsed = parseTrigger(triggers[i]);
      if (parsed.problem.length == 0) evaluate(state, parsed.instructions[0]);
    }
  }

  private checkVariables(instruction: Instruction, state: CheckedState): void {
    if (state.missing.size == 0 || !this.findings.wants(UNDEFINED_VAR)) return;
    const missing = state.missing.values();
    const names = this.namesFor(state, instruction);
    for (let i = 0; i < missing.length && this.findings.wants(UNDEFINED_VAR); i++) {
      if (SWITCHES.includes(missing[i])) continue;
      const detail = `Usage of undefined variable '$${missing[i]}'`;
      this.findings.add(UNDEFINED_VAR, instruction, detail + suggestion(missing[i], names, "$"));
    }
  }

  /** Without what the instruction itself sets. */
  private namesFor(state: CheckedState, instruction: Instruction): string[] {
    const names = this.args.globals.concat(state.config.variables.names).concat(state.given.declared);
    const own = new Set<string>();
    for (let i = 0; i < instruction.words.length; i++) own.add(instruction.words[i].split("=")[0]);
    const others: string[] = [];
    for (let i = 0; i < names.length; i++) if (!own.has(names[i])) others.push(names[i]);
    return others;
  }

  /** A client of BuildKit sends none of these files. */
  private checkSources(instruction: Instruction, copy: CopyStep): void {
    const ignores = this.ignores;
    if (ignores === null || copy.from.length > 0 || !this.findings.wants(COPY_IGNORED_FILE)) return;
    for (let i = 0; i < copy.sources.length; i++) {
      const source = copy.sources[i];
      if (source.kind != SourceKind.Path || !ignores.ignores(source.text)) continue;
      const what = `${copy.isAdd ? "Add" : "Copy"} file ${quoteText(source.text)}`;
      this.findings.add(COPY_IGNORED_FILE, instruction, `Attempting to ${what} that is excluded by .dockerignore`);
    }
  }
}

function lengthOf(texts: string[]): i32 {
  let length = 0;
  for (let i = 0; i < texts.length; i++) length += texts[i].length;
  return length;
}
