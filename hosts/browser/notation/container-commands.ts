// Commands about containers.

import type { Arguments } from "./arguments.js";
import { CREATE_TAKES, containerBody } from "./container-body.js";
import { container, creation, each, filtersOf, get, one, post } from "./planned.js";
import type { Command, Planned } from "./planned.js";
import { query } from "./query.js";
import { runPlan } from "./run-plan.js";

export const CONTAINER_COMMANDS: Readonly<Record<string, Command>> = {
  run: { takes: CREATE_TAKES, plan: runPlan },
  create: { takes: CREATE_TAKES, plan: createOnly },
  ps: one({ flags: ["all,a", "quiet,q", "latest,l", "size,s", "no-trunc"], values: ["last,n", "filter,f"] }, (args) =>
    get(
      `/containers/json${query({
        all: args.flag("all") || args.flag("latest") || args.value("last") !== null,
        limit: args.flag("latest") ? "1" : args.value("last"),
        size: args.flag("size"),
        filters: filtersOf(args),
      })}`,
      "list containers",
    ),
  ),
  start: { takes: { flags: ["attach,a", "interactive,i"], least: 1 }, plan: start },
  stop: each({ values: ["time,t", "timeout", "signal,s"], least: 1 }, (name, args) =>
    post(
      `${container(name)}/stop${query({ t: args.value("time") ?? args.value("timeout"), signal: args.value("signal") })}`,
      `stop ${name}`,
    ),
  ),
  restart: each({ values: ["time,t", "timeout"], least: 1 }, (name, args) =>
    post(`${container(name)}/restart${query({ t: args.value("time") ?? args.value("timeout") })}`, `restart ${name}`),
  ),
  kill: each({ values: ["signal,s"], least: 1 }, (name, args) =>
    post(`${container(name)}/kill${query({ signal: args.value("signal") })}`, `send ${name} a signal`),
  ),
  pause: each({ least: 1 }, (name) => post(`${container(name)}/pause`, `pause ${name}`)),
  unpause: each({ least: 1 }, (name) => post(`${container(name)}/unpause`, `let ${name} go on`)),
  rename: one({ least: 2, most: 2 }, ({ operands: [name, to] }) =>
    post(`${container(name!)}/rename${query({ name: to! })}`, `rename ${name}`),
  ),
  rm: each({ flags: ["force,f", "volumes,v"], least: 1 }, (name, args) => ({
    ...post(`${container(name)}${query({ force: args.flag("force"), v: args.flag("volumes") })}`, `remove ${name}`),
    method: "DELETE",
  })),
  logs: one(
    { flags: ["follow,f", "timestamps,t"], values: ["tail,n", "since", "until"], least: 1, most: 1 },
    (args) => ({
      ...get(
        `${container(args.operands[0]!)}/logs${query({
          stdout: true,
          stderr: true,
          follow: args.flag("follow"),
          timestamps: args.flag("timestamps"),
          tail: args.value("tail"),
          since: args.value("since"),
          until: args.value("until"),
        })}`,
        "read what it has written",
      ),
      background: args.flag("follow"),
    }),
  ),
  wait: each({ least: 1 }, (name) => post(`${container(name)}/wait`, `wait for the end of ${name}`)),
  attach: one({ flags: ["no-stdin"], values: ["detach-keys"], least: 1, most: 1 }, (args) => ({
    ...post(
      `${container(args.operands[0]!)}/attach${query({
        stream: true,
        stdin: !args.flag("no-stdin"),
        stdout: true,
        stderr: true,
        detachKeys: args.value("detach-keys"),
      })}`,
      "connect to its input and output",
    ),
    background: true,
  })),
  top: one({ least: 1 }, ({ operands: [name, ...ps] }) =>
    get(`${container(name!)}/top${query({ ps_args: ps.join(" ") || null })}`, "list its processes"),
  ),
  diff: one({ least: 1, most: 1 }, ({ operands: [name] }) =>
    get(`${container(name!)}/changes`, "list what it has changed"),
  ),
  "container inspect": each({ flags: ["size,s"], least: 1 }, (name, args) =>
    get(`${container(name)}/json${query({ size: args.flag("size") })}`, `ask for all about ${name}`),
  ),
};

function createOnly(args: Arguments): Planned | { wrong: string } {
  const body = containerBody(args, true);
  if ("wrong" in body) return body as { wrong: string };
  return { requests: [creation(args, body)] };
}

function start(args: Arguments): Planned {
  const attaches = args.flag("attach") || args.flag("interactive");
  const wishes = { stream: true, stdin: args.flag("interactive"), stdout: true, stderr: true };
  const streams = attaches
    ? args.operands.map((name) => ({
        ...post(`${container(name)}/attach${query(wishes)}`, "connect to its input and output"),
        background: true,
      }))
    : [];
  return { requests: [...streams, ...args.operands.map((name) => post(`${container(name)}/start`, `start ${name}`))] };
}
