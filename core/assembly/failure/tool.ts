// Messages for programs of the machine that failed, for processes that did
// not do what they should, and for settings that the kernel does not accept.

import { Compulsion, FailedTool, RefusedSetting, Unmoved } from "../../../build/bindings/types";
import { quoteText } from "../text/go-quote";
import { errnoText } from "./call";

export function toolText(tool: FailedTool): string {
  return `${tool.name}: ${toolWords(tool).split("\n").join(" ")}`;
}

/** The program's own output; if there was none, a text like that of Go's os/exec. */
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
