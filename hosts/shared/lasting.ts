// Which commands may be given up when an engine ends or an instance is discarded. All others run to their ends and tell
// what came of them: what undoes something, above all, would else stay half done.

import { onlyAsks } from "./asks.js";
import type { content, processes, volumes } from "./host.js";
import type { HostEffect } from "./outputs.js";

/** Any interface's command, whoever asks. */
export type Asked = Pick<HostEffect, "to" | "command">;

/** Those that move as many bytes as there are, for hours if need be. */
const MOVING: readonly (content.ContentCommand["tag"] | volumes.VolumeCommand["tag"])[] = [
  "layer",
  "extract",
  "commit",
  "ingest",
  "populate",
];
/** Those that begin a process: over in a moment, as a rule. */
const BEGINNING: readonly processes.ProcessCommand["tag"][] = ["launch", "exec"];

/** Whether a command changes something and may last. */
export function lasts({ to, command }: Asked): boolean {
  const tags: readonly string[] = to === "processes" ? BEGINNING : MOVING;
  return tags.includes(command.tag);
}

/** Whether a command can be given up: nobody may wait for the answers of what only asks. */
export function mayBeGivenUp(effect: Asked): boolean {
  return lasts(effect) || onlyAsks(effect);
}
