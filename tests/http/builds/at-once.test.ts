// Stages of builds by BuildKit that do not need each other: they run at the same time, and a client is told all of each.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rawTar } from "../../support/archives/tar.js";
import { BuildKitClient, openSession } from "../../support/buildkit/client.js";
import { forgetsBuilds } from "../../support/buildkit/past-builds.js";
import { messagesOf, type Fields } from "../../support/buildkit/protocol.js";
import { REFERENCE } from "../../support/allowed-skips.js";
import { onEngines, testExcept } from "../../support/on-engines.js";

/** Lines that each of the two steps writes before and after it sleeps. */
const LINES = 1000;
const STEP = `seq 1 ${LINES}; sleep 1; seq ${LINES + 1} ${2 * LINES}; printf end`;
const WRITTEN = `${Array.from({ length: 2 * LINES }, (_, at) => `${at + 1}\n`).join("")}end`;

/** The stages differ, so that no step is an equal one of the other stage. */
const DOCKERFILE = [
  ...["FROM busybox AS one", `RUN ${STEP}; touch /one`],
  ...["FROM busybox AS two", `RUN ${STEP}; touch /two`],
  ...["FROM busybox", "COPY --from=one /one /", "COPY --from=two /two /", ""],
].join("\n");

interface Told {
  vertexes?: { digest: string; name: string; started?: Time; completed?: Time }[];
  logs?: { vertex: string; msg: Buffer }[];
}
interface Time {
  seconds?: bigint | number;
  nanos?: number;
}

onEngines("stages by BuildKit", (engine, kind) => {
  forgetsBuilds(engine, kind);
  let client: BuildKitClient;
  beforeAll(async () => {
    client = await BuildKitClient.open(engine().socketPath);
  });
  afterAll(() => client.close());

  test("run at the same time, and a watcher is told all that both write", async () => {
    const ref = randomUUID();
    const end = await openSession(engine().socketPath, ref, {
      dockerfile: [{ path: "Dockerfile", bytes: DOCKERFILE }],
      context: [],
    });
    const fields = { Ref: ref, Session: ref, Frontend: "dockerfile.v0", FrontendAttrs: { "no-cache": "" } };
    const solving = client.control("Solve", ["SolveRequest", fields], "SolveResponse");
    const told = client.status(ref);
    await solving;
    end();
    expectAtOnce((await told) as Told[]);
  });

  const ofOurs = testExcept(kind, { reference: REFERENCE.buildkit });
  ofOurs("run at the same time, and the stream of POST /build has all that both write", async () => {
    const context = rawTar([{ name: "Dockerfile", body: DOCKERFILE }]);
    const { text } = await engine().must(200, "POST", "/build?version=2&nocache=1", context);
    const { decode } = messagesOf("StatusResponse");
    const objects = text
      .split("\r\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { id?: string; aux?: unknown });
    const traces = objects.filter(({ id }) => id === "moby.buildkit.trace");
    expectAtOnce(traces.map(({ aux }) => decode(Buffer.from(aux as string, "base64")) as Fields) as Told[]);
  });
});

/** Each of the two steps begins before the other ends, and all that it writes comes before its end. */
function expectAtOnce(told: readonly Told[]): void {
  const [one, two] = ["one", "two"].map((name) => stepOf(told, `[${name} 2/2]`));
  expect([one!.written, two!.written]).toEqual([WRITTEN, WRITTEN]);
  expect([one!.late, two!.late]).toEqual(["", ""]);
  expect(one!.started).toBeLessThan(two!.completed);
  expect(two!.started).toBeLessThan(one!.completed);
}

interface Step {
  /** In milliseconds. */
  started: number;
  completed: number;
  written: string;
  /** What came after its end. */
  late: string;
}

function stepOf(told: readonly Told[], start: string): Step {
  const step: Step = { started: NaN, completed: NaN, written: "", late: "" };
  let digest = "";
  for (const { vertexes = [], logs = [] } of told) {
    for (const { vertex, msg } of logs) {
      if (vertex !== digest) continue;
      step.written += String(msg);
      if (!Number.isNaN(step.completed)) step.late += String(msg);
    }
    for (const vertex of vertexes) {
      if (!vertex.name.startsWith(start)) continue;
      digest = vertex.digest;
      if (vertex.started !== undefined) step.started = milliseconds(vertex.started);
      if (vertex.completed !== undefined) step.completed = milliseconds(vertex.completed);
    }
  }
  return step;
}

function milliseconds({ seconds = 0, nanos = 0 }: Time): number {
  return Number(seconds) * 1000 + nanos / 1_000_000;
}
