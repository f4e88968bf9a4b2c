// `docker run`: create, connect and wait, then start, as the command line does it.

import type { Arguments } from "./arguments.js";
import { containerBody } from "./container-body.js";
import type { PlannedRequest } from "./notation.js";
import { container, creation, post } from "./planned.js";
import type { Planned } from "./planned.js";
import { query } from "./query.js";

/** The id that the first request's answer brings. */
const ID = "{{1.Id}}";

export function runPlan(args: Arguments): Planned | { wrong: string } {
  const detached = args.flag("detach");
  const body = containerBody(args, !detached);
  if ("wrong" in body) return body as { wrong: string };
  const requests: PlannedRequest[] = [creation(args, body)];
  if (!detached) requests.push(...following(args));
  requests.push(post(`${container(ID)}/start`, "start it"));
  return { requests };
}

/** Who waits must be there before the process can end. */
function following(args: Arguments): PlannedRequest[] {
  const streams = { stream: true, stdin: args.flag("interactive"), stdout: true, stderr: true };
  const condition = args.flag("rm") ? "removed" : "next-exit";
  return [
    { ...post(`${container(ID)}/attach${query(streams)}`, "connect to its input and output"), background: true },
    { ...post(`${container(ID)}/wait${query({ condition })}`, "wait for its end"), background: true },
  ];
}
