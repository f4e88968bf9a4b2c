// The verbs about images and registries.

import { ACCOUNT, PRIVATE } from "../../../hosts/simulated/registry/images.js";
import { contextOf } from "./build-contexts.js";
import { type Verb, ask } from "./verb.js";

export const IMAGE_VERBS: Readonly<Record<string, Verb>> = {
  pull: { send: ([image = ""]) => ask("POST", "/images/create", pullQuery(image)) },
  "pull-all": { send: ([name = ""]) => ask("POST", "/images/create", `fromImage=${encodeURIComponent(name)}`) },
  push: {
    send: ([name = "", tag = "", password = ""]) => ({
      ...ask("POST", `/images/${name}/push`, `tag=${tag}`),
      headers: { "X-Registry-Auth": btoa(JSON.stringify({ username: ACCOUNT.username, password })) },
    }),
  },
  distribution: { send: ([image = ""]) => ask("GET", `/distribution/${image}/json`) },
  search: { send: ([term = "", query = ""]) => ask("GET", "/images/search", `term=${term}&${query}`) },
  login: { send: ([password = ""]) => ({ ...ask("POST", "/auth"), body: JSON.stringify(loginWith(password)) }) },
  load: {
    send: ([image = ""], visible) => ({
      ...ask("POST", "/images/load"),
      archive: visible.archive(image),
      headers: { "Content-Type": "application/x-tar" },
    }),
  },
  import: {
    send: ([source = "", query = ""], visible) => ({
      ...ask("POST", "/images/create", `fromSrc=${encodeURIComponent(source === "tar" ? "-" : source)}&${query}`),
      ...(source === "tar" ? { archive: visible.tar, headers: { "Content-Type": "application/x-tar" } } : {}),
    }),
  },
  build: {
    send: ([what = "", query = ""]) => ({
      ...ask("POST", "/build", query),
      archive: contextOf(what),
      headers: { "Content-Type": "application/x-tar" },
    }),
  },
  save: { send: ([image = ""]) => ask("GET", `/images/${image}/get`) },
  tag: {
    send: ([image = "", repo = "", tag = "latest"]) => ask("POST", `/images/${image}/tag`, `repo=${repo}&tag=${tag}`),
  },
  untag: { send: ([image = "", query = ""]) => ask("DELETE", `/images/${image}`, query) },
  images: { send: ([query = ""]) => ask("GET", "/images/json", query) },
  image: { send: ([image = "", what = "json"]) => ask("GET", `/images/${image}/${what}`) },
};

/** A login for the only simulated registry that has accounts. It refuses any other password. */
function loginWith(password: string): object {
  return { username: ACCOUNT.username, password, serveraddress: PRIVATE };
}

function pullQuery(image: string): string {
  const [name = "", tag = "latest"] = image.split(":");
  return `fromImage=${encodeURIComponent(name)}&tag=${tag}`;
}
