// Lessons about images: list, pull, pull with credentials, commit.

import { ACCOUNT } from "../../simulated/index.js";
import type { Exchange } from "../session/exchange.js";
import { headerOf, written } from "../session/request.js";
import type { WrittenRequest } from "../session/request.js";
import { creating, starting } from "./containers.js";
import {
  answered,
  fieldOf,
  jsonOf,
  newestName,
  outputOf,
  refused,
  sent,
  someContainer,
  someImage,
} from "./evidence.js";
import type { Lesson } from "./lesson.js";

const LIST = /^\/images\/json$/;
const PULL = /^\/images\/create$/;
const PRIVATE = "registry.example/team/app";

export const LIST_IMAGES: Lesson = {
  id: "images",
  title: "List images",
  intro: "An image is a stack of layers and a small document that says how to run it. Names are only labels.",
  steps: [
    {
      task: "List the images.",
      cell: () => written("GET", "/v1.41/images/json"),
      hints: ["Id is the digest of the image's document; RepoTags are its names."],
      done: (session) => answered(session, "GET", LIST, 200).some((exchange) => tagsIn(exchange).length > 0),
    },
    {
      task: "Inspect one of them.",
      cell: () => written("GET", "/v1.41/images/busybox/json"),
      hints: ["RootFS.Layers lists its layers, the lowest first; Config holds the defaults for its containers."],
      done: (session) =>
        answered(session, "GET", /^\/images\/.+\/json$/, 200).some((exchange) =>
          Array.isArray(fieldOf(exchange, "RootFS", "Layers")),
        ),
    },
    {
      task: "Give it a second name.",
      cell: () => written("POST", "/v1.41/images/busybox/tag?repo=mine&tag=1"),
      hints: ["repo is the name, and tag is the part after its colon."],
      done: (session) =>
        answered(session, "POST", /^\/images\/.+\/tag$/, 201).length > 0 &&
        someImage(session, ({ tags }) => tags.length > 1),
    },
    {
      task: "List them again: how many images are there now?",
      cell: () => written("GET", "/v1.41/images/json"),
      hints: ["Count the Ids, not the names."],
      done: (session) =>
        answered(session, "GET", LIST, 200).some((exchange) => tagsIn(exchange).some((tags) => tags.length > 1)),
    },
  ],
  insight:
    "There is still one image, which now has two names. An image's Id is the SHA-256 of its document, so equal images have equal Ids everywhere, and a changed image always gets a new Id.",
};

export const PULL_IMAGE: Lesson = {
  id: "pull",
  title: "Pull an image",
  intro: "Images come from registries, layer by layer. Watch one arrive.",
  steps: [
    {
      task: "Pull alpine.",
      cell: () => written("POST", "/v1.41/images/create?fromImage=alpine&tag=latest"),
      hints: ["Each line of the answer is a separate JSON object. Lines with an id show the progress of that layer."],
      done: (session) =>
        answered(session, "POST", PULL, 200).length > 0 &&
        someImage(session, ({ tags }) => tags.includes("alpine:latest")),
    },
    {
      task: "Pull it again. What is fetched this time?",
      cell: () => written("POST", "/v1.41/images/create?fromImage=alpine&tag=latest"),
      hints: ["The engine asks the registry which digest the tag has now, and compares digests."],
      done: (session) =>
        answered(session, "POST", PULL, 200).some(({ view: { value: view } }) => {
          return view.kind === "progress" && view.lines.some((line) => line.includes("Image is up to date"));
        }),
    },
    {
      task: "Pull a tag that does not exist: alpine:nothing.",
      cell: () => written("POST", "/v1.41/images/create?fromImage=alpine&tag=latest"),
      hints: ["Change tag=latest to tag=nothing."],
      done: (session) => refused(session, "POST", PULL).length > 0,
    },
  ],
  insight:
    "A pull is answered with 200 as soon as it begins. A later error comes as the last line of the stream, in the field error. So a client must read to the end to know whether the pull succeeded.",
};

export const PULL_WITH_CREDENTIALS: Lesson = {
  id: "pull-credentials",
  title: "Pull with credentials",
  intro: `The registry registry.example shows its images only to users with an account. Yours is: user ${ACCOUNT.username}, password ${ACCOUNT.password}.`,
  steps: [
    {
      task: "Pull without credentials.",
      cell: () => privatePull(),
      hints: ["The refusal does not say whether the image exists, because that is private too."],
      done: (session) => refused(session, "POST", PULL).some((exchange) => authOf(exchange.request) === null),
    },
    {
      task: "Ask the engine whether the registry accepts your name and password, as docker login does.",
      cell: () => written("POST", "/v1.41/auth", { ...ACCOUNT, serveraddress: "registry.example" }),
      hints: ["The engine tries them and reports the result. It does not store them: your client does."],
      done: (session) => answered(session, "POST", /^\/auth$/, 200).length > 0,
    },
    {
      task: "Now pull with the header X-Registry-Auth. Decode it before you send it.",
      cell: () => privatePull({ ...ACCOUNT, serveraddress: "registry.example" }),
      hints: [
        "The header holds JSON in base64: username, password, serveraddress.",
        "Base64 hides nothing. Anyone who can read the request can read the password.",
      ],
      done: (session) =>
        sent(session, "POST", PULL).some(({ request }) => authOf(request) !== null) &&
        someImage(session, ({ tags }) => tags.some((tag) => tag.startsWith(PRIVATE))),
    },
    {
      task: "Send it with a wrong password and read the refusal.",
      cell: () => privatePull({ username: ACCOUNT.username, password: "wrong", serveraddress: "registry.example" }),
      hints: ['The JSON in the header is {"username": …, "password": "wrong", …}, then base64.'],
      done: (session) => refused(session, "POST", PULL).some(({ request }) => authOf(request)?.password === "wrong"),
    },
  ],
  insight:
    "The engine stores no credentials: each request that needs them carries them, and the engine then forgets them. That is why docker login writes them to a file on your machine, and why you should know who can read that file.",
};

export const COMMIT: Lesson = {
  id: "commit",
  title: "Commit",
  intro: "Files that a container writes are kept outside its image. You can make a new image of both.",
  steps: [
    creating("Create a container that writes a file.", "draft", ["sh", "-c", "echo made by hand > /note"]),
    starting("Start it. It ends at once.", "draft"),
    {
      task: "Make an image of the changed container.",
      cell: (session) =>
        written("POST", `/v1.41/commit?container=${newestName(session, "draft")}&repo=with-note&tag=1`, {
          Cmd: ["cat", "/note"],
        }),
      hints: ["The body sets the defaults for containers of the new image: here they print the note."],
      done: (session) =>
        answered(session, "POST", /^\/commit$/, 201).length > 0 && someImage(session, ({ parent }) => parent !== ""),
    },
    {
      task: "Create a container from the new image.",
      cell: () => written("POST", "/v1.41/containers/create", { Image: "with-note:1" }),
      hints: ["It needs no Cmd, because the image now has one."],
      done: (session) => someContainer(session, ({ image }) => image.startsWith("with-note")),
    },
    {
      task: "Start it.",
      cell: (session) => written("POST", `/v1.41/containers/${newestName(session, "draft")}/start`),
      hints: ["Find its name in the list of containers."],
      done: (session) => someContainer(session, ({ image, run }) => image.startsWith("with-note") && run > 0),
    },
    {
      task: "Read its output.",
      cell: (session) => written("GET", `/v1.41/containers/${newestName(session, "draft")}/logs?stdout=1&stderr=1`),
      hints: ["stdout=1."],
      done: (session) =>
        answered(session, "GET", /^\/containers\/[^/]+\/logs$/, 200).some((exchange) =>
          outputOf(exchange, "stdout").includes("made by hand"),
        ),
    },
  ],
  insight:
    "The new image is the old stack plus one layer, which holds one file. Look at the stacks: the lower layer is shared and stored once. Builds work the same way: one layer per step.",
};

function privatePull(credentials?: object): WrittenRequest {
  const request = written("POST", `/v1.41/images/create?fromImage=${PRIVATE}&tag=1`);
  if (credentials === undefined) return request;
  const header = btoa(JSON.stringify(credentials)).replaceAll("+", "-").replaceAll("/", "_");
  return { ...request, headers: [["X-Registry-Auth", header]] };
}

/** The decoded header; null if it is missing or invalid. */
function authOf(request: WrittenRequest): { username?: string; password?: string } | null {
  const header = headerOf(request, "X-Registry-Auth");
  if (header === null) return null;
  try {
    return JSON.parse(atob(header.replaceAll("-", "+").replaceAll("_", "/"))) as {
      username?: string;
      password?: string;
    };
  } catch {
    return null;
  }
}

/** The `RepoTags` of each image in a list. */
function tagsIn(exchange: Exchange): string[][] {
  const list = jsonOf(exchange);
  return Array.isArray(list) ? list.map((item) => (item as { RepoTags?: string[] | null }).RepoTags ?? []) : [];
}
