// Commands about the engine.

import type { Arguments } from "../arguments.js";
import { printedAs } from "../format.js";
import { filtersOf, get, one, post, withBody, type Command } from "../planned.js";
import { query } from "../query.js";
import { Wrong } from "../wrong.js";
import { momentOf } from "./moments.js";

export const VERSION = one({
  operands: "",
  about: "Ask for the engine's version",
  takes: { values: ["format,f"] },
  plan: () => get("/version", "ask for the version"),
  prints: (args, answers) => printedAs(args.value("format"), answers),
});

export const INFO = one({
  operands: "",
  about: "Ask what the engine is and has",
  takes: { values: ["format,f"] },
  plan: () => get("/info", "ask what the engine is and has"),
  prints: (args, answers) => printedAs(args.value("format"), answers),
});

export const DF = one({
  operands: "",
  about: "Ask what takes room",
  takes: { flags: ["verbose,v"], values: ["format"] },
  plan: () => get("/system/df", "ask what takes room"),
});

export const EVENTS = one({
  operands: "",
  about: "Follow what happens",
  takes: { values: ["since", "until", "filter,f", "format"] },
  plan: (args) => {
    const [since, until] = [momentOf(args.value("since")), momentOf(args.value("until"))];
    const request = get(`/events${query({ since, until, filters: filtersOf(args) })}`, "follow the events");
    return { ...request, background: until === null };
  },
});

export const LOGIN: Command = {
  operands: "[REGISTRY]",
  about: "Ask a registry whether it takes a name and a password",
  takes: { values: ["username,u", "password,p"], flags: ["password-stdin"], most: 1 },
  plan: login,
};

export const LOGOUT: Command = {
  operands: "[REGISTRY]",
  about: "Forget a registry's password: a matter of the command's own files",
  takes: { most: 1 },
  plan: () => ({
    requests: [],
    remarks: ["No request is sent: the docker command removes the password from its own file."],
  }),
};

function login(args: Arguments) {
  if (args.flag("password-stdin")) {
    throw new Wrong("docker login cannot read a password here: say --password", "--password-stdin");
  }
  const [username, password] = [args.value("username"), args.value("password")];
  if (username === null || password === null)
    throw new Wrong("docker login asks for what is missing at a terminal: say it with -u NAME -p PASSWORD here", null);
  const body = { username, password, serveraddress: args.operands[0] ?? "https://index.docker.io/v1/" };
  const remark =
    "The docker command keeps the credentials and sends them along with each pull, in the header X-Registry-Auth.";
  return {
    requests: [withBody(post("/auth", "ask whether the registry takes the credentials"), body)],
    remarks: [remark],
  };
}
