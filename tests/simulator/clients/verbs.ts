// What the words of a story's lines ask of the engine: one row a verb. What a line means depends on nothing but the
// lines before, so that a story from which lines were taken still means something.

import type { Answer } from "../oracle.js";
import { containerBody } from "./container-body.js";
import { fuzzed } from "./fuzzed.js";

/** What clients have been told, as far as later lines speak of it. */
export interface Visible {
  /** Id of the container that was created last under this name. */
  readonly ids: Map<string, string>;
  /** Execs, the newest last. */
  readonly execs: string[];
  /** An archive for `docker load`. */
  archive(image: string): Uint8Array;
  /** A small tar for `docker cp`. */
  readonly tar: Uint8Array;
  /** Seconds since 1970, by the world. */
  readonly now: () => number;
}

type Heard = Pick<Answer, "status" | "body">;

export interface Sent {
  method: string;
  target: string;
  headers?: Record<string, string>;
  body?: string;
  archive?: Uint8Array;
  /** Takes note of an answer. */
  learn?: (answer: Heard) => void;
  /** The line that a client does then, ahead of all others. */
  next?: (answer: Heard) => string | null;
}

export interface Verb {
  /** Null: there is nothing to ask. */
  send: (args: string[], visible: Visible) => Sent | null;
  /** Nobody waits for its end. */
  goesOn?: true;
}

/** The row of a word. Throws for a word that is none. */
export function verbOf(word: string): Verb {
  const verb = VERBS[word];
  if (verb === undefined) throw new Error(`no such verb: ${word}`);
  return verb;
}

const VERBS: Readonly<Record<string, Verb>> = {
  create: { send: create },
  start: about("POST", "start"),
  stop: about("POST", "stop", (time) => `t=${time ?? "1"}`),
  restart: about("POST", "restart", (time) => `t=${time ?? "1"}`),
  kill: about("POST", "kill", (signal) => `signal=${signal ?? "KILL"}`),
  pause: about("POST", "pause"),
  unpause: about("POST", "unpause"),
  rename: about("POST", "rename", (name) => `name=${name}`),
  inspect: about("GET", "json"),
  top: about("GET", "top"),
  changes: about("GET", "changes"),
  export: about("GET", "export"),
  resize: about("POST", "resize", () => "h=24&w=80"),
  remove: { send: ([ref = "", query = ""], visible) => ask("DELETE", `/containers/${named(ref, visible)}`, query) },
  wait: { ...about("POST", "wait", (condition) => `condition=${condition ?? "not-running"}`), goesOn: true },
  attach: { ...about("POST", "attach", (how) => ATTACHED[how ?? "out"] ?? ""), goesOn: true },
  logs: {
    ...about("GET", "logs", (how) => (how === "follow" ? "follow=1&stdout=1&stderr=1" : "stdout=1")),
    goesOn: true,
  },
  stats: { ...about("GET", "stats", (how) => (how === "once" ? "stream=0" : "")), goesOn: true },
  update: { send: update },
  exec: { send: exec },
  "exec-start": { send: execStart, goesOn: true },
  "exec-inspect": { send: (_, { execs }) => ask("GET", `/exec/${execs.at(-1) ?? "none"}/json`) },
  "copy-in": {
    send: ([ref = "", path = "/data"], visible) => ({
      ...ask("PUT", `/containers/${named(ref, visible)}/archive`, `path=${path}`),
      archive: visible.tar,
      headers: { "Content-Type": "application/x-tar" },
    }),
  },
  "copy-out": about("GET", "archive", (path) => `path=${path ?? "/bin"}`),
  stat: about("HEAD", "archive", (path) => `path=${path ?? "/bin"}`),
  list: { send: ([query = "all=1"]) => ask("GET", "/containers/json", query) },
  prune: { send: ([what = "containers"]) => ask("POST", `/${what}/prune`) },
  pull: { send: ([image = ""]) => ask("POST", "/images/create", pullQuery(image)) },
  load: {
    send: ([image = ""], visible) => ({
      ...ask("POST", "/images/load"),
      archive: visible.archive(image),
      headers: { "Content-Type": "application/x-tar" },
    }),
  },
  save: { send: ([image = ""]) => ask("GET", `/images/${image}/get`) },
  tag: {
    send: ([image = "", repo = "", tag = "latest"]) => ask("POST", `/images/${image}/tag`, `repo=${repo}&tag=${tag}`),
  },
  untag: { send: ([image = "", query = ""]) => ask("DELETE", `/images/${image}`, query) },
  commit: {
    send: ([ref = "", repo = ""], visible) =>
      ask("POST", "/commit", `container=${named(ref, visible)}${repo === "" ? "" : `&repo=${repo}`}`),
  },
  images: { send: ([query = ""]) => ask("GET", "/images/json", query) },
  image: { send: ([image = "", what = "json"]) => ask("GET", `/images/${image}/${what}`) },
  networks: { send: () => ask("GET", "/networks") },
  volumes: { send: () => ask("GET", "/volumes") },
  "make-volume": {
    send: ([name = ""]) => ({ ...ask("POST", "/volumes/create"), body: JSON.stringify({ Name: name }) }),
  },
  info: { send: () => ask("GET", "/info") },
  version: { send: () => ask("GET", "/version") },
  usage: { send: () => ask("GET", "/system/df") },
  ping: { send: () => ask("HEAD", "/_ping") },
  events: {
    send: ([since], { now }) =>
      ask("GET", "/events", since === undefined ? "" : `since=${Math.floor(now() - Number(since))}`),
    goesOn: true,
  },
  past: { send: (_, { now }) => ask("GET", "/events", `since=0&until=${Math.floor(now())}`) },
  fuzz: { send: ([number = "0"], visible) => fuzzed(Number(number), visible), goesOn: true },
};

const ATTACHED: Readonly<Record<string, string>> = {
  out: "stream=1&stdout=1&stderr=1",
  all: "stream=1&stdin=1&stdout=1&stderr=1&logs=1",
  in: "stream=1&stdin=1",
};

/** A request about one container. */
function about(method: string, what: string, query: (argument: string | undefined) => string = () => ""): Verb {
  return {
    send: ([ref = "", argument], visible) => ask(method, `/containers/${named(ref, visible)}/${what}`, query(argument)),
  };
}

/** `anna`: by name; `#anna`: by the id that was told last; `#anna:8`: by the beginning of that. */
function named(ref: string, { ids }: Visible): string {
  if (!ref.startsWith("#")) return ref;
  const [name = "", length] = ref.slice(1).split(":");
  return (ids.get(name) ?? NOBODY).slice(0, length === undefined ? undefined : Number(length));
}

const NOBODY = "0".repeat(64);

function ask(method: string, path: string, query = ""): Sent {
  return { method, target: `/v1.55${path}${query === "" ? "" : `?${query}`}` };
}

function create([name = "", image = "", ...wishes]: string[], { ids }: Visible): Sent {
  const learn = ({ status, body }: Heard): void => {
    if (status === 201) ids.set(name, (JSON.parse(body ?? "") as { Id: string }).Id);
  };
  return { ...ask("POST", "/containers/create", `name=${name}`), body: containerBody(image, wishes), learn };
}

function update([ref = "", memory = "64"]: string[], visible: Visible): Sent {
  const body = JSON.stringify({ Memory: Number(memory) << 20, MemorySwap: -1 });
  return { ...ask("POST", `/containers/${named(ref, visible)}/update`), body };
}

/** Created, and started as soon as that is known. */
function exec([ref = "", how = "", ...command]: string[], visible: Visible): Sent {
  const attached = how !== "detached";
  const body = JSON.stringify({ Cmd: ["job", ...command], AttachStdout: attached, AttachStdin: how === "in" });
  const next = ({ status, body: told }: Heard): string | null => {
    if (status !== 201) return null;
    visible.execs.push((JSON.parse(told ?? "") as { Id: string }).Id);
    return how === "unstarted" ? null : `exec-start ${visible.execs.at(-1)} ${how}`;
  };
  return { ...ask("POST", `/containers/${named(ref, visible)}/exec`), body, next };
}

function execStart([id = "", how = ""]: string[], { execs }: Visible): Sent | null {
  const exec = id === "last" ? execs.at(-1) : id;
  if (exec === undefined) return null;
  return { ...ask("POST", `/exec/${exec}/start`), body: JSON.stringify({ Detach: how === "detached" }) };
}

function pullQuery(image: string): string {
  const [name = "", tag = "latest"] = image.split(":");
  return `fromImage=${encodeURIComponent(name)}&tag=${tag}`;
}
