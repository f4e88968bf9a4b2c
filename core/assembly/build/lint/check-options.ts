// What a Dockerfile, or a build argument, says of the rules: `# check=skip=StageNameCasing,FromAsCasing;error=true`.

import { parseFlag } from "../../api/parameters";
import { quoteText } from "../../text/go-quote";
import { trimSpace } from "../../text/space";

const ALL = "all";

export class CheckOptions {
  /** What is wrong with the text; empty if nothing is. */
  problem: string = "";
  /** A broken rule ends the build. */
  isError: bool = false;
  private readonly skipped: Set<string> = new Set<string>();

  constructor(text: string) {
    const parts = text.length == 0 ? new Array<string>() : text.split(";");
    for (let i = 0; i < parts.length && this.problem.length == 0; i++) this.take(parts[i]);
  }

  skips(rule: string): bool {
    return this.skipped.has(ALL) || this.skipped.has(rule);
  }

  private take(part: string): void {
    const equals = part.indexOf("=");
    const key = trimSpace(part.slice(0, max(equals, 0)));
    const value = trimSpace(part.slice(equals + 1));
    if (equals < 0) this.problem = `invalid check option ${quoteText(part)}`;
    else if (key == "skip") this.skip(value.split(","));
    else if (key == "error") this.takeError(part, value);
    // No rule here is an experiment.
    else if (key != "experimental") this.problem = `invalid check option ${quoteText(key)}`;
  }

  private skip(names: string[]): void {
    this.skipped.clear();
    for (let i = 0; i < names.length; i++) this.skipped.add(trimSpace(names[i]));
  }

  private takeError(part: string, value: string): void {
    const flag = parseFlag(value);
    this.isError = flag.value;
    if (flag.error.length > 0) this.problem = `failed to parse check option ${quoteText(part)}`;
  }
}
