// How long do pull, save, push and load of an image take? Registries are on the engines' loopbacks.
import type { RunningEngine } from "../../tests/support/engines.js";
import { startDockerRegistry, type DockerRegistry } from "../../tests/support/registry/docker-registry.js";
import { pushImage } from "../../tests/support/registry/push-image.js";
import { atMost, type Answer, type Sizes } from "../question.js";
import { transfer } from "../transfer.js";
import { Disk } from "./disk.js";
import { imageOf, shapesOf, type Image, type Shape } from "./shapes.js";
import { Watched } from "./watched.js";

const [SOURCE, TARGET] = [5005, 5006];
const LONG = { timeoutMs: 600_000 };
const MOVES = ["pull", "save", "push", "load"] as const;
const GOALS = { pull: atMost(1 / 2), save: atMost(1), push: atMost(1), load: atMost(1 / 2) };

export async function imageMoves(
  engines: readonly RunningEngine[],
  sizes: Sizes,
  shapes: readonly Shape[] = shapesOf(sizes),
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const shape of shapes) answers.push(...(await movesOf(shape, engines, sizes)));
  return answers;
}

async function movesOf(shape: Shape, all: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const image = await imageOf(shape);
  const able = all.filter(({ kind }) => shape.compression === "gzip" || kind !== "reference");
  const disk = new Disk(shape);
  const watched = {
    pull: new Watched(sizes),
    save: new Watched(sizes),
    push: new Watched(sizes),
    load: new Watched(sizes),
  };
  for (const engine of able) {
    const source = await startDockerRegistry(engine.daemon.netns, SOURCE);
    try {
      await pushImage(source, "bench", ["1"], image.packed);
      for (let i = 0; i < sizes.longRounds; i += 1) {
        if (engine === able[0]) await disk.write(engine);
        await moveAll(engine, source, image, watched);
      }
    } finally {
      await source.close();
    }
  }
  const goals = { ...GOALS, pull: disk.limits(GOALS.pull), load: disk.limits(GOALS.load) };
  const moves = MOVES.flatMap((move) => watched[move].answers(`${move} of ${shape.name}`, goals[move], image.note));
  return [disk.answer(), ...moves];
}

/** The target is a new registry each time, so that all bytes are sent. */
async function moveAll(
  engine: RunningEngine,
  source: DockerRegistry,
  { archive }: Image,
  watched: Readonly<Record<(typeof MOVES)[number], Watched>>,
): Promise<void> {
  const pulled = `${source.host}/bench`;
  await watched.pull.move(engine, () =>
    streamed(engine, `/images/create?fromImage=${pulled}&tag=1`, "Downloaded newer"),
  );
  await watched.save.move(engine, () => transfer(engine, "GET", `/images/${pulled}:1/get`, null, archive.length / 2));
  const target = await startDockerRegistry(engine.daemon.netns, TARGET);
  try {
    const pushed = `${target.host}/bench`;
    await engine.must(201, "POST", `/images/${pulled}:1/tag?repo=${pushed}&tag=1`);
    await watched.push.move(engine, () => streamed(engine, `/images/${pushed}/push?tag=1`, "digest: sha256:"));
    await engine.must(200, "DELETE", `/images/${pushed}:1`);
  } finally {
    await target.close();
  }
  await engine.must(200, "DELETE", `/images/${pulled}:1`);
  await watched.load.move(engine, () => transfer(engine, "POST", "/images/load?quiet=1", archive, 0));
  await engine.must(200, "DELETE", "/images/loaded:1");
}

/** `last`: a part of what an engine says when it has succeeded. */
async function streamed(engine: RunningEngine, path: string, last: string): Promise<void> {
  const headers = { "X-Registry-Auth": "e30=" };
  const answer = await engine.must(200, "POST", path, undefined, { ...LONG, headers });
  if (!answer.text.includes(last)) throw new Error(`${engine.kind}: ${path}: ${answer.text.slice(-500)}`);
}
