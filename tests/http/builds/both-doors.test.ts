// Builds the Dockerfiles of reference.test.ts by BuildKit's door, and compares the config and every file of the images with
// those that the classic builder makes of the same ones. How the two tell errors differs; whether there is one does not.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rawTar } from "../../support/archives/tar.js";
import type { Json } from "../../support/engine-client.js";
import { realEngines, RunningEngine, startWithBusybox } from "../../support/engines.js";
import { describeUnless } from "../../support/on-engines.js";
import { ARCHIVES, LAYERS } from "./dockerfiles/layers.js";
import { CONFIGS } from "./dockerfiles/configs.js";
import { CONTEXT, FILES } from "./dockerfiles/files.js";
import { newer } from "./dockerfiles/newer.js";
import { keyOf, recipeOf, type Recipe } from "./dockerfiles/recipe.js";
import { TEXTS } from "./dockerfiles/texts.js";
import { VARIABLES } from "./dockerfiles/variables.js";
import { configOf, filesOf } from "./image-lines.js";

const ANSWERS = new URL("dockerfiles/answers.json", import.meta.url);
const linux = realEngines().find(({ kind }) => kind === "linux");
/** All but those about `.dockerignore`: BuildKit's clients leave out themselves what it hides. */
const recipes = [...FILES, ...LAYERS, ...ARCHIVES, ...CONFIGS, ...VARIABLES, ...TEXTS].map(recipeOf).filter(isAlike);

/** An own group of a user that --chown names alone: the classic builder takes the group of the user's name. */
function isAlike({ file }: Recipe): boolean {
  return !file.includes("--chown=u ");
}

describeUnless(linux === undefined ? "another engine was chosen" : linux.missing, "images by BuildKit's door", () => {
  const answers = JSON.parse(readFileSync(ANSWERS, "utf8")) as Record<string, string[]>;
  let engine: RunningEngine;
  /** Files of the base image, which are not told. */
  let base: Set<string>;

  beforeAll(async () => {
    engine = new RunningEngine(linux!, await startWithBusybox(linux!));
    base = new Set(await filesOf(engine, "busybox"));
  }, 180_000);
  afterAll(() => engine.daemon.close(), 60_000);

  test.each(recipes.map((recipe) => [keyOf(recipe), recipe] as const))("%s", async (key, recipe) => {
    const told = await imageOf(engine, recipe, base);
    const classic = answers[key]!.map((line) => newer(line, key)).filter((line) => line !== SCRATCH);
    if (told === null) expect(classic.at(-1)).toMatch(/^(\{"error|\d{3} )/);
    else expect(told.map(alike(recipe))).toEqual(classic.slice(-told.length).map(alike(recipe)));
  });
});

/**
 * A line without what BuildKit does in another way: it marks steps whose directories have an owner, and gives the
 * directories that it makes to the owner of a copy and to the user of a WORKDIR. kit-reference.test.ts looks at owners.
 */
function alike({ file }: Recipe): (line: string) => string {
  const hasOwner = /--chown=|^USER /m.test(file);
  return (line) => {
    const unmarked = line.replace(/ ?(# buildkit)?$/, "");
    return hasOwner ? unmarked.replace(/( directory \d+) \d+:\d+( +now)$/, "$1$2") : unmarked;
  };
}

/** As BuildKit, and not the classic builder, says it of an image that begins with nothing. */
const SCRATCH = 'WorkingDir "/"';

/** Config and files; null after an error. */
async function imageOf(
  engine: RunningEngine,
  { file, files = CONTEXT, query = "" }: Recipe,
  base: ReadonlySet<string>,
): Promise<string[] | null> {
  const context = rawTar([{ name: "Dockerfile", body: file, mtime: 999 }, ...files]);
  const answer = await engine.call("POST", `/build?version=2&${query}`, context);
  const id = answer.status === 200 ? resultIn(answer.text) : null;
  if (id === null) return null;
  const lines = [...(await configOf(engine, id)), ...(await filesOf(engine, id))];
  return lines.filter((line) => !base.has(line) && line !== SCRATCH);
}

function resultIn(text: string): string | null {
  const lines = text.split("\r\n").filter((line) => line !== "");
  const all = lines.map((line) => JSON.parse(line) as { id?: string; aux?: Json });
  const result = all.find(({ id }) => id === "moby.image.id")?.aux as { ID: string } | undefined;
  return result?.ID ?? null;
}
