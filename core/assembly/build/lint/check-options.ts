// What a Dockerfile, or a build argument, says of the rules: `# check=skip=StageNameCasing,FromAsCasing;error=true`.

import { parseFlag } from "../../api/parameters";
import { quoteText } from "../../text/go-quote";
import { trimSpace } from "../../text/space";
import { LintRule } from "./lint-rule";

const ALL = "all";

export class CheckOptions {
  /** What is wrong with the text; empty if nothing is. */
  problem: string = "";
  /** A broken rule ends the build. */
  isError: bool = false;
  private readonly skipped: Set<string> = new Set<string>();
  private readonly experiments: Set<string> = new Set<string>();

  constructor(text: string) {
    const parts = text.length == 0 ? new Array<string>() : text.split(";");
    for (let i = 0; i < parts.length && this.problem.length == 0; i++) this.take(parts[i]);
  }

  /** Whether it counts. An experiment that the file asks for counts even if all rules are skipped. */
  wants(rule: LintRule): bool {
    if (rule.isExperiment) return this.experiments.has(ALL) || this.experiments.has(rule.name);
    return !this.skipped.has(ALL) && !this.skipped.has(rule.name);
  }

  private take(part: string): void {
    const equals = part.indexOf("=");
    const key = trimSpace(part.slice(0, max(equals, 0)));
    const value = trimSpace(part.slice(equals + 1));
    if (equals < 0) this.problem = `invalid check option ${quoteText(part)}`;
    else if (key == "skip") replace(this.skipped, value);
    else if (key == "experimental") replace(this.experiments, value);
    else if (key == "error") this.takeError(part, value);
    else this.problem = `invalid check option ${quoteText(key)}`;
  }

  private takeError(part: string, value: string): void {
    const flag = parseFlag(value);
    this.isError = flag.value;
    if (flag.error.length > 0) this.problem = `failed to parse check option ${quoteText(part)}`;
  }
}

/** `list`: names with commas between them. */
function replace(rules: Set<string>, list: string): void {
  rules.clear();
  const names = list.split(",");
  for (let i = 0; i < names.length; i++) rules.add(trimSpace(names[i]));
}
