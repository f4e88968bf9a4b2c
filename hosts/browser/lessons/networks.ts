// Lessons about what outlives or connects containers: networks with names, and volumes.

import { written } from "../session/request.js";
import type { Session } from "../session/session.js";
import { creating, starting } from "./containers.js";
import { answered, containersNow, freeName, newestName, outputOf } from "./evidence.js";
import type { Lesson, LessonStep } from "./lesson.js";

const CREATE = /^\/containers\/create$/;
const START = /^\/containers\/[^/]+\/start$/;
const LOGS = /^\/containers\/[^/]+\/logs$/;
const REMOVE = /^\/containers\/[^/]+$/;

const SERVING = ["sh", "-c", "echo 12 apples > /tmp/index.html; exec httpd -f -h /tmp"];

export const NAMES: Lesson = {
  id: "names",
  title: "A network with names",
  intro: "Containers on a network of your own find one another by name. Open a shop, and send somebody there.",
  steps: [
    {
      task: "Create a network.",
      cell: () => written("POST", "/v1.41/networks/create", { Name: "shop" }),
      hints: ["The engine chooses addresses that no other network has: look at the list of networks."],
      done: (session) => answered(session, "POST", /^\/networks\/create$/, 201).length > 0,
    },
    creatingOn("Create a container on it that serves a web page.", "web", () => SERVING, 1),
    { ...starting("Start it.", "web"), done: (session) => runningOn(session) >= 1 },
    creatingOn("Create a customer, which asks for the page by the shop's name.", "customer", asking, 2),
    { ...starting("Start it.", "customer"), done: (session) => startedOn(session) >= 2 },
    {
      task: "Read what it got.",
      cell: (session) => logsOf(session, "customer"),
      hints: ["The name was looked up at 127.0.0.11. There the engine answers, in each of these containers."],
      done: (session) => hasRead(session, "12 apples"),
    },
  ],
  insight:
    "A container's name is known to all containers on its networks, and for no others: on another network it is unknown, and its address cannot be reached. The default one, bridge, has no names.",
};

export const VOLUME: Lesson = {
  id: "volume",
  title: "A volume that outlives its container",
  intro: "A container's files end with it. What is to stay belongs into a volume.",
  steps: [
    {
      task: "Create a volume.",
      cell: () => written("POST", "/v1.41/volumes/create", { Name: "diary" }),
      hints: ["Mountpoint in the answer says where the machine has its files."],
      done: (session) => answered(session, "POST", /^\/volumes\/create$/, 201).length > 0,
    },
    mounting(
      creating("Create a container that writes into it.", "writer", ["sh", "-c", "echo remember me > /data/note"]),
    ),
    starting("Start it.", "writer"),
    {
      task: "Delete the container.",
      cell: (session) => written("DELETE", `/v1.41/containers/${newestName(session, "writer")}`),
      hints: ["It has ended already, so it need not be stopped. Its own files are deleted along with it."],
      done: (session) => removedAt(session) !== null,
    },
    {
      ...mounting(creating("Create another one that reads the note.", "reader", ["cat", "/data/note"])),
      done: (session) => isLater(session, "POST", CREATE, 201),
    },
    { ...starting("Start it.", "reader"), done: (session) => isLater(session, "POST", START, 204) },
    {
      task: "Read its output.",
      cell: (session) => logsOf(session, "reader"),
      hints: ["The other container wrote this."],
      done: (session) => hasRead(session, "remember me"),
    },
  ],
  insight:
    "Binds names the volume and where it is mounted. A volume belongs to no container: several can use it, also at the same time, and it stays until you delete it with DELETE /volumes/diary.",
};

/** A step that creates a container on the network; it is done when there are `count` of them. */
function creatingOn(task: string, name: string, command: (session: Session) => string[], count: number): LessonStep {
  return {
    task,
    cell: (session) =>
      written("POST", `/v1.41/containers/create?name=${freeName(session, name)}`, {
        ...{ Image: "busybox", Cmd: command(session), HostConfig: { NetworkMode: "shop" } },
      }),
    hints: ["HostConfig.NetworkMode names its network. An address is given when the container starts."],
    done: (session) => onNetwork(session).length >= count,
  };
}

function asking(session: Session): string[] {
  return ["wget", "-qO-", `http://${onNetwork(session)[0]?.name ?? "web"}/`];
}

/** The step, with a volume in the container. */
function mounting(step: LessonStep): LessonStep {
  return {
    ...step,
    cell: (session) => {
      const { method, target, body } = step.cell!(session);
      return written(method, target, { ...(JSON.parse(body) as object), HostConfig: { Binds: ["diary:/data"] } });
    },
    hints: ["Binds says VOLUME:PLACE. A volume that does not exist yet is created.", ...step.hints],
  };
}

function logsOf(session: Session, otherwise: string): ReturnType<typeof written> {
  return written("GET", `/v1.41/containers/${newestName(session, otherwise)}/logs?stdout=1&stderr=1`);
}

function hasRead(session: Session, text: string): boolean {
  return answered(session, "GET", LOGS, 200).some((exchange) => outputOf(exchange, "stdout").includes(text));
}

function onNetwork(session: Session): ReturnType<typeof containersNow> {
  return containersNow(session).filter(({ networks }) => networks.some(({ name }) => name === "shop"));
}

function startedOn(session: Session): number {
  return onNetwork(session).filter(({ run }) => run > 0).length;
}

function runningOn(session: Session): number {
  return onNetwork(session).filter(({ status }) => status === "running").length;
}

/** When a container was deleted first; null if none was. */
function removedAt(session: Session): bigint | null {
  return answered(session, "DELETE", REMOVE, 204)[0]?.at ?? null;
}

/** Whether such a request came after the deletion. */
function isLater(session: Session, method: string, path: RegExp, status: number): boolean {
  const removed = removedAt(session);
  return removed !== null && answered(session, method, path, status).some(({ at }) => at > removed);
}
