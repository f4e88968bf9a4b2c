// Which frontend a Dockerfile names, by `# syntax=` or a build argument, as seen by the core.

import { expect, test } from "vitest";
import { ImageWorld } from "../support/image-world.js";
import { sendDefinition } from "../support/session-files.js";
import { beginBuild } from "./beginning.js";
import { drop, openSession, solve, watch } from "./solving.js";

const FILE = "FROM scratch\nENV A=1\n";
/** It has a language of its own. */
const PACK = "# syntax = tonistiigi/pack\nstack: go\n";

interface Built {
  status: number;
  text: string;
  /** The steps that a watcher sees. */
  steps: string[];
}

function build(dockerfile: string, syntax = ""): Built {
  const world = new ImageWorld();
  openSession(world);
  const FrontendAttrs = {
    "force-network-mode": "none",
    ...(syntax === "" ? {} : { "build-arg:BUILDKIT_SYNTAX": syntax }),
  };
  const id = solve(world, { FrontendAttrs });
  const watching = watch(world);
  sendDefinition(world, dockerfile);
  drop(world);
  const steps = world.answer(watching).text.matchAll(/"name":"([^"]*)"/g);
  return { ...world.answer(id), steps: [...new Set([...steps].map(([, name]) => name!))] };
}

const readBy = (name: string): string => `[internal] the engine itself reads the Dockerfile, in place of ${name}`;

test.each([
  ["# syntax=docker/dockerfile:1.7-labs\n", "docker.io/docker/dockerfile:1.7-labs"],
  ["# escape=`\n#SYNTAX = docker/dockerfile-upstream:master\n", "docker.io/docker/dockerfile-upstream:master"],
  ["# syntax=mirror.example:5000/hub/docker/dockerfile\n", "mirror.example:5000/hub/docker/dockerfile:latest"],
  [`# syntax=docker/dockerfile@sha256:${"a".repeat(64)}\n`, `docker.io/docker/dockerfile@sha256:${"a".repeat(64)}`],
])("the core takes the place of BuildKit's own, and says so: %j", (line, name) => {
  const { status, steps } = build(line + FILE);
  expect(status).toBe(200);
  expect(steps).toContain(readBy(name));
});

test("without one, nothing is said", () => {
  const { status, steps } = build(`# a comment\n# syntax=some/other\n${FILE}`);
  expect(status).toBe(200);
  expect(steps.filter((step) => step.includes("in place of"))).toEqual([]);
});

test.each([
  [PACK, "", "tonistiigi/pack"],
  [`# syntax=devthefuture/dockerfile-x\n${FILE}`, "", "devthefuture/dockerfile-x"],
  [`# syntax=some/dockerfile:1\n${FILE}`, "", "some/dockerfile:1"],
  [FILE, "some/other option", "some/other"],
  [`# syntax=docker/dockerfile:1\n${FILE}`, "some/other", "some/other"],
  [`# syntax=No Name\n${FILE}`, "", "No"],
])("any other is refused by name: %j with %j", (dockerfile, syntax, name) => {
  const { text, steps } = build(dockerfile, syntax);
  expect(text).toContain(`the frontend ${name} is not run: this engine reads Dockerfiles itself`);
  expect(steps.filter((step) => step.startsWith("["))).not.toContain("[1/1] FROM scratch");
});

test("a build argument counts more than the file", () => {
  const { status, steps } = build(PACK.replace("stack: go\n", FILE), "docker/dockerfile:1");
  expect([status, steps.includes(readBy("docker.io/docker/dockerfile:1"))]).toEqual([200, true]);
});

test("POST /build asks for it with version=2 only: for the classic builder it is a comment", () => {
  const text = (query: string): string => {
    const world = new ImageWorld();
    const id = beginBuild(world, `# syntax=some/other\n${FILE}`, query);
    drop(world);
    return world.answer(id).text;
  };
  expect(text("version=2&networkmode=none")).toContain("the frontend some/other is not run");
  expect(text("networkmode=none")).toContain("Successfully built");
});
