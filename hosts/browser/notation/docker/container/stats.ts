// `docker stats`: resource use of containers, once or continuously.

import type { PlannedRequest } from "../../notation.js";
import type { Arguments } from "../arguments.js";
import { answered, background, container, filterText, get, type Command, type Planned } from "../planned.js";
import { query } from "../query.js";

export const STATS: Command = {
  operands: "[CONTAINER...]",
  about: "Show the resource use of containers",
  takes: { flags: ["all,a", "no-stream", "no-trunc"], values: ["format"] },
  names: "container",
  plan,
};

function plan(args: Arguments): Planned {
  if (args.operands.length > 0) return { requests: args.operands.map((name) => usage(container(name), args)) };
  const changes = get(
    `/events${query({ filters: filterText(["type=container"]) })}`,
    "follow the containers that start and end",
  );
  const list = get(`/containers/json${query({ all: args.flag("all") })}`, "list containers");
  return {
    requests: [
      { ...background(changes), aside: args.flag("no-stream") },
      list,
      { ...usage(answered("containers", "each"), args), each: 2 },
    ],
  };
}

function usage(it: string, args: Arguments): PlannedRequest {
  const once = args.flag("no-stream");
  const request = get(`${it}/stats${query({ stream: once ? "0" : "1" })}`, "measure its resource use");
  return { ...request, background: !once, when: "always" };
}
