// The docker commands that are understood, in one table: what each takes, and the requests it stands for.

import type { Arguments } from "./arguments.js";
import { CONTAINER_COMMANDS } from "./container-commands.js";
import { IMAGE_COMMANDS } from "./image-commands.js";
import { each, filtersOf, get, one, post, withBody } from "./planned.js";
import type { Command, Planned } from "./planned.js";
import { query } from "./query.js";

export const COMMANDS: Readonly<Record<string, Command>> = {
  ...CONTAINER_COMMANDS,
  ...IMAGE_COMMANDS,

  version: one({}, () => get("/version", "ask for the version")),
  info: one({}, () => get("/info", "ask what the engine is and has")),
  "system df": one({}, () => get("/system/df", "ask what takes room")),
  events: one({ values: ["since", "until", "filter,f"] }, (args) => ({
    ...get(
      `/events${query({ since: args.value("since"), until: args.value("until"), filters: filtersOf(args) })}`,
      "follow the events",
    ),
    background: args.value("until") === null,
  })),
  login: { takes: { values: ["username,u", "password,p"], flags: ["password-stdin"], most: 1 }, plan: login },
  inspect: { takes: { values: ["type", "format,f"], flags: ["size,s"], least: 1 }, plan: inspect },

  "network ls": one({ values: ["filter,f"], flags: ["quiet,q", "no-trunc"] }, (args) =>
    get(`/networks${query({ filters: filtersOf(args) })}`, "list networks"),
  ),
  "network inspect": each({ least: 1 }, (name) => get(`/networks/${name}`, `ask for all about ${name}`)),
  "network create": one({ values: ["driver,d"], least: 1, most: 1 }, (args) =>
    withBody(post("/networks/create", "make a network"), {
      Name: args.operands[0],
      Driver: args.value("driver") ?? "bridge",
    }),
  ),
  "network rm": each({ least: 1 }, (name) => ({ ...post(`/networks/${name}`, `remove ${name}`), method: "DELETE" })),
  "volume ls": one({ values: ["filter,f"], flags: ["quiet,q"] }, (args) =>
    get(`/volumes${query({ filters: filtersOf(args) })}`, "list volumes"),
  ),
  "volume inspect": each({ least: 1 }, (name) => get(`/volumes/${name}`, `ask for all about ${name}`)),
  "volume create": one({ most: 1 }, ({ operands: [name] }) =>
    withBody(post("/volumes/create", "make a volume"), name === undefined ? {} : { Name: name }),
  ),
  "volume rm": each({ flags: ["force,f"], least: 1 }, (name, args) => ({
    ...post(`/volumes/${name}${query({ force: args.flag("force") })}`, `remove ${name}`),
    method: "DELETE",
  })),
};

function inspect(args: Arguments): Planned {
  const type = args.value("type");
  const requests = args.operands.map((name) => {
    const isImage = type === "image" || (type === null && /[:/]/.test(name));
    const folder = isImage
      ? "/images/"
      : type === "network"
        ? "/networks/"
        : type === "volume"
          ? "/volumes/"
          : "/containers/";
    const end = folder === "/images/" || folder === "/containers/" ? "/json" : "";
    return get(`${folder}${name}${end}`, `ask for all about ${name}`);
  });
  const guess = "Without --type the docker command tries one kind after the other; here the name decides.";
  return { requests, remarks: type === null ? [guess] : [] };
}

function login(args: Arguments): Planned | { wrong: string } {
  if (args.flag("password-stdin")) return { wrong: "--password-stdin" };
  const [username, password] = [args.value("username") ?? "", args.value("password") ?? ""];
  const body = { username, password, serveraddress: args.operands[0] ?? "https://index.docker.io/v1/" };
  const remark =
    "The docker command keeps the credentials and sends them along with each pull, in the header X-Registry-Auth.";
  return {
    requests: [withBody(post("/auth", "ask whether the registry takes the credentials"), body)],
    remarks: [remark],
  };
}
