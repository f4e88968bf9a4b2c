// `docker exec`: inspects the container, creates the exec, starts it, and asks for its exit code.

import type { Arguments, Takes } from "../arguments.js";
import { about, answered, container, get, post, withBody, type Command, type Planned } from "../planned.js";
import { Wrong } from "../wrong.js";

const TAKES: Takes = {
  flags: ["detach,d", "interactive,i", "tty,t", "privileged"],
  values: ["detach-keys", "env,e", "env-file", "user,u", "workdir,w"],
  least: 2,
  stops: true,
};

export const EXEC: Command = {
  operands: "CONTAINER COMMAND [ARG...]",
  about: "Run another command in a running container",
  takes: TAKES,
  names: "container",
  fields: new Map([
    ["detach", "Detach"],
    ["interactive", "AttachStdin"],
    ["tty", "Tty"],
    ["privileged", "Privileged"],
    ["detach-keys", "DetachKeys"],
    ["env", "Env"],
    ["user", "User"],
    ["workdir", "WorkingDir"],
  ]),
  plan,
  exits: true,
};

function plan(args: Arguments): Planned {
  if (args.has("env-file")) throw new Wrong("the page has no local files for --env-file", "--env-file");
  const [name = "", ...command] = args.operands;
  const detached = args.flag("detach");
  const start = {
    ...(detached && { Detach: true }),
    ...(args.flag("tty") && { Tty: true }),
  };
  const it = answered("exec", 2);
  const requests = [
    get(`${container(name)}/json`, "check whether it is running"),
    withBody(post(`${container(name)}/exec`, "create the exec"), bodyOf(args, command)),
    about(2, withBody(post(`${it}/start`, detached ? "start it" : "start it, and attach to it"), start)),
    ...(detached ? [] : [about(2, get(`${it}/json`, "ask for its exit code"))]),
  ];
  return { requests };
}

function bodyOf(args: Arguments, command: readonly string[]): object {
  const [detached, keys] = [args.flag("detach"), args.value("detach-keys")];
  const attached = { ...(args.flag("interactive") && { AttachStdin: true }), AttachStdout: true, AttachStderr: true };
  return {
    ...(args.has("user") && { User: args.value("user") }),
    ...(args.flag("privileged") && { Privileged: true }),
    ...(args.flag("tty") && { Tty: true }),
    ...(detached ? { Detach: true } : attached),
    ...(keys !== null && { DetachKeys: keys }),
    ...(args.has("env") && { Env: args.values("env") }),
    ...(args.has("workdir") && { WorkingDir: args.value("workdir") }),
    Cmd: command,
  };
}
