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
      "204 means done, and that the answer has no body.",
    ],
    done: (session) => answered(session, "POST", START, 204).length > 0 && someContainer(session, ({ run }) => run > 0),
  };
}

export const RUN: Lesson = {
  id: "run",
  title: "Run a container and read its output",
  intro: "You know docker run. The API has no such request: the command sends four. Send them one by one.",
  steps: [
    creating("Create a container that will say hello. Press Send.", "hello", ["echo", "hello from a container"]),
    starting(
      "The container exists, but it does nothing yet. Start it, and watch it move through the diagram.",
      "hello",
    ),
    {
      task: "Wait for its end, to learn its exit code.",
      cell: (session) => written("POST", `/v1.41/containers/${newestName(session, "hello")}/wait`),
      hints: ["The answer comes when the container has ended. If it has ended already, the answer comes at once."],
      done: (session) =>
        answered(session, "POST", /^\/containers\/[^/]+\/wait$/, 200).some(
          (exchange) => typeof fieldOf(exchange, "StatusCode") === "number",
        ),
    },
    {
      task: "Read its output.",
      cell: (session) => written("GET", `/v1.41/containers/${newestName(session, "hello")}/logs?stdout=1&stderr=1`),
      hints: [
        "Choose the streams: stdout=1, stderr=1. Without either, the engine refuses the request.",
        "Show the bytes: eight bytes before each piece say which stream it belongs to and how long it is.",
      ],
      done: (session) => answered(session, "GET", LOGS, 200).some((exchange) => outputOf(exchange, "stdout") !== ""),
    },
  ],
  insight:
    "docker run creates, starts and waits, and reads the output. The container still exists after its end: the engine keeps its files and its output until you delete it.",
};

export const BACKGROUND: Lesson = {
  id: "background",
  title: "Run in the background",
  intro: "docker run -d returns to your prompt at once. What does the engine do differently? See for yourself.",
  steps: [
    creating("Create a container that never ends by itself.", "clock", [
      "sh",
      "-c",
      "while true; do date; sleep 1; done",
    ]),
    starting("Start it. The answer comes as soon as its process runs, not when it ends.", "clock"),
    {
      task: "List the running containers.",
      cell: () => written("GET", "/v1.41/containers/json"),
      hints: ["State is one word, for programs; Status is for people."],
      done: (session) => answered(session, "GET", LIST, 200).some((exchange) => statesIn(exchange).includes("running")),
    },
    {
      task: "Inspect the container: when did it start, and as which process does it run?",
      cell: (session) => written("GET", `/v1.41/containers/${newestName(session, "clock")}/json`),
      hints: ["Look for State: Running, Pid, StartedAt."],
      done: (session) =>
        answered(session, "GET", /^\/containers\/[^/]+\/json$/, 200).some(
          (exchange) => fieldOf(exchange, "State", "Running") === true,
        ),
    },
  ],
  insight:
    "The engine does nothing differently: every container runs in the background. Without -d the docker command stays attached to the output and waits for the end. With -d it just exits.",
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
      hints: ["Without parameters the list shows only running containers."],
      done: (session) => answered(session, "GET", LIST, 200).some((exchange) => statesIn(exchange).includes("running")),
    },
    {
      task: "Stop it. Give it two seconds to end by itself.",
      cell: (session) => written("POST", `/v1.41/containers/${newestName(session, "job")}/stop?t=2`),
      hints: [
        "The engine sends SIGTERM, waits for t seconds, then sends SIGKILL.",
        "The first process of a container gets SIGTERM only if it handles it. sleep does not, so it is killed after two seconds.",
      ],
      done: (session) =>
        answered(session, "POST", /^\/containers\/[^/]+\/stop$/, 204).length > 0 &&
        someContainer(session, ({ status, run }) => status === "exited" && run > 0),
    },
    {
      task: "List again. Your container is gone from the list: find the parameter that shows it.",
      cell: () => written("GET", "/v1.41/containers/json"),
      hints: ["docker ps has an option for that too: -a.", "Add ?all=1 to the path."],
      done: (session) =>
        answered(session, "GET", LIST, 200).some(
          (exchange) => queryOf(exchange).has("all") && statesIn(exchange).includes("exited"),
        ),
    },
  ],
  insight:
    "A stopped container still has its files, its output and its exit code. 137 is 128 + 9: signal 9, SIGKILL, ended it. 143 would mean SIGTERM; 0 would mean that it ended by itself without an error.",
};

export const LOGS_OF_ONE: Lesson = {
  id: "logs",
  title: "Logs of one container",
  intro:
    "A process has two outputs: stdout for results, stderr for errors. The engine stores both, and keeps them apart.",
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
      hints: ["With follow=1 the answer ends when the container ends.", "If time stands still, press Play."],
      done: (session) =>
        answered(session, "GET", LOGS, 200).some(
          (exchange) =>
            queryOf(exchange).has("follow") &&
            outputOf(exchange, "stdout") !== "" &&
            outputOf(exchange, "stderr") !== "",
        ),
    },
    {
      task: "Now read only the stderr lines among the last four lines, each with its time.",
      cell: (session) => written("GET", `/v1.41/containers/${newestName(session, "talker")}/logs?stderr=1`),
      hints: [
        "Use stderr=1, tail=4 and timestamps=1, but not stdout. Join parameters with &.",
        "tail counts the lines of both streams: of the last four, two are from stderr.",
      ],
      done: (session) => answered(session, "GET", LOGS, 200).some(isTailOfStderr),
    },
  ],
  insight:
    "A container without a terminal sends its output as frames: one byte for the stream, three zeros, four bytes for the length, then the text. So one connection carries both outputs, and a client can tell them apart.",
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
