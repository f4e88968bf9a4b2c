// `docker logs`: inspects the container first, because its TTY setting tells whether the log comes in frames or as
// plain text.

import type { Arguments } from "../arguments.js";
import { about, answered, container, get, type Command, type Planned } from "../planned.js";
import { query } from "../query.js";
import { momentOf } from "../system/moments.js";

export const LOGS: Command = {
  operands: "CONTAINER",
  about: "Show the output of a container",
  takes: { flags: ["follow,f", "timestamps,t", "details"], values: ["tail,n", "since", "until"], least: 1, most: 1 },
  names: "container",
  plan,
};

function plan(args: Arguments): Planned {
  const wishes = query({
    stdout: true,
    stderr: true,
    follow: args.flag("follow"),
    timestamps: args.flag("timestamps"),
    details: args.flag("details"),
    tail: args.value("tail") ?? "all",
    since: momentOf(args.value("since")),
    until: momentOf(args.value("until")),
  });
  const read = about(1, get(`${answered("containers", 1)}/logs${wishes}`, "read its output"));
  const look = get(`${container(args.operands[0]!)}/json`, "check whether it has a terminal");
  return { requests: [look, { ...read, background: args.flag("follow") }] };
}
