// Builds Dockerfiles by BuildKit's calls, and compares errors, the config and every file of the images with what the
// reference's BuildKit made of the same ones, as reference.test.ts does for the classic builder. The reference's answers are
// in kit/answers.json. `UPDATE=1` asks it anew.

import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sha256 } from "../../support/archives/images.js";
import { rawTar } from "../../support/archives/tar.js";
import { BuildKitClient, openSession } from "../../support/buildkit/client.js";
import type { Json } from "../../support/engine-client.js";
import { realEngines, RunningEngine, startWithBusybox } from "../../support/engines.js";
import { describeUnless } from "../../support/on-engines.js";
import { filesOf, settings } from "./image-lines.js";
import { serveFiles } from "./kit/context-server.js";
import { compared } from "./kit/differences.js";
import { MOUNTS, SECRET } from "./kit/mounts.js";
import { OTHERS } from "./kit/others.js";
import { KIT_CONTEXT, kitRecipeOf, type KitRecipe } from "./kit/recipe.js";

const ANSWERS = new URL("kit/answers.json", import.meta.url);
const updates = process.env["UPDATE"] === "1";
const chosen = realEngines().find(({ kind }) => kind === (updates ? "reference" : "linux"));
const recipes = [...MOUNTS, ...OTHERS].map(kitRecipeOf);

describeUnless(chosen === undefined ? "another engine was chosen" : chosen.missing, "images of both BuildKits", () => {
  const answers: Record<string, string[]> = updates ? {} : (JSON.parse(readFileSync(ANSWERS, "utf8")) as never);
  let engine: RunningEngine;
  let client: BuildKitClient;
  /** Files of the base image, which are not told. */
  let base: Set<string>;

  beforeAll(async () => {
    engine = new RunningEngine(chosen!, await startWithBusybox(chosen!));
    client = await BuildKitClient.open(engine.socketPath);
    base = new Set(await filesOf(engine, "busybox"));
  }, 180_000);
  afterAll(async () => {
    client.close();
    await engine.daemon.close();
    if (updates) writeFileSync(ANSWERS, `${JSON.stringify(answers, null, 1)}\n`);
  }, 60_000);

  test.each(recipes.map((recipe) => [keyOf(recipe), recipe] as const))(
    "%s",
    { retry: updates ? 3 : 0 },
    async (key, recipe) => {
      const answer = await told(engine, client, recipe, base);
      // The reference gives up if the machine is busy.
      if (updates) expect(answer.join()).not.toMatch(/no active session|(?:transport|connection) is closing/);
      if (updates) return void (answers[key] = answer);
      expect(compared(answer)).toEqual(recipe.ours?.answer ?? compared(oursOf(answers[key] ?? [], recipe)));
    },
  );

  test("each Dockerfile is another one", () => {
    expect(new Set(recipes.map(keyOf)).size).toBe(recipes.length);
    if (!updates) expect(Object.keys(answers).sort()).toEqual(recipes.map(keyOf).sort());
  });
});

/** The reference's answer, with what is known to be another in ours. */
function oursOf(answer: readonly string[], { ours }: KitRecipe): string[] {
  const lines = ours?.lines ?? {};
  for (const line of Object.keys(lines)) expect(answer).toContain(line);
  return answer.flatMap((line) => lines[line] ?? (line in lines ? [] : line));
}

/** What tells a recipe from the others. */
function keyOf({ file, files, options = {} }: KitRecipe): string {
  const asked = Object.entries(options).map(([name, value]) => ` ${name}=${value}`);
  const beside = files === undefined ? "" : ` ${sha256(rawTar(files)).slice(0, 8)}`;
  return `${JSON.stringify(file)}${asked.join("")}${beside}`;
}

/** Everything that is compared, as lines: the error, or the image. */
async function told(
  engine: RunningEngine,
  client: BuildKitClient,
  recipe: KitRecipe,
  base: ReadonlySet<string>,
): Promise<string[]> {
  let id: string;
  try {
    id = await build(engine, client, recipe);
  } catch (error) {
    // Of gRPC, and not of the test.
    if (!(error instanceof Error) || !("details" in error)) throw error;
    return [String(error.details)];
  }
  const { Config, Architecture, Author, Os } = await engine.read<Record<string, Json>>(`/images/${id}/json`);
  const files = (await filesOf(engine, id)).filter((line) => !base.has(line) && !isMountPoint(line, recipe));
  await engine.must(200, "DELETE", `/images/${id}?force=1`);
  return [...settings(Config!), JSON.stringify([Architecture, Author, Os]), ...files];
}

/** An empty directory that the builder has made for a mount. The reference leaves it, and newer versions remove it. */
function isMountPoint(line: string, { file }: KitRecipe): boolean {
  const targets = [...file.matchAll(/(?:target|dst)=\/([^, ]+)/g)].map(([, path]) => path);
  return targets.some((path) => line === `${path} directory 755 0:0  now `);
}

/** Returns the image's id. */
async function build(
  engine: RunningEngine,
  client: BuildKitClient,
  { file, files = KIT_CONTEXT, options = {} }: KitRecipe,
): Promise<string> {
  const ref = randomUUID();
  const dockerfile = [
    { name: "Dockerfile", body: file },
    ...files.filter(({ name }) => name.endsWith(".dockerignore")),
  ];
  const end = await openSession(engine.socketPath, ref, null, {
    serve: (server) => serveFiles(server, { dockerfile, context: files }),
    secret: (id) => {
      if (id !== "s") throw Object.assign(new Error(`no secret ${id}`), { code: NOT_FOUND });
      return Buffer.from(SECRET);
    },
  });
  try {
    const asked = { Ref: ref, Session: ref, Frontend: "dockerfile.v0", FrontendAttrs: options };
    const answer = await client.control("Solve", ["SolveRequest", { ...asked, Exporter: "moby" }], "SolveResponse");
    return (answer["ExporterResponse"] as Record<string, string>)["containerimage.digest"]!;
  } finally {
    end();
  }
}

/** Of gRPC. */
const NOT_FOUND = 5;
