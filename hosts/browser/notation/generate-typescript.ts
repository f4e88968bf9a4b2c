// Writes TypeScript with dockerode, or with Node's own HTTP client if no call of dockerode makes the request.

import type { WrittenRequest } from "../session/request.js";
import { archiveInTypeScript, PACK_IMPORT } from "./generate-archive.js";
import { callFor, isOn } from "./sdk-call.js";
import type { Call, Taken } from "./sdk-call.js";

const LIST = ["all", "limit", "size", "filters"];

/** Calls of dockerode 4 and 5. `code` is an expression that is awaited. */
const CALLS: readonly Call[] = [
  { method: "GET", path: "/_ping", says: [], code: () => "docker.ping()" },
  { method: "GET", path: "/version", says: [], code: () => "docker.version()" },
  { method: "GET", path: "/info", says: [], code: () => "docker.info()" },
  {
    method: "POST",
    path: "/auth",
    says: [],
    takesBody: true,
    code: ({ body }) => `docker.checkAuth(${literal(body)})`,
  },
  {
    method: "GET",
    path: "/events",
    says: ["since", "until", "filters"],
    code: ({ query }) => `docker.getEvents(${options(query)})`,
  },
  {
    method: "GET",
    path: "/containers/json",
    says: LIST,
    code: ({ query }) => `docker.listContainers(${options(query)})`,
  },
  { method: "POST", path: "/containers/create", says: ["name", "platform"], takesBody: true, code: creation },
  { method: "GET", path: "/containers/*/json", says: ["size"], code: (taken) => on(taken, "inspect") },
  {
    method: "GET",
    path: "/containers/*/logs",
    says: ["stdout", "stderr", "follow", "timestamps", "tail", "since", "until"],
    code: (taken) => on(taken, "logs"),
  },
  { method: "POST", path: "/containers/*/start", says: ["detachKeys"], code: (taken) => on(taken, "start") },
  { method: "POST", path: "/containers/*/stop", says: ["t", "signal"], code: (taken) => on(taken, "stop") },
  { method: "POST", path: "/containers/*/kill", says: ["signal"], code: (taken) => on(taken, "kill") },
  { method: "POST", path: "/containers/*/wait", says: ["condition"], code: (taken) => on(taken, "wait") },
  { method: "POST", path: "/containers/*/resize", says: ["h", "w"], code: (taken) => on(taken, "resize") },
  { method: "DELETE", path: "/containers/*", says: ["force", "v", "link"], code: (taken) => on(taken, "remove") },
  {
    method: "GET",
    path: "/images/json",
    says: ["all", "filters", "digests"],
    code: ({ query }) => `docker.listImages(${options(query)})`,
  },
  {
    method: "GET",
    path: "/images/*/json",
    says: [],
    code: ({ name }) => `docker.getImage(${literal(name)}).inspect()`,
  },
  {
    method: "POST",
    path: "/images/*/tag",
    says: ["repo", "tag"],
    code: ({ name, query }) => `docker.getImage(${literal(name)}).tag(${options(query)})`,
  },
  {
    method: "DELETE",
    path: "/images/*",
    says: ["force", "noprune"],
    code: ({ name, query }) => `docker.getImage(${literal(name)}).remove(${options(query)})`,
  },
  {
    method: "GET",
    path: "/networks",
    says: ["filters"],
    code: ({ query }) => `docker.listNetworks(${options(query)})`,
  },
  {
    method: "POST",
    path: "/build",
    says: ["t", "dockerfile", "target", "nocache", "q"],
    takesFiles: true,
    code: ({ query }) => `docker.buildImage(archive, ${options(query) || "{}"})`,
  },
  { method: "GET", path: "/networks/*", says: [], code: ({ name }) => `docker.getNetwork(${literal(name)}).inspect()` },
  { method: "GET", path: "/volumes", says: ["filters"], code: ({ query }) => `docker.listVolumes(${options(query)})` },
  { method: "GET", path: "/volumes/*", says: [], code: ({ name }) => `docker.getVolume(${literal(name)}).inspect()` },
];

export function typescript(request: WrittenRequest): string {
  const found = callFor(CALLS, request);
  if (found === null) return withHttp(request);
  const { row, taken } = found;
  const { files } = request;
  const version = taken.version === "" ? "" : `, version: "v${taken.version}"`;
  const call = row.code(taken);
  return [
    'import Docker from "dockerode";',
    ...(files === undefined ? [] : [PACK_IMPORT]),
    "",
    ...(files === undefined ? [] : archiveInTypeScript(files)),
    `const docker = new Docker({ socketPath: "/var/run/docker.sock"${version} });`,
    `const answer = await ${call};`,
    reading(request),
    "",
  ].join("\n");
}

function reading({ target }: WrittenRequest): string {
  if (/\/events(\?|$)/.test(target)) return 'answer.on("data", (line) => console.log(String(line)));';
  if (/\/build(\?|$)/.test(target)) return "answer.pipe(process.stdout);";
  const follows = /\/logs\?.*follow=(1|true)/.test(target);
  return follows ? "answer.pipe(process.stdout);" : "console.log(answer);";
}

function on({ name, query }: Taken, call: string): string {
  return `docker.getContainer(${literal(name)}).${call}(${options(query)})`;
}

function creation({ query, body }: Taken): string {
  return `docker.createContainer(${literal({ ...query, ...body })})`;
}

const FLAGS = new Set([
  "all",
  "size",
  "stdout",
  "stderr",
  "follow",
  "timestamps",
  "force",
  "v",
  "link",
  "noprune",
  "digests",
  "nocache",
  "q",
]);
const NUMBERS = new Set(["limit", "t", "h", "w", "since", "until", "tail"]);

/** Query parameters as dockerode's options: flags as booleans, filters as an object. */
function options(query: Taken["query"]): string {
  const found = Object.entries(query).map(([name, value]) => [name, optionOf(name, value)] as const);
  return found.length === 0 ? "" : literal(Object.fromEntries(found));
}

function optionOf(name: string, value: string): unknown {
  if (FLAGS.has(name)) return isOn(value);
  if (name === "filters") return parsedOr(value);
  if (NUMBERS.has(name) && /^-?\d{1,15}$/.test(value)) return Number(value);
  return value;
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** On one line if it is short. */
function literal(value: unknown): string {
  const line = JSON.stringify(value, null, 1).replace(/\n\s*/g, " ");
  return line.length <= 80 ? line : JSON.stringify(value, null, 2);
}

function withHttp({ method, target, headers, body, files }: WrittenRequest): string {
  const sent = Object.fromEntries(headers);
  const bodies = body === "" ? [] : [`const body = ${JSON.stringify(body)};`];
  const fields = Object.keys(sent).length > 0 ? [`  headers: ${JSON.stringify(sent)},`] : [];
  return [
    'import { request } from "node:http";',
    ...(files === undefined ? [] : [PACK_IMPORT]),
    "",
    ...(files === undefined ? bodies : archiveInTypeScript(files)),
    "const options = {",
    '  socketPath: "/var/run/docker.sock",',
    `  method: ${JSON.stringify(method)},`,
    `  path: ${JSON.stringify(target)},`,
    ...fields,
    "};",
    "const call = request(options, (answer) => {",
    "  console.log(answer.statusCode);",
    "  answer.pipe(process.stdout);",
    "});",
    files === undefined ? `call.end(${body === "" ? "" : "body"});` : "archive.pipe(call);",
    "",
  ].join("\n");
}
