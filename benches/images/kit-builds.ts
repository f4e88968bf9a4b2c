// How long does a build by BuildKit's calls take, as clients with buildx make them: of usual steps and of four stages, anew
// and again; with a large context; with a large cache; ten at once? And what of it stays in memory?
import { randomUUID } from "node:crypto";
import type { Server } from "@grpc/grpc-js";
import { serveFiles } from "../../tests/http/builds/kit/context-server.js";
import type { RawEntry } from "../../tests/support/archives/tar.js";
import { BuildKitClient, openSession } from "../../tests/support/buildkit/client.js";
import { pause } from "../../tests/support/commands.js";
import type { RunningEngine } from "../../tests/support/engines.js";
import { mebibytesOf } from "../memory.js";
import { atMost, round as rounded, under, type Answer, type Goal, type Sizes } from "../question.js";
import { filesOf, STAGES, USUAL } from "./builds.js";
import { Watched } from "./watched.js";

const NO_SLOWER = atMost(1);
const CACHED = atMost(1 / 2);
/** A garbage collector keeps a little of what it has freed. */
const REST = under(15, "MiB");

interface Build {
  readonly dockerfile: string;
  readonly files?: readonly RawEntry[];
  /** Options of the frontend. */
  readonly options?: Readonly<Record<string, string>>;
}

/** A measurement. */
interface Part {
  readonly name: string;
  readonly goal: Goal;
  readonly note: string;
  /** At once. */
  readonly builds: readonly Build[];
}

export async function kitBuilds(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const builders = await Promise.all(engines.map((engine) => Builder.of(engine)));
  try {
    const before = engines.map((engine) => mebibytesOf(engine));
    const answers: Answer[] = [];
    for (const parts of [usual, stages, contexts(sizes), caches(sizes), several(sizes)]) {
      answers.push(...(await measured(builders, parts, sizes)));
    }
    for (const { engine } of builders) await engine.must(200, "POST", "/build/prune?all=1");
    await pause(sizes.afterBuildsMs);
    const rest = engines.map((engine, at) => [engine.kind, mebibytesOf(engine) - before[at]!] as const);
    const note = `${rounded(sizes.afterBuildsMs / 1000)} s after these builds, all processes`;
    const question = "BuildKit: memory above that before";
    return [...answers, { question, unit: "MiB", figures: Object.fromEntries(rest), goal: REST, note }];
  } finally {
    for (const builder of builders) builder.close();
  }
}

/** `parts`: of a round, one after the other. */
async function measured(
  builders: readonly Builder[],
  parts: (round: number) => readonly Part[],
  sizes: Sizes,
): Promise<Answer[]> {
  const all = parts(0).map(({ name, goal, note }) => ({ name, goal, note, watched: new Watched(sizes) }));
  for (let round = 0; round < sizes.longRounds; round += 1) {
    for (const builder of builders) {
      for (const [at, { builds }] of parts(round).entries()) {
        await all[at]!.watched.move(builder.engine, () => Promise.all(builds.map((build) => builder.build(build))));
      }
    }
  }
  return all.flatMap(({ name, goal, note, watched }) => watched.answers(`BuildKit: ${name}`, goal, note));
}

/** An engine, with a client of its BuildKit. */
class Builder {
  private constructor(
    readonly engine: RunningEngine,
    readonly client: BuildKitClient,
  ) {}

  static async of(engine: RunningEngine): Promise<Builder> {
    return new Builder(engine, await BuildKitClient.open(engine.socketPath));
  }

  /** Throws if the build fails. */
  async build({ dockerfile, files = [], options = {} }: Build): Promise<void> {
    const Session = randomUUID();
    const context = [...directoriesOf(files), ...files];
    // The reference takes only the `.dockerignore` from the directory that `contextkey` names, and the files from `context`.
    const contexts = { [contextOf(options)]: context, context };
    const directories = { dockerfile: [{ name: "Dockerfile", body: dockerfile }], ...contexts };
    const serve = (server: Server): string[] => serveFiles(server, directories);
    const end = await openSession(this.engine.socketPath, Session, null, { serve });
    try {
      const asked = { Ref: Session, Session, Frontend: "dockerfile.v0", FrontendAttrs: options, Exporter: "moby" };
      const solved = await this.client.control("Solve", ["SolveRequest", asked], "SolveResponse");
      await this.#requireFiles(solved, files);
    } finally {
      end();
    }
  }

  /** A client that serves its files wrongly would measure a build of nothing. */
  async #requireFiles(solved: unknown, files: readonly RawEntry[]): Promise<void> {
    const { ExporterResponse: about } = solved as { ExporterResponse: Record<string, string> };
    const id = about["containerimage.config.digest"] ?? about["containerimage.digest"];
    const { body } = await this.engine.must(200, "GET", `/images/${id}/json`);
    const { Size } = JSON.parse(String(body)) as { Size: number };
    const least = files.reduce((sum, { body = "" }) => sum + body.length, 0);
    if (Size < least) throw new Error(`the image of ${this.engine.kind} has ${Size} bytes; its files have ${least}`);
  }

  close(): void {
    this.client.close();
  }
}

/** What the client calls the directory: an engine keeps the files of one name for the next build. */
function contextOf({ contextkey = "context" }: Readonly<Record<string, string>>): string {
  return contextkey;
}

/** A tar need not name them, but this protocol wants them first. */
function directoriesOf(files: readonly RawEntry[]): RawEntry[] {
  const names = new Set(files.map(({ name }) => name.slice(0, name.indexOf("/") + 1)));
  return [...names].map((name) => ({ name, flag: "5", mode: 0o755 }));
}

function usual(): Part[] {
  return anewAndAgain("ten usual steps", USUAL);
}

function stages(): Part[] {
  return anewAndAgain("four stages", STAGES);
}

function anewAndAgain(name: string, dockerfile: string): Part[] {
  const build = { dockerfile, files: filesOf(20) };
  const anew = { ...build, options: { "no-cache": "" } };
  return [
    { name, goal: NO_SLOWER, note: "without the cache", builds: [anew] },
    { name: `${name}, again`, goal: CACHED, note: "the cache has all steps", builds: [build] },
  ];
}

function contexts({ contextFiles }: Sizes): (round: number) => Part[] {
  return (round) => {
    const dockerfile = "FROM busybox\nCOPY . /all/\n";
    const options = { contextkey: `context-${round}` };
    // Files of another round have other times: an engine may have them under the same name.
    const files = filesOf(contextFiles, `round ${round}, `).map((file) => ({ ...file, mtime: 1000 * (round + 1) }));
    const changed = [{ ...files[0]!, body: "changed", mtime: 1 }, ...files.slice(1)];
    const name = `context of ${contextFiles} files`;
    return [
      { name, goal: NO_SLOWER, note: "for the first time", builds: [{ dockerfile, files, options }] },
      {
        name: `${name}, one of them changed`,
        goal: NO_SLOWER,
        note: "the engine may know the others",
        builds: [{ dockerfile, files: changed, options }],
      },
    ];
  };
}

function caches({ cacheMebibytes }: Sizes): (round: number) => Part[] {
  const run = (command: string, round: number): Build[] => [
    { dockerfile: `FROM busybox\nRUN --mount=type=cache,target=/c ${command} # ${round}\n` },
  ];
  const name = `cache of ${cacheMebibytes} MiB`;
  return (round) => [
    {
      name: `${name}, written by a step`,
      goal: NO_SLOWER,
      note: "the file is made anew",
      builds: run(`dd if=/dev/zero of=/c/f bs=1M count=${cacheMebibytes}`, round),
    },
    { name: `${name}, read by a step`, goal: NO_SLOWER, note: "of a later build", builds: run("wc -l /c/f", round) },
  ];
}

function several({ buildsAtOnce }: Sizes): (round: number) => Part[] {
  return (round) => {
    const files = filesOf(20);
    const builds = Array.from({ length: buildsAtOnce }, (_, at) => ({
      dockerfile: `FROM busybox\nCOPY . /src/\nRUN cat /src/d*/* > /all; echo ${round} ${at}\nRUN rm -r /src\n`,
      files,
      options: { "no-cache": "", contextkey: `context-${at}` },
    }));
    const name = `${buildsAtOnce} builds at once`;
    return [{ name, goal: NO_SLOWER, note: "of three steps each, until the last one is over", builds }];
  };
}
