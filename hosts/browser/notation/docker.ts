// Docker commands: the requests that the command line sends for them.

import { readArguments } from "./arguments.js";
import { COMMANDS } from "./commands.js";
import type { Parsed, PlannedRequest } from "./notation.js";
import { shellWords } from "./words.js";

/** `docker container ls` is `docker ps`; `docker image pull` is `docker pull`. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  container: { ls: "ps", list: "ps", inspect: "container inspect", remove: "rm" },
  image: { ls: "images", list: "images", rm: "rmi", remove: "rmi", inspect: "image inspect" },
  system: { info: "info", events: "events", df: "system df" },
  network: { list: "network ls", remove: "network rm" },
  volume: { list: "volume ls", remove: "volume rm" },
};

export function parseDocker(text: string, version: string): Parsed {
  const { words, rest } = shellWords(text);
  const [name, operands] = commandOf(words.slice(1).filter((word) => !GLOBAL.test(word)));
  const command = COMMANDS[name];
  if (command === undefined) {
    const known = Object.keys(COMMANDS).sort().join(", ");
    return { ok: false, message: `docker ${name} is not understood here. What is: ${known}`, at: name || null };
  }
  const args = readArguments(name, operands, command.takes);
  if ("message" in args) return { ok: false, ...args };
  const planned = command.plan(args);
  if ("wrong" in planned)
    return { ok: false, message: `docker ${name} cannot be told ${planned.wrong}`, at: planned.wrong };
  const remarks = [...(planned.remarks ?? [])];
  if (rest !== null) remarks.push(`What follows ${rest} is left out: only the requests are sent.`);
  const requests = planned.requests.map((request) => versioned(request, version));
  return { ok: true, notation: "docker", requests, remarks };
}

function versioned(request: PlannedRequest, version: string): PlannedRequest {
  const target = `/v${version}${request.target}`;
  return { ...request, target, ...(request.pull && { pull: versioned(request.pull, version) }) };
}

/** Options before the command that only say how to reach the engine. */
const GLOBAL = /^(-D|--debug|--tls|--host=.*|-H=.*|--log-level=.*)$/;

function commandOf(words: readonly string[]): [name: string, operands: readonly string[]] {
  const [first = "", second = "", ...others] = words;
  const group = GROUPS[first];
  if (group === undefined) return [first, words.slice(1)];
  const full = group[second] ?? (`${first} ${second}` in COMMANDS ? `${first} ${second}` : second);
  return [full, others];
}
