// What a context holds in memory, and what is only the tar of a copy, comes to disk when a command needs it there.

import type { content, types } from "../../../hosts/shared/index.js";
import type { Copies } from "../copies.js";
import type { Contexts } from "./contexts.js";

/** Containers whose files the command needs on disk. */
export function neededOnDisk(command: content.ContentCommand, contexts: Contexts): string[] {
  const read = (view: types.View): string[] => (contexts.readers(view) ? [] : [view.container]);
  switch (command.tag) {
    case "stat":
      return [command.val.view.container];
    case "make-directory":
    case "list-files":
      return [command.val.at.view.container];
    case "compare":
    case "commit":
    case "send-files":
      return [command.val.container];
    case "measure":
      return [command.val];
    case "read-file":
      return read(command.val.at.view);
    case "choose":
      return read(command.val.from);
    case "copy": {
      const { into, what } = command.val;
      return [into.container, ...(what.tag === "files" ? read(what.val.from) : [])];
    }
    case "download":
    case "clone":
      return [command.val.into.view.container];
    case "extract":
      return contexts.takes(command.val) ? [] : [command.val.into.view.container];
    default:
      return [];
  }
}

/** Whether the commit's layer is just what was copied. */
export function takesCopy({ container, spent, mountPoints }: content.Commit, copies: Copies): boolean {
  return spent && mountPoints.length === 0 && copies.has(container);
}
