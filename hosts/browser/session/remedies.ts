// What would make a refused request succeed: one table from the engine's sentences to requests that are ready to send.

import type { Remedy } from "./explain.js";
import { atVersion, pathOf, versionOf, written } from "./request.js";
import type { WrittenRequest } from "./request.js";
import { shortId } from "./words.js";
import type { World } from "./world.js";

export interface Refusal {
  readonly kind: string;
  readonly status: number;
  readonly message: string;
}

/** In the order in which they are worth trying. */
export function remediesFor(request: WrittenRequest, refusal: Refusal, world: World): Remedy[] {
  const asked: Asked = { request, refusal, world, at: (target) => `/v${versionOf(request) ?? "1.51"}${target}` };
  for (const { says, remedies } of SENTENCES) {
    const found = says.exec(refusal.message);
    if (found !== null) return remedies(asked, ...found.slice(1).map((part) => part ?? ""));
  }
  return STATUSES[refusal.status]?.(asked) ?? [];
}

interface Asked {
  request: WrittenRequest;
  refusal: Refusal;
  world: World;
  /** A target at the version that was spoken. */
  at: (target: string) => string;
}

/** Engine sentences (Docker Engine API), most telling first. */
const SENTENCES: readonly { says: RegExp; remedies: (asked: Asked, ...parts: string[]) => Remedy[] }[] = [
  { says: /^No such image: (.+)$/, remedies: noSuchImage },
  { says: /^pull access denied for ([^,]+),/, remedies: withCredentials },
  { says: /(?:unauthorized|no basic auth credentials|incorrect username or password)/i, remedies: withCredentials },
  { says: /^manifest for (\S+) not found/, remedies: noSuchTag },
  {
    says: /toomanyrequests|rate limit|too many requests/i,
    remedies: again("Wait as long as the registry says, then send it again"),
  },
  { says: /^No such container: (.+)$/, remedies: noSuchContainer },
  { says: /The container name "\/(.+)" is already in use by container "(\w+)"/, remedies: nameInUse },
  { says: /container is running: stop the container before removing/, remedies: stillRunning },
  { says: /container (\w+) is not running$/, remedies: notRunning },
  { says: /port is already allocated/, remedies: portTaken },
  { says: /unable to remove repository reference .*container (\w+) is using/, remedies: imageInUse },
  { says: /unable to delete \w+ .*used by (?:running|stopped) container (\w+)/, remedies: imageInUse },
  { says: /unable to delete \w+ \(must be forced\)/, remedies: forced },
  { says: /^invalid JSON/, remedies: malformedJson },
  { says: /Content-Type header/, remedies: jsonType },
  { says: /config cannot be empty/, remedies: emptyBody },
  { says: /must specify at least one of 'stdout' or 'stderr'/, remedies: whichStream },
  { says: /client version \S+ is too (?:new|old)/, remedies: servedVersion },
  { says: /requires minimum API version (\S+)$/, remedies: (asked, version) => [atLeast(asked, version)] },
  { says: /executable file not found|no such file or directory/, remedies: noSuchProgram },
  { says: /^network (.+) not found$/, remedies: ({ at }) => [listing("List the networks", at("/networks"))] },
  { says: /no such volume$/, remedies: ({ at }) => [listing("List the volumes", at("/volumes"))] },
  {
    says: /no space left/i,
    remedies: again("Make room (lift the fault, or remove images and containers), then send it again"),
  },
  {
    says: /(?:connection refused|no such host|EOF|connection reset|unreachable)/i,
    remedies: again("Once the registry is back, send it again"),
  },
];

/** For what no sentence tells. */
const STATUSES: Readonly<Record<number, (asked: Asked) => Remedy[]>> = {
  0: () => [words("The engine is down: start it again, then send the request again")],
  304: notModified,
  401: withCredentials,
  404: () => [words("No endpoint has this method and path: choose one from the list")],
  500: again("Send it again"),
  501: notBuilt,
};

function noSuchImage({ request, at }: Asked, name: string): Remedy[] {
  const colon = name.lastIndexOf(":");
  const [repository, tag] =
    colon > name.lastIndexOf("/") ? [name.slice(0, colon), name.slice(colon + 1)] : [name, "latest"];
  const pull = written("POST", at(`/images/create?fromImage=${repository}&tag=${tag}`));
  return [
    { label: `Pull ${repository}:${tag}, then send it again`, requests: [pull, request] },
    listing("See which images there are", at("/images/json")),
  ];
}

function withCredentials({ request }: Asked): Remedy[] {
  const credentials = btoa(JSON.stringify({ username: "NAME", password: "PASSWORD" }));
  const others = request.headers.filter(([name]) => name.toLowerCase() !== "x-registry-auth");
  if (pathOf(request) === "/auth") return [words("Another name or password: this pair is not known to the registry")];
  return [
    {
      label: 'Send it with credentials: X-Registry-Auth is base64 of {"username": …, "password": …}',
      requests: [{ ...request, headers: [...others, ["X-Registry-Auth", credentials]] }],
    },
    words("Or the repository does not exist: registries do not tell strangers which"),
  ];
}

function noSuchTag({ request }: Asked, reference: string): Remedy[] {
  const target = withQuery(request.target, "tag", "latest");
  return [
    {
      label: `Ask for another tag of ${reference.replace(/:[^:/]+$/, "")}: latest`,
      requests: [{ ...request, target }],
    },
  ];
}

function noSuchContainer({ request, world, at }: Asked, name: string): Remedy[] {
  const others = world.containers.slice(-2).map((container) => ({
    label: `Send it for ${container.name}`,
    requests: [{ ...request, target: request.target.replace(name, container.name) }],
  }));
  return [listing("See which containers there are", at("/containers/json?all=1")), ...others];
}

function nameInUse({ request, at }: Asked, name: string, owner: string): Remedy[] {
  const target = withQuery(request.target, "name", `${name}-2`);
  const remove = written("DELETE", at(`/containers/${shortId(owner)}?force=1`));
  return [
    { label: `Create it as ${name}-2`, requests: [{ ...request, target }] },
    { label: `Remove the container that has the name, then send it again`, requests: [remove, request] },
  ];
}

function stillRunning({ request, at }: Asked): Remedy[] {
  const name = containerIn(request);
  return [
    {
      label: "Stop it first, then send it again",
      requests: [written("POST", at(`/containers/${name}/stop`)), request],
    },
    { label: "Remove it by force", requests: [{ ...request, target: withQuery(request.target, "force", "1") }] },
  ];
}

function notRunning({ request, at }: Asked): Remedy[] {
  const start = written("POST", at(`/containers/${containerIn(request)}/start`));
  return [{ label: "Start it first, then send it again", requests: [start, request] }];
}

function portTaken({ refusal, world, at, request }: Asked): Remedy[] {
  const port = Number(/:(\d+) failed/.exec(refusal.message)?.[1] ?? 0);
  const running = new Set(["running", "paused"]);
  const holder = world.containers.find((one) => running.has(one.status) && one.ports.some(({ host }) => host === port));
  const another = words(
    "Or create the container with another host port, or with none: the engine then chooses a free one",
  );
  if (holder === undefined) return [another];
  const stop = written("POST", at(`/containers/${holder.name}/stop`));
  return [
    { label: `Stop ${holder.name}, which has port ${port}, then send it again`, requests: [stop, request] },
    another,
  ];
}

function imageInUse({ request, refusal, at }: Asked, container: string): Remedy[] {
  const remove = written("DELETE", at(`/containers/${container}?force=1`));
  const removal = { label: `Remove container ${container} first, then send it again`, requests: [remove, request] };
  return /cannot be forced/.test(refusal.message) ? [removal] : [...forced({ request } as Asked), removal];
}

function forced({ request }: Asked): Remedy[] {
  return [{ label: "Remove it by force", requests: [{ ...request, target: withQuery(request.target, "force", "1") }] }];
}

function malformedJson({ request }: Asked): Remedy[] {
  return [words(jsonFault(request.body))];
}

function jsonType({ request }: Asked): Remedy[] {
  const others = request.headers.filter(([name]) => name.toLowerCase() !== "content-type");
  const headers = [...others, ["Content-Type", "application/json"] as const];
  return [{ label: "Say that the body is JSON", requests: [{ ...request, headers }] }];
}

function emptyBody({ request }: Asked): Remedy[] {
  const body = { Image: "busybox", Cmd: ["echo", "hello"] };
  return [{ label: "Say what to run", requests: [written(request.method, request.target, body)] }];
}

function whichStream({ request }: Asked): Remedy[] {
  const target = withQuery(withQuery(request.target, "stdout", "1"), "stderr", "1");
  return [{ label: "Ask for both streams", requests: [{ ...request, target }] }];
}

function servedVersion({ request, refusal }: Asked): Remedy[] {
  const version = /(?:Minimum|Maximum) supported API version is ([\d.]*\d)/.exec(refusal.message)?.[1] ?? "1.51";
  return [{ label: `Speak version ${version}`, requests: [atVersion(request, version)] }];
}

function atLeast({ request }: Asked, version: string): Remedy {
  return { label: `Speak version ${version}`, requests: [atVersion(request, version)] };
}

function noSuchProgram({ world, request, at }: Asked): Remedy[] {
  const name = containerIn(request);
  const container = world.containers.find((one) => one.name === name || one.id.startsWith(name));
  if (container === undefined) return [words("Create the container with a program that its image has: sh, echo, cat…")];
  const body = { Image: container.image, Cmd: ["echo", "hello"] };
  return [
    {
      label: `Create a container with a program that ${container.image} has`,
      requests: [written("POST", at("/containers/create"), body)],
    },
  ];
}

function notModified({ request, at }: Asked): Remedy[] {
  const stops = pathOf(request).endsWith("/stop");
  const name = containerIn(request);
  const other = stops ? "start" : "stop";
  const first = written("POST", at(`/containers/${name}/${other}`));
  return [
    words(`There was nothing to do: it is ${stops ? "not running" : "running already"}`),
    { label: `${stops ? "Start" : "Stop"} it first, then send it again`, requests: [first, request] },
  ];
}

/** Parts of the API by the issue that builds them. */
function notBuilt({ request }: Asked): Remedy[] {
  const path = pathOf(request);
  const isNext = /^\/(containers|exec|system)\//.test(path);
  return [
    words(
      isNext
        ? "This part of the API comes with issue 4 of the project, “Containers and exec, whole”"
        : "This part of the API comes with a later issue of the project",
    ),
  ];
}

function again(label: string): (asked: Asked) => Remedy[] {
  return ({ request }) => [{ label, requests: [request] }];
}

function listing(label: string, target: string): Remedy {
  return { label, requests: [written("GET", target)] };
}

function words(label: string): Remedy {
  return { label, requests: [] };
}

/** Where a body stops being JSON. */
export function jsonFault(body: string): string {
  try {
    JSON.parse(body);
    return "The JSON is well formed, but a field has a value of another type than it should";
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const position = /position (\d+)/.exec(message)?.[1];
    if (position === undefined) return `The body ends before the JSON does: ${message}`;
    const before = body.slice(0, Number(position)).split("\n");
    return `The JSON breaks off in line ${before.length}, column ${before.at(-1)!.length + 1}`;
  }
}

/** The name in `/containers/NAME/…`. */
function containerIn(request: WrittenRequest): string {
  return /^\/containers\/([^/]+)/.exec(pathOf(request))?.[1] ?? "";
}

function withQuery(target: string, name: string, value: string): string {
  const [path = "", text = ""] = target.split("?");
  const query = new URLSearchParams(text);
  query.set(name, value);
  return `${path}?${query.toString()}`;
}
