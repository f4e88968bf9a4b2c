// The docker commands that the console understands, in one table, and their short names.

import { ATTACH, START } from "./container/attach.js";
import { COPY } from "./container/copy.js";
import { CREATE } from "./container/create.js";
import { EXEC } from "./container/exec.js";
import { LIST } from "./container/list.js";
import { LOGS } from "./container/logs.js";
import * as container from "./container/one-request.js";
import { RUN } from "./container/run.js";
import { STATS } from "./container/stats.js";
import { UPDATE } from "./container/update.js";
import { BUILD } from "./image/build.js";
import * as image from "./image/images.js";
import * as network from "./network/networks.js";
import type { Command } from "./planned.js";
import * as prune from "./prune.js";
import { INSPECT_ANY } from "./system/inspect.js";
import * as system from "./system/system.js";
import * as volume from "./volume/volumes.js";

export const COMMANDS: Readonly<Record<string, Command>> = {
  "container attach": ATTACH,
  "container commit": image.COMMIT,
  "container cp": COPY,
  "container create": CREATE,
  "container diff": container.DIFF,
  "container exec": EXEC,
  "container export": container.EXPORT,
  "container inspect": container.INSPECT,
  "container kill": container.KILL,
  "container logs": LOGS,
  "container ls": LIST,
  "container pause": container.PAUSE,
  "container port": container.PORT,
  "container prune": prune.CONTAINER_PRUNE,
  "container rename": container.RENAME,
  "container restart": container.RESTART,
  "container rm": container.REMOVE,
  "container run": RUN,
  "container start": START,
  "container stats": STATS,
  "container stop": container.STOP,
  "container top": container.TOP,
  "container unpause": container.UNPAUSE,
  "container update": UPDATE,
  "container wait": container.WAIT,

  "image build": BUILD,
  "image history": image.HISTORY,
  "image import": image.IMPORT,
  "image inspect": image.INSPECT,
  "image load": image.LOAD,
  "image ls": image.LIST,
  "image prune": prune.IMAGE_PRUNE,
  "image pull": image.PULL,
  "image push": image.PUSH,
  "image rm": image.REMOVE,
  "image save": image.SAVE,
  "image tag": image.TAG,

  "network connect": network.CONNECT,
  "network create": network.CREATE,
  "network disconnect": network.DISCONNECT,
  "network inspect": network.INSPECT,
  "network ls": network.LIST,
  "network prune": prune.NETWORK_PRUNE,
  "network rm": network.REMOVE,

  "volume create": volume.CREATE,
  "volume inspect": volume.INSPECT,
  "volume ls": volume.LIST,
  "volume prune": prune.VOLUME_PRUNE,
  "volume rm": volume.REMOVE,

  "system df": system.DF,
  "system events": system.EVENTS,
  "system info": system.INFO,
  "system prune": prune.SYSTEM_PRUNE,
  "builder build": BUILD,
  "builder prune": prune.BUILDER_PRUNE,

  inspect: INSPECT_ANY,
  login: system.LOGIN,
  logout: system.LOGOUT,
  search: image.SEARCH,
  version: system.VERSION,
};

/**
 * `docker ps` is `docker container ls`. All other container commands and most image commands also work without the
 * noun.
 */
const SHORT: Readonly<Record<string, string>> = {
  ps: "container ls",
  images: "image ls",
  rmi: "image rm",
  events: "system events",
  info: "system info",
  ...shortened("container", ["ls", "prune", "inspect"]),
  ...shortened("image", ["ls", "prune", "inspect", "rm"]),
};

function shortened(noun: string, others: readonly string[]): Record<string, string> {
  const verbs = Object.keys(COMMANDS).filter((name) => name.startsWith(`${noun} `));
  const pairs = verbs.map((name) => [name.slice(noun.length + 1), name] as const);
  return Object.fromEntries(pairs.filter(([verb]) => !others.includes(verb)));
}

/** `list` and `remove` are other names. */
const SYNONYMS: Readonly<Record<string, string>> = { list: "ls", ps: "ls", remove: "rm" };

export const GROUPS: readonly string[] = ["builder", "container", "image", "network", "system", "volume"];

/** Names that can follow `docker`, without the names of groups. */
export const SINGLE: readonly string[] = [
  ...Object.keys(COMMANDS).filter((name) => !name.includes(" ")),
  ...Object.keys(SHORT),
].toSorted();

/** The verbs of a group. */
export function verbsOf(group: string): string[] {
  return Object.keys(COMMANDS).flatMap((name) => (name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : []));
}

/** Finds the command at the beginning of some words, and how many words name it; null if there is none. */
export function commandOf(words: readonly string[]): { name: string; command: Command; length: number } | null {
  const [first = "", second = ""] = words;
  const isGroup = GROUPS.includes(first);
  const verb = SYNONYMS[second] ?? second;
  const full = isGroup ? `${first} ${verb}` : (own(SHORT, first) ?? first);
  const command = own(COMMANDS, full);
  if (command === undefined) return null;
  return { name: isGroup ? `${first} ${second}` : first, command, length: isGroup ? 2 : 1 };
}

function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
