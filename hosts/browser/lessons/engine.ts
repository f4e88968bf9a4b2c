// Lessons about the engine itself: API versions, and recovery from a crash.

import type { Exchange } from "../session/exchange.js";
import { written } from "../session/request.js";
import type { Session } from "../session/session.js";
import { creating, starting } from "./containers.js";
import { answered, fieldOf, minorOf, newestName, sent } from "./evidence.js";
import type { Lesson } from "./lesson.js";

export const VERSIONS: Lesson = {
  id: "versions",
  title: "Version negotiation",
  intro: "Clients and engines differ in age. They agree on an API version before they talk.",
  steps: [
    {
      task: "Ask the engine for the newest version that it supports.",
      cell: () => written("GET", "/_ping"),
      hints: [
        "The answer is in the header Api-Version. The body says only OK.",
        "The path has no version: a client begins this way.",
      ],
      done: (session) =>
        answered(session, "GET", /^\/_ping$/, 200).some(({ head }) =>
          head.value!.headers.some(([name]) => name.toLowerCase() === "api-version"),
        ),
    },
    {
      task: "Send a request like a client that is too old.",
      cell: () => written("GET", "/v1.20/version"),
      hints: ["The path begins with the version that the client wants."],
      done: (session) =>
        sent(session, "GET", /./).some(
          (exchange) => exchange.head.value?.status === 400 && (minorOf(exchange) ?? 99) < 24,
        ),
    },
    {
      task: "List the images in version 1.43…",
      cell: () => written("GET", "/v1.43/images/json"),
      hints: ["Look for the field VirtualSize."],
      done: (session) => imageLists(session).some((exchange) => (minorOf(exchange) ?? 99) < 44),
    },
    {
      task: "…and in 1.44. What is missing?",
      cell: () => written("GET", "/v1.43/images/json"),
      hints: ["Change the version in the path to v1.44.", "The version lens shows all versions side by side."],
      done: (session) => imageLists(session).some((exchange) => (minorOf(exchange) ?? 0) >= 44),
    },
  ],
  insight:
    "A client sends /_ping, takes the lower of its own newest version and the engine's, and puts it into every path. So an old client and a new engine understand each other: the engine leaves out fields that came later and keeps fields that were removed later.",
};

export const CRASH: Lesson = {
  id: "crash",
  title: "What happens on a crash",
  intro: "The engine is a program, and programs crash. What happens to your containers then? Kill the engine and see.",
  steps: [
    creating("Create a container that runs for a long time.", "survivor", [
      "sh",
      "-c",
      "while true; do date; sleep 1; done",
    ]),
    starting("Start it.", "survivor"),
    {
      task: "Kill the engine.",
      button: "crash",
      hints: ["It gets no time to clean up, as with kill -9."],
      done: (session) => session.steps.value.some(({ kind }) => kind === "lost"),
    },
    {
      task: "Send a request. Nothing answers. Let a few seconds pass: does the container still run?",
      cell: () => written("GET", "/v1.41/containers/json"),
      hints: ["Sending is enough: see what comes back."],
      done: (session) =>
        session.exchanges.value.some((exchange) => exchange.state.value === "broken" && exchange.at >= lostAt(session)),
    },
    {
      task: "Start the engine again.",
      button: "reopen",
      hints: ["Look at its first step: it compares its records with what it finds."],
      done: (session) =>
        session.engine.value === "open" &&
        session.steps.value.some(({ kind, epoch }) => kind === "opened" && epoch > 1),
    },
    {
      task: "Inspect the container.",
      cell: (session) => written("GET", `/v1.41/containers/${newestName(session, "survivor")}/json`),
      hints: ["Compare StartedAt with the time at which you started it."],
      done: (session) =>
        answered(session, "GET", /^\/containers\/[^/]+\/json$/, 200).some(
          (exchange) => exchange.at > lostAt(session) && fieldOf(exchange, "State", "Running") === true,
        ),
    },
  ],
  insight:
    "Containers do not run inside the engine: each has its own supervisor, which keeps running. Before the engine answers, it records what the answer promises. After a crash it compares its records with what it finds and repairs the rest.",
};

function imageLists(session: Session): Exchange[] {
  return answered(session, "GET", /^\/images\/json$/, 200);
}

/** When the engine last crashed; before all other times if never. */
function lostAt(session: Session): bigint {
  return session.steps.value.findLast(({ kind }) => kind === "lost")?.at ?? 1n << 62n;
}
