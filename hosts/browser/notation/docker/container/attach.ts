// `docker attach`, and `docker start`, which can attach too.

import type { PlannedRequest } from "../../notation.js";
import type { Arguments } from "../arguments.js";
import { about, answered, background, container, get, post, type Command, type Planned } from "../planned.js";
import { query } from "../query.js";

export const ATTACH: Command = {
  operands: "CONTAINER",
  about: "Attach to a running container",
  takes: { flags: ["no-stdin", "sig-proxy"], values: ["detach-keys"], least: 1, most: 1 },
  names: "container",
  exits: true,
  plan: (args) => {
    const [name = ""] = args.operands;
    const wait = post(`${container(name)}/wait`, "wait for its end");
    const look = get(`${container(name)}/json`, "check whether it is running");
    const connect = connecting(container(name), !args.flag("no-stdin"), args);
    return { requests: [background(wait), look, { ...connect, when: "runs" }] };
  },
};

export const START: Command = {
  operands: "CONTAINER [CONTAINER...]",
  about: "Start existing containers",
  takes: { flags: ["attach,a", "interactive,i"], values: ["detach-keys", "checkpoint", "checkpoint-dir"], least: 1 },
  names: "container",
  plan: start,
  exits: true,
  prints: (args) => args.operands.join("\n"),
};

function start(args: Arguments): Planned {
  const saved = query({ checkpoint: args.value("checkpoint"), "checkpoint-dir": args.value("checkpoint-dir") });
  const starting = (name: string, it = container(name)): PlannedRequest => post(`${it}/start${saved}`, `start ${name}`);
  if (!args.flag("attach") && !args.flag("interactive")) {
    return { requests: args.operands.map((name) => ({ ...starting(name), when: "always" })) };
  }
  const [name = ""] = args.operands;
  const it = answered("containers", 1);
  const following = [
    connecting(it, args.flag("interactive"), args),
    background(post(`${it}/wait${query({ condition: "next-exit" })}`, "wait for its end")),
    starting(name, it),
  ];
  const look = get(`${container(name)}/json`, "inspect it");
  return { requests: [look, ...following.map((request) => about(1, request))] };
}

function connecting(it: string, stdin: boolean, args: Arguments): PlannedRequest {
  const wishes = { stream: true, stdin, stdout: true, stderr: true, detachKeys: args.value("detach-keys") };
  return background(post(`${it}/attach${query(wishes)}`, "connect to its input and output"));
}
