// `docker create`, and the body that it shares with `docker run`.

import type { Arguments } from "../arguments.js";
import { creation, fieldOf, type Command } from "../planned.js";
import { fill, placesOf, takesOf, type Body } from "./body.js";
import { CREATE_FIELDS, attachedTo } from "./create-options.js";
import { putNetworks } from "./networks.js";

export const CREATE: Command = {
  operands: "IMAGE [COMMAND] [ARG...]",
  about: "Create a container without starting it",
  takes: takesOf(CREATE_FIELDS, { least: 1, stops: true }),
  fields: placesOf(CREATE_FIELDS),
  names: "image",
  plan: (args, version) => ({ requests: creation(args, containerBody(args, version)) }),
  prints: (_args, answers) => fieldOf(answers.at(-1), "Id"),
};

export function containerBody(args: Arguments, version: string): Body {
  const [image, ...command] = args.operands;
  const body: Body = { Image: image };
  if (command.length > 0) body["Cmd"] = command;
  const attached = attachedTo(args.values("attach"), args.flag("detach"), args.flag("interactive"));
  if (attached.has("stdin")) body["AttachStdin"] = true;
  if (attached.has("stdout")) body["AttachStdout"] = true;
  if (attached.has("stderr")) body["AttachStderr"] = true;
  if (attached.has("stdin") && args.flag("interactive")) body["StdinOnce"] = true;
  fill(body, CREATE_FIELDS, args);
  putNetworks(body, args, version);
  return body;
}
