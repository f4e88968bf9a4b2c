// Remedies for refusals about containers.

import type { Remedy } from "./explain.js";
import { containerIn, listing, withQuery, words } from "./remedy.js";
import type { Asked } from "./remedy.js";
import { isReading } from "../../../dry-run/index.js";
import { nearest } from "../../notation/docker/nearest.js";
import { pathOf, written } from "../request.js";
import type { WrittenRequest } from "../request.js";
import { shortId } from "../../../timeline/index.js";

/**
 * Suggests a container with a similar name. Only for requests that read: a request that stops or removes must not be
 * sent for another container.
 */
export function noSuchContainer({ request, world, at }: Asked, name: string): Remedy[] {
  const names = world.containers.map((one) => one.name);
  const meant = nearest(name, names);
  const others = meant !== null ? [meant] : isReading(request.method) ? names.slice(-2) : [];
  const again = others.flatMap((other) => {
    const renamed = renamedIn(request, name, other);
    return renamed === null ? [] : [{ label: `Send it for ${other}`, requests: [renamed] }];
  });
  const list = listing("List the containers", at("/containers/json?all=1"));
  const isDone = meant === null && (request.method === "DELETE" || /\/(kill|stop)$/.test(pathOf(request)));
  return [...(isDone ? [words("Nothing to do: no container has this name")] : []), list, ...again];
}

/** The same request for another container; null if its path names none. */
function renamedIn(request: WrittenRequest, name: string, other: string): WrittenRequest | null {
  const [path = "", ...query] = request.target.split("?");
  const parts = path.split("/");
  const place = parts.indexOf(name);
  if (place < 0) return null;
  return { ...request, target: [parts.with(place, other).join("/"), ...query].join("?") };
}

export function nameInUse({ request, at }: Asked, name: string, owner: string): Remedy[] {
  const target = withQuery(request.target, "name", `${name}-2`);
  const remove = written("DELETE", at(`/containers/${shortId(owner)}?force=1`));
  return [
    { label: `Create it as ${name}-2`, requests: [{ ...request, target }] },
    { label: `Remove the container that has this name, then send the request again`, requests: [remove, request] },
  ];
}

export function stillRunning({ request, at }: Asked): Remedy[] {
  const name = containerIn(request);
  return [
    {
      label: "Stop it first, then send the request again",
      requests: [written("POST", at(`/containers/${name}/stop`)), request],
    },
    { label: "Remove it by force", requests: [{ ...request, target: withQuery(request.target, "force", "1") }] },
  ];
}

/** The swap value is the sum of memory and swap, so it must not be less than the memory. */
export function lowSum({ request }: Asked): Remedy[] {
  const body = JSON.parse(request.body) as { Memory: number };
  const larger = JSON.stringify({ ...body, MemorySwap: 2 * body.Memory }, null, 2);
  return [{ label: "Also set the sum of memory and swap: twice as much", requests: [{ ...request, body: larger }] }];
}

/** A signal needs a running process. An exec belongs to one run of its container and ends with it. */
export function notRunning(asked: Asked, id: string): Remedy[] {
  const { request, at } = asked;
  const name = containerIn(request) || named(asked, id);
  const start = written("POST", at(`/containers/${name}/start`));
  const path = pathOf(request);
  if (path.endsWith("/kill")) {
    return [
      words("Nothing to do: its process has ended, so there is none to signal"),
      listing("See how it ended", at(`/containers/${name}/json`)),
    ];
  }
  if (path.startsWith("/exec/")) {
    return [
      { label: "Start the container, then create a new exec in it", requests: [start] },
      words("An exec belongs to one run of its container: it cannot be started in the next one"),
    ];
  }
  return [{ label: "Start it first, then send the request again", requests: [start, request] }];
}

/** The exec ended with its container, or it ran and was removed. */
export function noSuchExec({ at }: Asked): Remedy[] {
  return [
    words("An exec exists until it or its container has ended: create a new one"),
    listing("List the running containers", at("/containers/json")),
  ];
}

export function paused(asked: Asked): Remedy[] {
  const { request, at } = asked;
  const name = containerIn(request) || named(asked, idIn(asked));
  const unpause = written("POST", at(`/containers/${name}/unpause`));
  return [{ label: "Unpause it first, then send the request again", requests: [unpause, request] }];
}

/** The name of the container in a sentence. */
function named({ world }: Asked, id: string): string {
  return world.containers.find((one) => one.id === id)?.name ?? shortId(id);
}

function idIn({ refusal }: Asked): string {
  return /[0-9a-f]{64}/.exec(refusal.message)?.[0] ?? "";
}

export function notPaused({ request, at }: Asked): Remedy[] {
  const pause = written("POST", at(`/containers/${containerIn(request)}/pause`));
  return [{ label: "Pause it first, then send the request again", requests: [pause, request] }];
}

/** Its restart policy will start it again soon; a stop prevents that. */
export function restarting(asked: Asked): Remedy[] {
  const { request, at } = asked;
  const name = containerIn(request) || named(asked, idIn(asked));
  return [
    { label: "See how long it takes: send the request again", requests: [request] },
    {
      label: "Start it now, then send the request again",
      requests: [written("POST", at(`/containers/${name}/restart`)), request],
    },
  ];
}

export function portTaken({ refusal, world, at, request }: Asked): Remedy[] {
  const port = Number(/:(\d+) failed/.exec(refusal.message)?.[1] ?? 0);
  const running = new Set(["running", "paused"]);
  const holder = world.containers.find((one) => running.has(one.status) && one.ports.some(({ host }) => host === port));
  const another = words(
    "Or create the container with another host port, or with none: the engine then chooses a free port",
  );
  if (holder === undefined) return [another];
  const stop = written("POST", at(`/containers/${holder.name}/stop`));
  return [
    { label: `Stop ${holder.name}, which uses port ${port}, then send the request again`, requests: [stop, request] },
    another,
  ];
}

export function noSuchProgram({ world, request, at }: Asked): Remedy[] {
  if (pathOf(request).startsWith("/exec/"))
    return [words("Create an exec with a program that the container has: sh, ls, cat…")];
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

export function notModified({ request, at }: Asked): Remedy[] {
  const stops = pathOf(request).endsWith("/stop");
  const name = containerIn(request);
  const other = stops ? "start" : "stop";
  const first = written("POST", at(`/containers/${name}/${other}`));
  return [
    words(`Nothing to do: it is ${stops ? "not running" : "running already"}`),
    { label: `${stops ? "Start" : "Stop"} it first, then send the request again`, requests: [first, request] },
  ];
}
