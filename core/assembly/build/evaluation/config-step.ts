// A step that changes only the config, in the words of Docker's history.

import { quoteText } from "../../text/go-quote";
import { BuildState } from "./build-state";
import { Step, StepKind } from "./step";

/** `text`: `CMD ["x"]`. The shell is that of the image after the step. */
export function configStep(state: BuildState, text: string): Step {
  const step = new Step(StepKind.Config);
  step.command = state.config.shell().concat(["#(nop) ", text]);
  return step;
}

/** `["a" "b"]`: a list as Go's `%q` prints it. */
export function quotedList(words: string[]): string {
  const quoted = new Array<string>(words.length);
  for (let i = 0; i < words.length; i++) quoted[i] = quoteText(words[i]);
  return `[${quoted.join(" ")}]`;
}
