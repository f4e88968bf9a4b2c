// How long does a build take: of steps that do nothing, of usual ones, of four stages, of a large context; anew and again?
import { buildOn } from "../../tests/http/builds/building.js";
import type { RawEntry } from "../../tests/support/archives/tar.js";
import type { RunningEngine } from "../../tests/support/engines.js";
import { atMost, type Answer, type Goal, type Sizes } from "../question.js";
import { Watched } from "./watched.js";

interface Build {
  readonly name: string;
  readonly dockerfile: string;
  readonly files: readonly RawEntry[];
  /** Of a build without the cache. */
  readonly goal: Goal;
}

/** The engine's own part of a step of `true` is nearly all of it. */
const NOTHING = atMost(1 / 3);
const NO_SLOWER = atMost(1);
const CACHED = atMost(1 / 5);

export async function builds(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const build of buildsOf(sizes)) answers.push(...(await measured(build, engines, sizes)));
  return answers;
}

async function measured(build: Build, engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const [cold, cached] = [new Watched(sizes), new Watched(sizes)];
  for (let i = 0; i < sizes.longRounds; i += 1) {
    for (const engine of engines) {
      await cold.move(engine, () => made(engine, build, "nocache=1"));
      await cached.move(engine, () => made(engine, build, ""));
      await engine.must(200, "DELETE", "/images/benched:1");
    }
  }
  const again = cached.answers(`${build.name}, again`, CACHED, "the cache has all steps");
  return [...cold.answers(build.name, build.goal, "without the cache"), ...again];
}

/** Throws if the build fails. */
async function made(engine: RunningEngine, { dockerfile, files }: Build, query: string): Promise<void> {
  const { error } = await buildOn(engine, dockerfile, [...files], `t=benched:1&networkmode=none&${query}`);
  if (error !== null) throw new Error(`${engine.kind}: ${JSON.stringify(error)}`);
}

function buildsOf({ copiedFiles, idleSteps }: Sizes): Build[] {
  return [
    { name: `build of ${idleSteps} steps of \`true\``, dockerfile: idle(idleSteps), files: [], goal: NOTHING },
    { name: "build of ten usual steps", dockerfile: USUAL, files: filesOf(20), goal: NO_SLOWER },
    { name: "build of four stages", dockerfile: STAGES, files: filesOf(20), goal: NO_SLOWER },
    {
      name: `build with a context of ${2 * copiedFiles} files`,
      dockerfile: "FROM busybox\nCOPY . /all/\n",
      files: filesOf(2 * copiedFiles),
      goal: NO_SLOWER,
    },
  ];
}

function idle(count: number): string {
  const steps = Array.from({ length: count }, (_, at) => `RUN true ${at}`);
  return ["FROM busybox", ...steps, ""].join("\n");
}

/** `mark`: what stands in each of them. */
export function filesOf(count: number, mark = ""): RawEntry[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `d${at % 100}/f${at}`,
    body: `the file ${mark}${at}\n`.repeat(50),
  }));
}

export const USUAL = `FROM busybox
ARG VERSION=1
ENV HOME=/app PATH=/app/bin:/bin
WORKDIR /app
RUN mkdir bin && echo $VERSION > version
COPY d1 /app/d1/
COPY . /app/all/
RUN cat all/d*/f* > bin/whole && chmod 755 bin/whole
LABEL made.by=bench
RUN rm -r all
USER 1000
CMD ["whole"]
`;

export const STAGES = `FROM busybox AS base
RUN mkdir /out && echo base > /out/base
FROM base AS one
COPY . /src/
RUN cat /src/d*/f* > /out/one
FROM base AS two
RUN seq 20000 > /out/two
FROM busybox
COPY --from=one /out /out/
COPY --from=two /out/two /out/
RUN ls /out
`;
