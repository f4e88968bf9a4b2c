// Builds Dockerfiles, and compares errors, the config and every file of the images with what the reference made of the
// same ones: kind, mode, owner, time, target and bytes. Of files that a build makes itself, times are not compared.
// The reference's answers are in dockerfiles/answers.json, as it takes minutes to give them. `UPDATE=1` asks it anew.

import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rawTar } from "../../support/archives/tar.js";
import { messageOf } from "../../support/engine-client.js";
import { realEngines, RunningEngine, startWithBusybox } from "../../support/engines.js";
import { describeUnless } from "../../support/on-engines.js";
import { builtOf } from "./building.js";
import { DOCKERFILES } from "./dockerfiles/all.js";
import { CONTEXT } from "./dockerfiles/files.js";
import { newer } from "./dockerfiles/newer.js";
import { keyOf, recipeOf, type Recipe } from "./dockerfiles/recipe.js";
import { configOf, filesOf } from "./image-lines.js";

const ANSWERS = new URL("dockerfiles/answers.json", import.meta.url);
const updates = process.env["UPDATE"] === "1";
const chosen = realEngines().find(({ kind }) => kind === (updates ? "reference" : "linux"));
const recipes = DOCKERFILES.map(recipeOf);

describeUnless(chosen === undefined ? "another engine was chosen" : chosen.missing, "images of both builders", () => {
  const answers: Record<string, string[]> = updates ? {} : (JSON.parse(readFileSync(ANSWERS, "utf8")) as never);
  let engine: RunningEngine;
  /** Files of the base image, which are not told. */
  let base: Set<string>;

  beforeAll(async () => {
    engine = new RunningEngine(chosen!, await startWithBusybox(chosen!));
    base = new Set(await filesOf(engine, "busybox"));
  }, 180_000);
  afterAll(async () => {
    await engine.daemon.close();
    if (updates) writeFileSync(ANSWERS, `${JSON.stringify(answers, null, 1)}\n`);
  }, 60_000);

  test.each(recipes.map((recipe) => [keyOf(recipe), recipe] as const))("%s", async (key, recipe) => {
    const answer = await told(engine, recipe, base);
    if (updates) return void (answers[key] = answer);
    if (recipe.ours !== undefined) return expect(errorIn(answer)).toBe(recipe.ours.error);
    expect(answer).toEqual(answers[key]?.map((line) => newer(line, key)));
  });

  test("each Dockerfile is another one", () => {
    expect(new Set(recipes.map(keyOf)).size).toBe(recipes.length);
    if (!updates) expect(Object.keys(answers).sort()).toEqual(recipes.map(keyOf).sort());
  });
});

/** Everything that is compared, as lines. */
async function told(
  engine: RunningEngine,
  { file, files = CONTEXT, query = "" }: Recipe,
  base: ReadonlySet<string>,
): Promise<string[]> {
  const context = rawTar([{ name: "Dockerfile", body: file, mtime: 999 }, ...files]);
  const answer = await engine.call("POST", `/build?forcerm=1&${query}`, context);
  if (answer.status !== 200) return [`${answer.status} ${messageOf(answer)}`];
  const { id, error, lines: all } = builtOf(answer.text);
  const lines = all.filter((line) => !/^(Using cache$|Successfully built|\[WARNING\])/.test(line));
  if (error !== null) return [...lines, JSON.stringify(error)];
  return [...lines, ...(await configOf(engine, id)), ...(await filesOf(engine, id)).filter((line) => !base.has(line))];
}

/** The error at the end of an answer. */
function errorIn(answer: string[]): string {
  const last = answer.at(-1) ?? "";
  return last.startsWith("{") ? (JSON.parse(last) as { error: string }).error : last;
}
