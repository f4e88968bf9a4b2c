// A lesson about builds: build an image, look at its layers, build from the cache, change a file, run the image.

import type { Exchange } from "../session/exchange.js";
import { FIRST_FILES, folderIn } from "../session/folder.js";
import { withFiles, written } from "../session/request.js";
import type { WrittenRequest } from "../session/request.js";
import type { Session } from "../session/session.js";
import { starting } from "./containers.js";
import { answered, fieldOf, freeName, jsonOf, newestName, outputOf, someContainer, someImage } from "./evidence.js";
import type { Lesson } from "./lesson.js";

const TAG = "greeter:latest";
/** Layers of busybox, and one for each step that changes files. */
const LAYERS = 4;

export const BUILD: Lesson = {
  id: "build",
  title: "Build an image",
  intro:
    "A Dockerfile lists the steps to an image. docker build packs your folder into a tar and sends it: that is all it does. Here the folder is in the request.",
  steps: [
    {
      task: "Read the two files, then build them. Watch the steps come.",
      cell: () => build(FIRST_FILES),
      hints: [
        "Each line of the answer is a separate JSON object. The second step takes two seconds.",
        "FROM names the image to begin with, RUN runs a command in a container, COPY takes a file from the tar, and CMD sets the default command.",
      ],
      done: (session) => builds(session).length > 0 && someImage(session, ({ tags }) => tags.includes(TAG)),
    },
    {
      task: "List the history of the image: one line for each step, the newest first. Which steps added bytes?",
      cell: () => written("GET", "/v1.41/images/greeter/history"),
      hints: ["CMD changes only the image's document, so its Size is 0.", "Each step has an Id: it left an image."],
      done: (session) => answered(session, "GET", /^\/images\/.+\/history$/, 200).some(copiesAFile),
    },
    {
      task: "Inspect the image. How many layers does it have, and how many has busybox?",
      cell: () => written("GET", "/v1.41/images/greeter/json"),
      hints: ["RootFS.Layers lists them, the lowest first. In the world they are stacked.", "Three steps wrote files."],
      done: (session) =>
        answered(session, "GET", /^\/images\/.+\/json$/, 200).some((exchange) => {
          const layers = fieldOf(exchange, "RootFS", "Layers");
          return Array.isArray(layers) && layers.length >= LAYERS;
        }),
    },
    {
      task: "Build the same once more. How long does it take now?",
      cell: (session) => build(folderOf(session)),
      hints: ["Look for the words Using cache.", "Nothing was built: its Id is the same."],
      done: (session) => builds(session).some(({ cached, made }) => cached > 0 && made === 0),
    },
    {
      task: "Change the text of the file greeting, and build again. Which steps are built anew?",
      cell: (session) => build(folderOf(session)),
      hints: [
        "Type another text into the field below the Dockerfile, then send.",
        "The step before COPY comes from the cache. COPY and all steps after it do not.",
      ],
      done: (session) => builds(session).some(({ cached, made }) => cached > 0 && made > 0),
    },
    {
      task: "Create a container from the image.",
      cell: (session) =>
        written("POST", `/v1.41/containers/create?name=${freeName(session, "hello")}`, { Image: "greeter" }),
      hints: ["It needs no Cmd: the Dockerfile sets one."],
      done: (session) => someContainer(session, ({ image }) => image.startsWith("greeter")),
    },
    starting("Start it.", "hello"),
    {
      task: "Read its output: your text, and the time at which the second step ran.",
      cell: (session) => written("GET", `/v1.41/containers/${newestName(session, "hello")}/logs?stdout=1&stderr=1`),
      hints: ["The time is that of the first build, because that step came from the cache since."],
      done: (session) =>
        answered(session, "GET", /^\/containers\/[^/]+\/logs$/, 200).some((exchange) =>
          /UTC \d{4}\n/.test(outputOf(exchange, "stdout")),
        ),
    },
  ],
  insight:
    "A step comes from the cache if the image before it, its text and the files that it copies are the same as in an earlier build. So put what changes often at the end of a Dockerfile. And the cache does not look at the clock: a step that asks for the time, or for a package's newest version, keeps its old answer.",
};

function build(files: WrittenRequest["files"] & object): WrittenRequest {
  return withFiles("POST", "/v1.41/build?t=greeter", files);
}

function folderOf(session: Session): WrittenRequest["files"] & object {
  return folderIn(session.cells.value.map((cell) => cell.request.value));
}

/** What the engine did in a build that succeeded: steps from the cache, and steps that left a new image. */
interface Built {
  readonly cached: number;
  readonly made: number;
}

function builds(session: Session): Built[] {
  return answered(session, "POST", /^\/build$/, 200).flatMap((exchange) => {
    const view = exchange.view.value;
    if (view.kind !== "progress" || !view.lines.some((line) => line.startsWith("Successfully built "))) return [];
    const cached = view.lines.filter((line) => line === " ---> Using cache").length;
    const left = view.lines.filter((line) => /^ ---> [0-9a-f]{12}$/.test(line)).length;
    // What FROM names is not a new image.
    return [{ cached, made: left - cached - 1 }];
  });
}

function copiesAFile(exchange: Exchange): boolean {
  const steps = jsonOf(exchange);
  if (!Array.isArray(steps)) return false;
  return steps.some((step) => /\bCOPY file:/.test((step as { CreatedBy?: string }).CreatedBy ?? ""));
}
