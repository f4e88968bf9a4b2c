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
  intro: "Clients and engines are of different ages. They agree on a version of the API before they talk.",
  steps: [
    {
      task: "Ask the engine which version it speaks at most.",
      cell: () => written("GET", "/_ping"),
      hints: [
        "The answer is in a header: Api-Version. The body says only OK.",
        "No version stands in the path: that is how a client begins.",
      ],
      done: (session) =>
        answered(session, "GET", /^\/_ping$/, 200).some(({ head }) =>
          head.value!.headers.some(([name]) => name.toLowerCase() === "api-version"),
        ),
    },
    {
      task: "Ask as a client that is too old would.",
      cell: () => written("GET", "/v1.20/version"),
      hints: ["The path begins with the version that the client wants to speak."],
      done: (session) =>
        sent(session, "GET", /./).some(
          (exchange) => exchange.head.value?.status === 400 && (minorOf(exchange) ?? 99) < 24,
        ),
    },
    {
      task: "Ask for the images as version 1.43 shows them…",
      cell: () => written("GET", "/v1.43/images/json"),
      hints: ["Look for the field VirtualSize."],
      done: (session) => imageLists(session).some((exchange) => (minorOf(exchange) ?? 99) < 44),
    },
    {
      task: "…and as 1.44 does. What is missing?",
      cell: () => written("GET", "/v1.43/images/json"),
      hints: ["Change the version in the path to v1.44.", "The version lens shows all versions side by side."],
      done: (session) => imageLists(session).some((exchange) => (minorOf(exchange) ?? 0) >= 44),
    },
  ],
  insight:
    "A client sends /_ping, takes the lower of its own newest version and the engine's, and puts that into every path. So an old client and a new engine understand each other: what came later is left out, what went away is still there.",
};

export const CRASH: Lesson = {
  id: "crash",
  title: "What happens on a crash",
  intro: "The engine is a program, and programs die. What becomes of your containers? Kill it and see.",
  steps: [
    creating("Create a container that goes on for long.", "survivor", [
      "sh",
      "-c",
      "while true; do date; sleep 1; done",
    ]),
    starting("Start it.", "survivor"),
    {
      task: "Kill the engine.",
      button: "crash",
      hints: ["It gets no time to tidy up: kill -9."],
      done: (session) => session.steps.value.some(({ kind }) => kind === "lost"),
    },
    {
      task: "Send a request. Nobody answers. Let a few seconds pass: does the container care?",
      cell: () => written("GET", "/v1.41/containers/json"),
      hints: ["Sending is enough: look at what comes back."],
      done: (session) =>
        session.exchanges.value.some((exchange) => exchange.state.value === "broken" && exchange.at >= lostAt(session)),
    },
    {
      task: "Start the engine again.",
      button: "reopen",
      hints: ["Look at the first step of its new life: it compares what it has written down with what it finds."],
      done: (session) =>
        session.engine.value === "open" &&
        session.steps.value.some(({ kind, epoch }) => kind === "opened" && epoch > 1),
    },
    {
      task: "Ask for all about the container.",
      cell: (session) => written("GET", `/v1.41/containers/${newestName(session, "survivor")}/json`),
      hints: ["Compare StartedAt with the time at which you started it."],
      done: (session) =>
        answered(session, "GET", /^\/containers\/[^/]+\/json$/, 200).some(
          (exchange) => exchange.at > lostAt(session) && fieldOf(exchange, "State", "Running") === true,
        ),
    },
  ],
  insight:
    "Containers do not run inside the engine: each has a supervisor of its own, which goes on. The engine writes down what it promises before it answers, so after a crash it compares its records with what it finds and mends the rest.",
};

function imageLists(session: Session): Exchange[] {
  return answered(session, "GET", /^\/images\/json$/, 200);
}

/** When the engine last crashed; before all other times if never. */
function lostAt(session: Session): bigint {
  return session.steps.value.findLast(({ kind }) => kind === "lost")?.at ?? 1n << 62n;
}
