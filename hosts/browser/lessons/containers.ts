// Lessons about containers: run one, run one in the background, list and stop, read logs.

import type { Exchange } from "../session/exchange.js";
import { written } from "../session/request.js";
import { answered, fieldOf, freeName, jsonOf, newestName, outputOf, queryOf, someContainer } from "./evidence.js";
import type { Lesson, LessonStep } from "./lesson.js";

const CREATE = /^\/containers\/create$/;
const START = /^\/containers\/[^/]+\/start$/;
const LIST = /^\/containers\/json$/;
const LOGS = /^\/containers\/[^/]+\/logs$/;

/** A step that creates a container with a command. */
export function creating(task: string, name: string, command: readonly string[], image = "busybox"): LessonStep {
  return {
    task,
    cell: (session) =>
      written("POST", `/v1.41/containers/create?name=${freeName(session, name)}`, { Image: image, Cmd: command }),
    hints: [
      "The body says what to run: Image is what its files are made of, Cmd is the program and its arguments.",
      "201 means created. The answer's Id names the container from now on, and so does the name in the query.",
    ],
    done: (session) =>
      answered(session, "POST", CREATE, 201).length > 0 &&
      someContainer(session, ({ command: words }) => words.length > 0),
  };
}

/** A step that starts the newest container. */
export function starting(task: string, name: string): LessonStep {
  return {
    task,
    cell: (session) => written("POST", `/v1.41/containers/${newestName(session, name)}/start`),
    hints: [
      "The path names the container: by its name, its Id, or the first digits of its Id.",
      "204: done, there is nothing to add.",
    ],
    done: (session) => answered(session, "POST", START, 204).length > 0 && someContainer(session, ({ run }) => run > 0),
  };
}

export const RUN: Lesson = {
  id: "run",
  title: "Run a container and read its output",
  intro: "You know docker run. There is no such request: it is made of four. Send them one by one.",
  steps: [
    creating("Create a container that will say hello. Press Send.", "hello", ["echo", "hello from a container"]),
    starting("It is there, but it does nothing yet. Start it, and watch it move through the diagram.", "hello"),
    {
      task: "Ask to be told when it has ended, and with which exit code.",
      cell: (session) => written("POST", `/v1.41/containers/${newestName(session, "hello")}/wait`),
      hints: ["This answer comes when the container has ended; for one that has ended already it comes at once."],
      done: (session) =>
        answered(session, "POST", /^\/containers\/[^/]+\/wait$/, 200).some(
          (exchange) => typeof fieldOf(exchange, "StatusCode") === "number",
        ),
    },
    {
      task: "Read what it has written.",
      cell: (session) => written("GET", `/v1.41/containers/${newestName(session, "hello")}/logs?stdout=1&stderr=1`),
      hints: [
        "Say which streams you want: stdout=1, stderr=1. Without either the request is refused.",
        "Open the bytes: before each piece stand eight bytes that say which stream it is of, and how long it is.",
      ],
      done: (session) => answered(session, "GET", LOGS, 200).some((exchange) => outputOf(exchange, "stdout") !== ""),
    },
  ],
  insight:
    "docker run is create, start, wait, and reading the output. The container is still there: ended is not removed. Its files and its output stay until you delete it.",
};

export const BACKGROUND: Lesson = {
  id: "background",
  title: "Run in the background",
  intro: "docker run -d gives you your prompt back at once. What does the engine do differently? See for yourself.",
  steps: [
    creating("Create a container that never ends by itself.", "clock", [
      "sh",
      "-c",
      "while true; do date; sleep 1; done",
    ]),
    starting("Start it. The answer comes as soon as its process runs, not when it ends.", "clock"),
    {
      task: "List the containers that run.",
      cell: () => written("GET", "/v1.41/containers/json"),
      hints: ["State is one word for programs; Status is for people."],
      done: (session) => answered(session, "GET", LIST, 200).some((exchange) => statesIn(exchange).includes("running")),
    },
    {
      task: "Ask for all about it: since when does it run, as which process?",
      cell: (session) => written("GET", `/v1.41/containers/${newestName(session, "clock")}/json`),
      hints: ["Look for State: Running, Pid, StartedAt."],
      done: (session) =>
        answered(session, "GET", /^\/containers\/[^/]+\/json$/, 200).some(
          (exchange) => fieldOf(exchange, "State", "Running") === true,
        ),
    },
  ],
  insight:
    "Nothing is different: every container runs in the background. Without -d the docker command stays connected to its output and waits for its end. With -d it just leaves.",
};

export const LIST_AND_STOP: Lesson = {
  id: "list-stop",
  title: "List and stop",
  intro: "Where do stopped containers go? Start one, stop it, and look for it.",
  steps: [
    creating("Create a container that sleeps.", "job", ["sleep", "1000"]),
    starting("Start it.", "job"),
    {
      task: "List the containers. Yours is among them.",
      cell: () => written("GET", "/v1.41/containers/json"),
      hints: ["Without parameters the list has only containers that run."],
      done: (session) => answered(session, "GET", LIST, 200).some((exchange) => statesIn(exchange).includes("running")),
    },
    {
      task: "Stop it. Give it two seconds to end by itself.",
      cell: (session) => written("POST", `/v1.41/containers/${newestName(session, "job")}/stop?t=2`),
      hints: [
        "The engine sends SIGTERM, waits for t seconds, then sends SIGKILL.",
        "A first process that does not care for SIGTERM does not see it: sleep is killed after two seconds.",
      ],
      done: (session) =>
        answered(session, "POST", /^\/containers\/[^/]+\/stop$/, 204).length > 0 &&
        someContainer(session, ({ status, run }) => status === "exited" && run > 0),
    },
    {
      task: "List again. It is gone from the list: find the parameter that shows it.",
      cell: () => written("GET", "/v1.41/containers/json"),
      hints: ["docker ps has an option for that, too: -a.", "Add ?all=1 to the path."],
      done: (session) =>
        answered(session, "GET", LIST, 200).some(
          (exchange) => queryOf(exchange).has("all") && statesIn(exchange).includes("exited"),
        ),
    },
  ],
  insight:
    "A stopped container is a container: with its files, its output and its exit code. 137 is 128 + 9: signal 9, SIGKILL, ended it. 143 would be SIGTERM, 0 an end of its own will.",
};

export const LOGS_OF_ONE: Lesson = {
  id: "logs",
  title: "Logs of one container",
  intro:
    "A process has two outputs: stdout for results, stderr for complaints. The engine keeps both, and keeps them apart.",
  steps: [
    creating("Create a container that writes to both.", "talker", [
      "sh",
      "-c",
      "for i in 1 2 3 4 5; do echo line $i; echo trouble $i >&2; sleep 1; done",
    ]),
    starting("Start it.", "talker"),
    {
      task: "Follow its output while it is written.",
      cell: (session) =>
        written("GET", `/v1.41/containers/${newestName(session, "talker")}/logs?stdout=1&stderr=1&follow=1`),
      hints: ["With follow=1 the answer ends when the container does.", "Let time pass if it stands still."],
      done: (session) =>
        answered(session, "GET", LOGS, 200).some(
          (exchange) =>
            queryOf(exchange).has("follow") &&
            outputOf(exchange, "stdout") !== "" &&
            outputOf(exchange, "stderr") !== "",
        ),
    },
    {
      task: "Now only the complaints among the last four lines, each with its time.",
      cell: (session) => written("GET", `/v1.41/containers/${newestName(session, "talker")}/logs?stderr=1`),
      hints: [
        "Parameters: stderr=1, tail=4, timestamps=1; no stdout. They are joined by &.",
        "tail counts the lines of both streams: of four, two are complaints.",
      ],
      done: (session) => answered(session, "GET", LOGS, 200).some(isTailOfStderr),
    },
  ],
  insight:
    "The stream of a container without a terminal is frames: a byte for the stream, three zeros, four bytes of length, then the text. So one connection carries both outputs, and a client can tell them apart.",
};

function isTailOfStderr(exchange: Exchange): boolean {
  const query = queryOf(exchange);
  const lines = outputOf(exchange, "stderr").split("\n").filter(Boolean);
  const isTimed = lines.every((line) => /^\d{4}-\d\d-\d\dT/.test(line));
  return query.get("tail") === "4" && lines.length > 0 && isTimed && outputOf(exchange, "stdout") === "";
}

/** The `State` of each container in a list. */
function statesIn(exchange: Exchange): unknown[] {
  const list = jsonOf(exchange);
  return Array.isArray(list) ? list.map((item) => (item as { State?: unknown }).State) : [];
}
