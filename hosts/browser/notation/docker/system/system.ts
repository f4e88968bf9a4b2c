// Commands about the engine.

import type { Arguments } from "../arguments.js";
import { printedAs } from "../format.js";
import { filtersOf, get, one, post, withBody, type Command } from "../planned.js";
import { query } from "../query.js";
import { Wrong } from "../wrong.js";
import { momentOf } from "./moments.js";

export const VERSION = one({
  operands: "",
  about: "Show the engine's version",
  takes: { values: ["format,f"] },
  plan: () => get("/version", "ask for the version"),
  prints: (args, answers) => printedAs(args.value("format"), answers),
});

export const INFO = one({
  operands: "",
  about: "Show information about the engine",
  takes: { values: ["format,f"] },
  plan: () => get("/info", "ask for information about the engine"),
  prints: (args, answers) => printedAs(args.value("format"), answers),
});

export const DF = one({
  operands: "",
  about: "Show disk usage",
  takes: { flags: ["verbose,v"], values: ["format"] },
  plan: () => get("/system/df", "ask for the disk usage"),
});

export const EVENTS = one({
  operands: "",
  about: "Follow the events",
  takes: { values: ["since", "until", "filter,f", "format"] },
  plan: (args) => {
    const [since, until] = [momentOf(args.value("since")), momentOf(args.value("until"))];
    const request = get(`/events${query({ since, until, filters: filtersOf(args) })}`, "follow the events");
    return { ...request, background: until === null };
  },
});

export const LOGIN: Command = {
  operands: "[REGISTRY]",
  about: "Check a name and a password with a registry",
  takes: { values: ["username,u", "password,p"], flags: ["password-stdin"], most: 1 },
  plan: login,
};

export const LOGOUT: Command = {
  operands: "[REGISTRY]",
  about: "Forget a registry's password: this only changes a file of the docker command",
  takes: { most: 1 },
  plan: () => ({
    requests: [],
    remarks: ["No request is sent: the docker command removes the password from its own file."],
  }),
};

function login(args: Arguments) {
  if (args.flag("password-stdin")) {
    throw new Wrong("docker login cannot read a password here: use --password", "--password-stdin");
  }
  const [username, password] = [args.value("username"), args.value("password")];
  if (username === null || password === null)
    throw new Wrong(
      "docker login has no terminal here to ask for missing values: give them with -u NAME -p PASSWORD",
      null,
    );
  const body = { username, password, serveraddress: args.operands[0] ?? "https://index.docker.io/v1/" };
  const remark =
    "The docker command stores the credentials and sends them with each pull, in the header X-Registry-Auth.";
  return {
    requests: [withBody(post("/auth", "check the credentials with the registry"), body)],
    remarks: [remark],
  };
}
