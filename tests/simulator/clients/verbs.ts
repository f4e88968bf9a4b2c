// The table of verbs: the requests that the words of a story's lines make. The meaning of a line depends only on the
// lines before it, so that a story still makes sense after some lines are removed.

import { ATTACH_VERBS } from "./attach-verbs.js";
import { BUILDER_VERBS } from "./builder-verbs.js";
import { containerBody } from "./container-body.js";
import { EXEC_VERBS } from "./exec-verbs.js";
import { fuzzed } from "./fuzzed.js";
import { IMAGE_VERBS } from "./image-verbs.js";
import { BODY_LIMIT, type Heard, type Sent, type Verb, type Visible, about, ask, named } from "./verb.js";

/** The row of a word. Throws for an unknown word. */
export function verbOf(word: string): Verb {
  const verb = VERBS[word];
  if (verb === undefined) throw new Error(`no such verb: ${word}`);
  return verb;
}

const VERBS: Readonly<Record<string, Verb>> = {
  ...ATTACH_VERBS,
  ...BUILDER_VERBS,
  ...EXEC_VERBS,
  ...IMAGE_VERBS,
  create: { send: create },
  start: about("POST", "start"),
  stop: about("POST", "stop", (time) => `t=${time ?? "1"}`),
  restart: about("POST", "restart", (time) => `t=${time ?? "1"}`),
  kill: about("POST", "kill", (signal) => `signal=${signal ?? "KILL"}`),
  pause: about("POST", "pause"),
  unpause: about("POST", "unpause"),
  rename: { send: rename, isAboutOne: true },
  inspect: about("GET", "json"),
  top: about("GET", "top"),
  changes: about("GET", "changes"),
  export: about("GET", "export"),
  resize: about("POST", "resize", () => "h=24&w=80"),
  remove: {
    send: ([ref = "", query = ""], visible) => ask("DELETE", `/containers/${named(ref, visible)}`, query),
    isAboutOne: true,
  },
  wait: { ...about("POST", "wait", (condition) => `condition=${condition ?? "not-running"}`), goesOn: true },
  logs: {
    ...about("GET", "logs", (how) => (how === "follow" ? "follow=1&stdout=1&stderr=1" : "stdout=1")),
    goesOn: true,
  },
  stats: { ...about("GET", "stats", (how) => (how === "once" ? "stream=0" : "")), goesOn: true },
  update: { send: update, isAboutOne: true },
  "copy-in": { send: copyIn, isAboutOne: true },
  "copy-out": { send: copyOut, isAboutOne: true },
  stat: about("HEAD", "archive", (path) => `path=${path ?? "/bin"}`),
  list: { send: ([query = "all=1"]) => ask("GET", "/containers/json", query) },
  prune: { send: ([what = "containers", query = ""]) => ask("POST", `/${what}/prune`, query) },
  commit: {
    send: ([ref = "", repo = ""], visible) =>
      ask("POST", "/commit", `container=${named(ref, visible)}${repo === "" ? "" : `&repo=${repo}`}`),
    isAboutOne: true,
  },
  oversized: { send: ([name = ""]) => ({ ...ask("POST", "/containers/create", `name=${name}`), body: oversized() }) },
  networks: { send: () => ask("GET", "/networks") },
  volumes: { send: () => ask("GET", "/volumes") },
  "make-volume": {
    send: ([name = ""]) => ({ ...ask("POST", "/volumes/create"), body: JSON.stringify({ Name: name }) }),
  },
  "remove-volume": { send: ([name = "", query = ""]) => ask("DELETE", `/volumes/${name}`, query) },
  "make-network": {
    send: ([name = "", parent = "-", ...words]) => {
      const onParent = parent === "-" ? {} : { Driver: "macvlan", EnableIPv6: true, Options: { parent } };
      const body = JSON.stringify({ Name: name, ...onParent, ...(words.length > 0 && networkBody(words)) });
      return { ...ask("POST", "/networks/create"), body };
    },
  },
  connect: { send: (words, visible) => wired("connect", words, visible), isAboutOne: true },
  disconnect: { send: (words, visible) => wired("disconnect", words, visible), isAboutOne: true },
  "remove-network": { send: ([name = ""]) => ask("DELETE", `/networks/${name}`) },
  info: { send: () => ask("GET", "/info") },
  version: { send: () => ask("GET", "/version") },
  usage: { send: () => ask("GET", "/system/df") },
  ping: { send: () => ask("HEAD", "/_ping") },
  events: {
    send: ([since], { now }) =>
      ask("GET", "/events", since === undefined ? "" : `since=${Math.floor(now() - Number(since))}`),
    goesOn: true,
  },
  "events-until": {
    send: ([seconds = "1"], { now }) => ask("GET", "/events", `until=${Math.floor(now()) + Number(seconds)}`),
    goesOn: true,
  },
  past: { send: (_, { now }) => ask("GET", "/events", `since=0&until=${Math.floor(now())}`) },
  fuzz: { send: ([number = "0"], visible) => fuzzed(Number(number), visible), goesOn: true },
};

function create([name = "", image = "", ...options]: string[], { ids, acquaintances }: Visible): Sent {
  const isNew = !acquaintances.has(name);
  acquaintances.mayComeToBe(name);
  const learn = ({ status, body }: Heard): void => {
    if (status === 201) ids.set(name, (JSON.parse(body ?? "") as { Id: string }).Id);
    if (status === 201) acquaintances.mayComeToBe(name);
    else if (isNew && status !== 409) acquaintances.isGone(name);
  };
  // Pulls a missing image, as docker's `create` does. A later line finds it.
  const next = ({ status }: Heard): string | null => (status === 404 ? `pull ${image}` : null);
  return { ...ask("POST", "/containers/create", `name=${name}`), body: containerBody(image, options), learn, next };
}

/** `six`: with IPv6; `internal`; `apart`: its containers do not reach each other; else the gateway mode of both families. */
function networkBody(words: readonly string[]): object {
  const modes = words.filter((word) => !["six", "internal", "apart"].includes(word));
  const option = (name: string, value: string): [string, string] => [`com.docker.network.bridge.${name}`, value];
  const of = (mode: string): [string, string][] => [4, 6].map((family) => option(`gateway_mode_ipv${family}`, mode));
  const Options = Object.fromEntries([
    ...modes.flatMap(of),
    ...(words.includes("apart") ? [option("enable_icc", "false")] : []),
  ]);
  return { EnableIPv6: words.includes("six"), Internal: words.includes("internal"), Options };
}

/** Connects a container to a network, or disconnects it. */
function wired(what: string, [ref = "", network = ""]: string[], visible: Visible): Sent {
  return { ...ask("POST", `/networks/${network}/${what}`), body: JSON.stringify({ Container: named(ref, visible) }) };
}

function rename([ref = "", name = ""]: string[], visible: Visible): Sent {
  visible.acquaintances.mayComeToBe(name);
  return ask("POST", `/containers/${named(ref, visible)}/rename`, `name=${name}`);
}

/** `clash`: copies a file over a directory that must not be replaced. */
function copyIn([ref = "", path = "/data", what = ""]: string[], visible: Visible): Sent {
  const query = `path=${path}${what === "clash" ? "&noOverwriteDirNonDir=1" : ""}`;
  return {
    ...ask("PUT", `/containers/${named(ref, visible)}/archive`, query),
    archive: what === "clash" ? visible.clash : visible.tar,
    headers: { "Content-Type": "application/x-tar" },
  };
}

/** `coding`: the value of Accept-Encoding. */
function copyOut([ref = "", path = "/bin", coding = ""]: string[], visible: Visible): Sent {
  const asked = ask("GET", `/containers/${named(ref, visible)}/archive`, `path=${path}`);
  return coding === "" ? asked : { ...asked, headers: { "Accept-Encoding": coding } };
}

/** A body over the size limit. */
function oversized(): string {
  return JSON.stringify({ Image: "busybox", Labels: { is: "x".repeat(BODY_LIMIT) } });
}

function update([ref = "", memory = "64"]: string[], visible: Visible): Sent {
  const body = JSON.stringify({ Memory: Number(memory) << 20, MemorySwap: -1 });
  return { ...ask("POST", `/containers/${named(ref, visible)}/update`), body };
}
