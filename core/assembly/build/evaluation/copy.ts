// COPY and ADD: what is copied, and where to.

import { Heredoc, Instruction } from "../dockerfile/instruction";
import { heredocOf } from "../dockerfile/heredocs";
import { isDigest } from "../../image/reference";
import { quoteText } from "../../text/go-quote";
import { parsePatterns } from "../ignore/ignore-file";
import { BuildState } from "./build-state";
import { leavesContext } from "./context-path";
import { isGitAddress } from "../run/web/git-address";
import { parseMode } from "./copy-mode";
import { ownerOf } from "./owner";
import { CopyStep, Source, SourceKind, Step, StepKind } from "./step";
import { pathFrom } from "./work-directory";

export function evaluateCopy(state: BuildState, instruction: Instruction): Step {
  const isAdd = instruction.keyword == "ADD";
  const copy = new CopyStep(isAdd, state.config.shell());
  const words = instruction.words;
  for (let i = 0; i < words.length - 1 && state.problem.length == 0; i++) {
    copy.sources.push(sourceOf(state, instruction, words[i]));
  }
  copy.destination = state.expand(words[words.length - 1]);
  copy.target = targetOf(state.config.directory(), copy.destination);
  readOptions(state, instruction, copy);
  if (hasOnlyFiles(copy)) state.fail(copy.destinationProblem(copy.sources.length));
  checkOptions(state, copy);
  const step = new Step(StepKind.Copy);
  step.copy = copy;
  return step;
}

function readOptions(state: BuildState, instruction: Instruction, copy: CopyStep): void {
  copy.from = instruction.flag("from");
  copy.owner = ownerOf(state, state.expand(instruction.flag("chown")));
  copy.ownsAbove = state.isBuildKit && copy.owner.length > 0;
  copy.mode = state.expand(instruction.flag("chmod"));
  copy.checksum = state.expand(instruction.flag("checksum"));
  copy.excludes = state.expandAll(instruction.flagValues("exclude"));
  copy.link = instruction.isOn("link");
  copy.parents = instruction.isOn("parents");
  copy.keepGit = instruction.isOn("keep-git-dir");
  const unpack = instruction.flag("unpack", "unset");
  copy.unpack = copy.isAdd && (unpack == "unset" || instruction.isOn("unpack"));
  copy.unpackUrls = unpack != "unset" && instruction.isOn("unpack");
}

function checkOptions(state: BuildState, copy: CopyStep): void {
  if (copy.mode.length > 0) {
    copy.modes = parseMode(copy.mode);
    if (copy.modes.length == 0) state.fail(`invalid mode ${quoteText(copy.mode)} for --chmod`);
  }
  if (copy.checksum.length > 0) state.fail(checksumProblem(copy));
  if (copy.excludes.length == 0) return;
  const excluded = parsePatterns(copy.excludes, "--exclude");
  if (excluded.problem.length > 0) state.fail(excluded.problem);
  copy.excluded = excluded.texts();
}

/** BuildKit's sentences; empty if the checksum may be right. */
function checksumProblem(copy: CopyStep): string {
  if (copy.sources.length != 1) return "checksum can't be specified for multiple sources";
  if (copy.sources[0].kind != SourceKind.Url) return "checksum can't be specified for non-HTTP(S) sources";
  const isValid = copy.checksum.startsWith("sha256:") && isDigest(copy.checksum);
  return isValid ? "" : `invalid checksum digest format: ${quoteText(copy.checksum)} is not sha256:HEX`;
}

function sourceOf(state: BuildState, instruction: Instruction, word: string): Source {
  const announced = heredocOf(word);
  if (announced !== null && !instruction.isJson) return contentOf(state, instruction.heredocs, announced.name);
  const text = state.expand(word);
  if (instruction.keyword == "ADD") {
    if (isGitAddress(text)) return new Source(SourceKind.Git, text);
    if (text.startsWith("http://") || text.startsWith("https://")) return new Source(SourceKind.Url, text);
  }
  if (leavesContext(text) && instruction.flag("from").length == 0) {
    state.fail(`${instruction.keyword} failed: forbidden path outside the build context: ${text} ()`);
  }
  const source = new Source(SourceKind.Path, pathFrom("/", text).slice(1));
  source.pivot = pivotOf(text);
  return source;
}

/** With `--parents`, `a/./b` keeps only `b`: the number of directories in front of the first `/./`. */
function pivotOf(text: string): i32 {
  const pivot = text.indexOf("/./");
  const above = pivot <= 0 ? "/" : pathFrom("/", text.slice(0, pivot));
  return above == "/" ? 0 : above.split("/").length - 1;
}

function contentOf(state: BuildState, heredocs: Heredoc[], name: string): Source {
  const file = fileOf(name);
  if (file.length == 0) state.fail(`the name of a here-document is no name of a file: ${name}`);
  for (let i = 0; i < heredocs.length; i++) {
    if (heredocs[i].name != name) continue;
    const text = heredocs[i].text();
    return new Source(SourceKind.Content, file, heredocs[i].expand ? state.expandContent(text) : text);
  }
  return new Source(SourceKind.Content, file, "");
}

/** The last part of a path; empty if that is no file. */
export function fileOf(name: string): string {
  const path = pathFrom("/", name);
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A slash at the end stays: it makes the destination a directory; so does the path `.` or `..`. */
function targetOf(directory: string, destination: string): string {
  const path = pathFrom(directory, destination);
  const last = destination.slice(destination.lastIndexOf("/") + 1);
  const isDirectory = last.length == 0 || last == "." || last == "..";
  return isDirectory && path != "/" ? path + "/" : path;
}

/** Whether each source is one file: not so with wildcards. */
function hasOnlyFiles(copy: CopyStep): bool {
  for (let i = 0; i < copy.sources.length; i++) {
    const source = copy.sources[i];
    if (source.kind != SourceKind.Path) continue;
    if (source.text.includes("*") || source.text.includes("?") || source.text.includes("[")) return false;
  }
  return true;
}
