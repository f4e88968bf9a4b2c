// `docker run`: create, attach and wait, then start, in the order of the docker command line.

import type { Arguments } from "../arguments.js";
import type { PlannedRequest } from "../../notation.js";
import { about, answered, background, creation, fieldOf, post, type Command, type Planned } from "../planned.js";
import { query } from "../query.js";
import { placesOf, takesOf } from "./body.js";
import { RUN_FIELDS, attachedTo } from "./create-options.js";
import { containerBody } from "./create.js";

export const RUN: Command = {
  operands: "IMAGE [COMMAND] [ARG...]",
  about: "Create a container and start it",
  takes: takesOf(RUN_FIELDS, { least: 1, stops: true }),
  fields: placesOf(RUN_FIELDS),
  names: "image",
  plan: runPlan,
  exits: true,
  refused: 125,
  prints: (args, answers) => (args.flag("detach") ? fieldOf(answers[answers.length - 2], "Id") : ""),
};

function runPlan(args: Arguments, version: string): Planned {
  const created = creation(args, containerBody(args, version));
  const it = answered("containers", created.length);
  const following = [...(args.flag("detach") ? [] : followed(it, args)), post(`${it}/start`, "start it")];
  return { requests: [...created, ...following.map((request) => about(created.length, request))] };
}

/** The wait must begin before the process can end. */
function followed(it: string, args: Arguments): PlannedRequest[] {
  const attached = attachedTo(args.values("attach"), false, args.flag("interactive"));
  const streams = Object.fromEntries([...attached].map((name) => [name, true]));
  const wishes = { stream: true, ...streams, detachKeys: args.value("detach-keys") };
  const condition = args.flag("rm") ? "removed" : "next-exit";
  return [
    background(post(`${it}/attach${query(wishes)}`, "connect to its input and output")),
    background(post(`${it}/wait${query({ condition })}`, "wait for its end")),
  ];
}
