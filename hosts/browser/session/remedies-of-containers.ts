// Remedies for refusals about containers.

import type { Remedy } from "./explain.js";
import { containerIn, listing, withQuery, words } from "./remedy.js";
import type { Asked } from "./remedy.js";
import { pathOf, written } from "./request.js";
import { shortId } from "../../timeline/words.js";

export function noSuchContainer({ request, world, at }: Asked, name: string): Remedy[] {
  const others = world.containers.slice(-2).map((container) => ({
    label: `Send it for ${container.name}`,
    requests: [{ ...request, target: request.target.replace(name, container.name) }],
  }));
  return [listing("See which containers there are", at("/containers/json?all=1")), ...others];
}

export function nameInUse({ request, at }: Asked, name: string, owner: string): Remedy[] {
  const target = withQuery(request.target, "name", `${name}-2`);
  const remove = written("DELETE", at(`/containers/${shortId(owner)}?force=1`));
  return [
    { label: `Create it as ${name}-2`, requests: [{ ...request, target }] },
    { label: `Remove the container that has the name, then send it again`, requests: [remove, request] },
  ];
}

export function stillRunning({ request, at }: Asked): Remedy[] {
  const name = containerIn(request);
  return [
    {
      label: "Stop it first, then send it again",
      requests: [written("POST", at(`/containers/${name}/stop`)), request],
    },
    { label: "Remove it by force", requests: [{ ...request, target: withQuery(request.target, "force", "1") }] },
  ];
}

export function notRunning({ request, at }: Asked): Remedy[] {
  const start = written("POST", at(`/containers/${containerIn(request)}/start`));
  return [{ label: "Start it first, then send it again", requests: [start, request] }];
}

export function paused({ request, at }: Asked): Remedy[] {
  const unpause = written("POST", at(`/containers/${containerIn(request)}/unpause`));
  return [{ label: "Let it go on first, then send it again", requests: [unpause, request] }];
}

export function notPaused({ request, at }: Asked): Remedy[] {
  const pause = written("POST", at(`/containers/${containerIn(request)}/pause`));
  return [{ label: "Pause it first, then send it again", requests: [pause, request] }];
}

/** Its policy starts it again soon, and a stop keeps it from that. */
export function restarting({ request, at }: Asked): Remedy[] {
  const name = containerIn(request);
  return [
    { label: "See how long it takes: send it again", requests: [request] },
    {
      label: "Start it at once, then send it again",
      requests: [written("POST", at(`/containers/${name}/restart`)), request],
    },
  ];
}

export function portTaken({ refusal, world, at, request }: Asked): Remedy[] {
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

export function noSuchProgram({ world, request, at }: Asked): Remedy[] {
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
    words(`There was nothing to do: it is ${stops ? "not running" : "running already"}`),
    { label: `${stops ? "Start" : "Stop"} it first, then send it again`, requests: [first, request] },
  ];
}
