// Writes Python with docker-py's low-level client, or with the standard library if no call of the client makes the
// request.

import type { WrittenRequest } from "../session/request.js";
import { archiveInPython } from "./generate-archive.js";
import { callFor, isOn } from "./sdk-call.js";
import type { Call, Taken } from "./sdk-call.js";

/** Calls of docker-py 5 to 7 (`docker.APIClient`). Each sends the request given here and nothing else that matters. */
const CALLS: readonly Call[] = [
  { method: "GET", path: "/_ping", says: [], code: () => "client.ping()" },
  { method: "GET", path: "/version", says: [], code: () => "client.version()" },
  { method: "GET", path: "/info", says: [], code: () => "client.info()" },
  {
    method: "GET",
    path: "/events",
    says: ["filters"],
    code: ({ query }) => `client.events(${args({ decode: "True", filters: filters(query) })})`,
  },
  { method: "POST", path: "/containers/create", says: ["name", "platform"], takesBody: true, code: creation },
  {
    method: "GET",
    path: "/containers/*/json",
    says: [],
    code: ({ name }) => `client.inspect_container(${text(name)})`,
  },
  { method: "POST", path: "/containers/*/start", says: [], code: ({ name }) => `client.start(${text(name)})` },
  {
    method: "POST",
    path: "/containers/*/stop",
    says: ["t"],
    code: ({ name, query }) => `client.stop(${args({ "": text(name), timeout: number(query["t"]) })})`,
  },
  {
    method: "POST",
    path: "/containers/*/kill",
    says: ["signal"],
    code: ({ name, query }) => `client.kill(${args({ "": text(name), signal: optional(query["signal"]) })})`,
  },
  {
    method: "POST",
    path: "/containers/*/wait",
    says: ["condition"],
    code: ({ name, query }) => `client.wait(${args({ "": text(name), condition: optional(query["condition"]) })})`,
  },
  {
    method: "DELETE",
    path: "/containers/*",
    says: ["force", "v"],
    code: ({ name, query }) =>
      `client.remove_container(${args({ "": text(name), force: flag(query["force"]), v: flag(query["v"]) })})`,
  },
  { method: "GET", path: "/images/*/json", says: [], code: ({ name }) => `client.inspect_image(${text(name)})` },
  {
    method: "POST",
    path: "/images/*/tag",
    says: ["repo", "tag"],
    code: ({ name, query }) =>
      `client.tag(${args({ "": text(name), repository: optional(query["repo"]) ?? '""', tag: optional(query["tag"]) })})`,
  },
  {
    method: "DELETE",
    path: "/images/*",
    says: ["force", "noprune"],
    code: ({ name, query }) =>
      `client.remove_image(${args({ "": text(name), force: flag(query["force"]), noprune: flag(query["noprune"]) })})`,
  },
  {
    method: "POST",
    path: "/build",
    says: ["t", "dockerfile", "target", "nocache", "q"],
    takesFiles: true,
    code: building,
  },
  {
    method: "GET",
    path: "/networks",
    says: ["filters"],
    code: ({ query }) => `client.networks(${args({ filters: filters(query) })})`,
  },
  { method: "GET", path: "/networks/*", says: [], code: ({ name }) => `client.inspect_network(${text(name)})` },
  {
    method: "GET",
    path: "/volumes",
    says: ["filters"],
    code: ({ query }) => `client.volumes(${args({ filters: filters(query) })})`,
  },
  { method: "GET", path: "/volumes/*", says: [], code: ({ name }) => `client.inspect_volume(${text(name)})` },
];

export function python(request: WrittenRequest): string {
  const found = callFor(CALLS, request);
  // Without a version, the client negotiates the newest one and uses it: a different request.
  if (found === null || found.taken.version === "") return withHttp(request);
  const { row, taken } = found;
  const call = row.code(taken);
  const word = ({ "/events": "event", "/build": "line" } as Record<string, string>)[row.path];
  const reading = word === undefined ? [`print(${call})`] : [`for ${word} in ${call}:`, `    print(${word})`];
  return [
    ...(request.files === undefined ? [] : ["import io", "import tarfile", ""]),
    "import docker",
    "",
    ...(request.files === undefined ? [] : archiveInPython(request.files)),
    `client = docker.APIClient(base_url="unix://var/run/docker.sock", version="${taken.version}")`,
    ...reading,
    "",
  ].join("\n");
}

function creation({ query, body }: Taken): string {
  const wishes = args({ "": literal(body), name: optional(query["name"]), platform: optional(query["platform"]) });
  return `client.create_container_from_config(${wishes})`;
}

/** docker-py keeps the containers of the steps, unless it is told to remove them. */
function building({ query }: Taken): string {
  return `client.build(${args({
    fileobj: "archive",
    custom_context: "True",
    decode: "True",
    rm: "True",
    tag: optional(query["t"]),
    dockerfile: optional(query["dockerfile"]),
    target: optional(query["target"]),
    nocache: flag(query["nocache"]),
    quiet: flag(query["q"]),
  })})`;
}

/** Python arguments. Undefined ones are left out; an argument without a name comes first. */
function args(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => (name === "" ? value : `${name}=${value}`))
    .join(", ");
}

function optional(value: string | undefined): string | undefined {
  return value === undefined ? undefined : text(value);
}

function number(value: string | undefined): string | undefined {
  return value === undefined || !/^-?\d+$/.test(value) ? undefined : value;
}

function flag(value: string | undefined): string | undefined {
  return value === undefined ? undefined : isOn(value) ? "True" : "False";
}

function filters(query: Taken["query"]): string | undefined {
  return query["filters"] === undefined ? undefined : literal(parsedOr(query["filters"]));
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function text(value: string): string {
  return JSON.stringify(value);
}

/** A JSON value as Python source. */
function literal(value: unknown, indent = ""): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = `${indent}    `;
  const isList = Array.isArray(value);
  const members = Object.entries(value).map(([key, member]) =>
    isList ? literal(member, inner) : `${JSON.stringify(key)}: ${literal(member, inner)}`,
  );
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  const line = open + members.join(", ") + close;
  if (line.length <= 80 && !line.includes("\n")) return line;
  return `${open}\n${members.map((member) => `${inner}${member},\n`).join("")}${indent}${close}`;
}

function withHttp({ method, target, headers, body, files }: WrittenRequest): string {
  const given = [text(method), text(target)];
  if (files !== undefined) given.push("body=archive.getvalue()");
  if (body !== "") given.push(`body=${text(body)}.encode()`);
  if (headers.length > 0) given.push(`headers=${literal(Object.fromEntries(headers))}`);
  return [
    "import http.client",
    ...(files === undefined ? [] : ["import io"]),
    "import socket",
    ...(files === undefined ? [] : ["import tarfile"]),
    "",
    "",
    "class EngineConnection(http.client.HTTPConnection):",
    "    def connect(self):",
    "        self.sock = socket.socket(socket.AF_UNIX)",
    '        self.sock.connect("/var/run/docker.sock")',
    "",
    "",
    ...(files === undefined ? [] : archiveInPython(files)),
    'connection = EngineConnection("localhost")',
    `connection.request(${given.join(", ")})`,
    "answer = connection.getresponse()",
    "print(answer.status, answer.reason)",
    "while piece := answer.read1(65536):",
    '    print(piece.decode(errors="replace"), end="")',
    "",
  ].join("\n");
}
