// What a stage knows while its instructions are evaluated one after the other.

import { Json } from "../../json/json";
import { BACKSLASH } from "../dockerfile/directives";
import { Budget } from "./budget";
import { StageArguments } from "./build-arguments";
import { ImageConfig } from "./image-config";
import { substitute, Substituted, Values } from "./substitution";

export class BuildState implements Values {
  readonly config: ImageConfig;
  /** By MAINTAINER; of the image it begins with otherwise. */
  author: string = "";
  /** Whether the stage itself has set a command: if not, ENTRYPOINT removes that of the image it begins with. */
  commandGiven: bool = false;
  /** The changes of a commit: there is no image between two lines. */
  isCommit: bool = false;
  /** BuildKit's rules count, where they are others than the classic builder's. */
  isBuildKit: bool = false;
  /** Number of ports that EXPOSE lines have named so far. */
  exposed: i32 = 0;
  /** The sentence for what is wrong with the instruction that is being evaluated. */
  problem: string = "";

  /**
   * `config`: the `Config` of the image the stage begins with; changed in place. `escape`: the escape character of the
   * Dockerfile. `budget`: of the whole build.
   */
  constructor(
    config: Json,
    readonly given: StageArguments,
    readonly escape: i32,
    readonly budget: Budget,
  ) {
    this.config = new ImageConfig(config);
  }

  /** Variables of the image win over build arguments. */
  find(name: string): string | null {
    const value = this.config.find(name);
    return value !== null ? value : this.given.find(name);
  }

  /** A word with its variables substituted; empty if that is not possible, with the problem set. */
  expand(word: string): string {
    return this.expanded(word).text;
  }

  /** The same for each word. */
  expandAll(words: string[]): string[] {
    const expanded = new Array<string>(words.length);
    for (let i = 0; i < words.length; i++) expanded[i] = this.problem.length > 0 ? "" : this.expand(words[i]);
    return expanded;
  }

  /** A value with white space outside of quotes becomes several words. */
  expandWords(words: string[]): string[] {
    const expanded: string[] = [];
    for (let i = 0; i < words.length && this.problem.length == 0; i++) {
      const split = this.expanded(words[i]).words;
      for (let j = 0; j < split.length; j++) expanded.push(split[j]);
    }
    return expanded;
  }

  /** A here-document with its variables substituted: quotes are ordinary, and `\\` escapes, whatever the file chooses. */
  expandContent(content: string): string {
    const substituted = substitute(content, this, BACKSLASH, this.budget, false);
    if (substituted.problem.length > 0) this.fail(substituted.problem);
    return substituted.text;
  }

  /** Keeps the first problem. */
  fail(problem: string): void {
    if (this.problem.length == 0) this.problem = problem;
  }

  private expanded(word: string): Substituted {
    const substituted = substitute(word, this, this.escape, this.budget);
    if (substituted.problem.length > 0) this.fail(substituted.problem);
    return substituted;
  }
}
