// `docker cp`: copies files out of a container as a tar archive, and into it as one.

import type { Arguments } from "../arguments.js";
import { atSign, container, get, type Command, type Planned } from "../planned.js";
import { query } from "../query.js";
import { Wrong } from "../wrong.js";

export const COPY: Command = {
  operands: "CONTAINER:PATH -",
  about: "Copy files out of a container",
  takes: { flags: ["archive,a", "follow-link,L", "quiet,q"], least: 2, most: 2 },
  names: "container",
  plan,
};

function plan(args: Arguments): Planned {
  const [from, to] = [placeOf(args.operands[0]!), placeOf(args.operands[1]!)];
  if (from !== null && to !== null) throw new Wrong("docker cp copies between a container and you", args.operands[1]!);
  if (from !== null) return copyOut(from, args);
  if (to !== null) throw new Wrong(NO_FILES, args.operands[0]!);
  throw new Wrong("docker cp needs a container on one side: web:/etc/hosts", args.operands[0]!);
}

const NO_FILES = `the page has no local files to copy: write a file with docker exec, or send PUT /containers/{id}/archive`;

function copyOut({ name, path }: Place, args: Arguments): Planned {
  const archive = `${container(name)}/archive${query({ path })}`;
  const look = { ...get(archive, "check what is there"), method: "HEAD" };
  const read = get(archive, "read it as a tar archive");
  const kept =
    args.operands[1] === "-"
      ? []
      : ["The docker command unpacks the archive into a local file; here the archive stays in the answer."];
  return { requests: args.flag("follow-link") ? [look, read] : [read], remarks: kept };
}

interface Place {
  readonly name: string;
  readonly path: string;
}

/** Parses `web:/etc/hosts`; null for a local file. */
function placeOf(text: string): Place | null {
  const [name, path] = atSign(text, ":");
  return path === null || /^[./]/.test(text) ? null : { name, path };
}
