// What is told of programs of the machine that failed, of processes that do not what they are made to, and of settings
// that the kernel does not take.

import { Compulsion, FailedTool, RefusedSetting, Unmoved } from "../../../build/bindings/types";
import { quoteText } from "../text/go-quote";
import { errnoText } from "./call";

export function toolText(tool: FailedTool): string {
  return `${tool.name}: ${toolWords(tool).split("\n").join(" ")}`;
}

/** What it said itself; of one that ended without a word, in those of Go's os/exec. */
export function toolWords(tool: FailedTool): string {
  const said = tool.said.trim();
  if (said.length > 0) return said;
  const exit = tool.exit;
  return exit === null ? "signal: killed" : `exit status ${exit.value.toString()}`;
}

export function unmovedText(unmoved: Unmoved): string {
  if (unmoved.what == Compulsion.End) return `processes do not end: ${unmoved.pids.join(", ")}`;
  return `processes do not ${unmoved.what == Compulsion.Freeze ? "freeze" : "thaw"}: one hangs in the kernel`;
}

export function settingText(refused: RefusedSetting): string {
  return `failed to write ${quoteText(refused.value)} to ${refused.file}: ${errnoText(refused.error)}`;
}
