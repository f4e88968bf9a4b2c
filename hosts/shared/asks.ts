// Which commands only ask: whoever wanted their answers may be gone, and nothing of them is left.

import type { HostEffect } from "./outputs.js";

/** Commands with the mark *ask* in core/wit, by their interfaces. */
export const ASKS: Readonly<Record<HostEffect["to"], readonly string[]>> = {
  processes: ["identify", "ps", "sample", "count-own"],
  content: ["resolve", "tags", "blob", "login", "measure", "measure-tar", "stat", "compare", "read"],
  networks: [],
  volumes: ["find", "measure"],
  records: ["read"],
};

/** Whether a command changes nothing. */
export function onlyAsks({ to, command }: Pick<HostEffect, "to" | "command">): boolean {
  return ASKS[to].includes(command.tag);
}
