// The history of builds by BuildKit: the calls that newer versions of buildx make after each build, and for their command
// `history`.
import { randomUUID } from "node:crypto";
import * as grpc from "@grpc/grpc-js";
import protobuf from "protobufjs";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { BuildKitClient, openSession } from "../../support/buildkit/client.js";
import { forgetsBuilds } from "../../support/buildkit/past-builds.js";
import { REFERENCE } from "../../support/allowed-skips.js";
import { onEngines, testExcept } from "../../support/on-engines.js";

const CONTROL = "/moby.buildkit.v1.Control";

/** As published: moby/buildkit, control.proto. */
const { root } = protobuf.parse(
  `
syntax = "proto3";
message Time { int64 seconds = 1; int32 nanos = 2; }
message Status { int32 code = 1; string message = 2; }
message Exporter { string Type = 1; map<string, string> Attrs = 2; }
message Request { bool ActiveOnly = 1; string Ref = 2; bool EarlyExit = 3; repeated string Filter = 4; int32 Limit = 5; }
message Record {
  string Ref = 1; string Frontend = 2; map<string, string> FrontendAttrs = 3; repeated Exporter Exporters = 4;
  Status error = 5; Time CreatedAt = 6; Time CompletedAt = 7; map<string, string> ExporterResponse = 9;
  int32 Generation = 12; bool pinned = 14; int32 numCachedSteps = 15; int32 numTotalSteps = 16; int32 numCompletedSteps = 17;
}
message Event { int32 type = 1; Record record = 2; }
message Update { string Ref = 1; bool Pinned = 2; bool Delete = 3; bool Finalize = 4; }
message Updated {}
`,
  { keepCase: true },
);

type Fields = Record<string, unknown>;

interface Event {
  type?: number;
  record: Fields;
}

interface Log {
  vertex: string;
  timestamp: { seconds: number; nanos: number };
  stream: number;
  msg: Buffer;
}

onEngines("the history of builds", (engine, kind) => {
  forgetsBuilds(engine, kind);
  const ofOurs = testExcept(kind, { reference: REFERENCE.buildkit });
  let client: grpc.Client;
  let builder: BuildKitClient;
  beforeAll(async () => {
    client = new grpc.Client(`unix:${engine().socketPath}`, grpc.credentials.createInsecure());
    builder = await BuildKitClient.open(engine().socketPath);
  });
  afterAll(() => {
    client.close();
    builder.close();
  });

  ofOurs("is there: buildx asks for a build that never was", async () => {
    expect(await heard({ ActiveOnly: true, Ref: "buildx-test-history-api-feature", EarlyExit: true })).toEqual([]);
  });

  ofOurs("has a build with its answer, its options and its steps, until it is removed", async () => {
    const ref = await build("FROM busybox\nRUN true\n", { "build-arg:A": "1" });
    const [{ type, record }] = (await heard({ Ref: ref, EarlyExit: true })) as [Event];
    expect(type).toBe(1);
    expect(record).toMatchObject({
      Ref: ref,
      Frontend: "dockerfile.v0",
      FrontendAttrs: { "build-arg:A": "1" },
      Exporters: [{ Type: "moby", Attrs: { name: "history:1" } }],
      ExporterResponse: { "containerimage.digest": expect.stringMatching(/^sha256:/) as string },
      CreatedAt: { seconds: expect.any(Number) as number },
      CompletedAt: { seconds: expect.any(Number) as number },
      numTotalSteps: record["numCompletedSteps"],
    });
    const told = await builder.status(ref);
    const steps = told.flatMap(({ vertexes = [] }) => vertexes as { name: string }[]);
    expect(steps.map(({ name }) => name)).toContain("[2/2] RUN true");
    expect(steps).toHaveLength(Number(record["numTotalSteps"]));
    expect(await heard({ EarlyExit: true, Limit: 1 })).toHaveLength(1);
    await update({ Ref: ref, Pinned: true });
    expect(await heard({ Ref: ref, EarlyExit: true })).toMatchObject([{ record: { pinned: true, Generation: 1 } }]);
    await update({ Ref: ref, Delete: true });
    expect(await heard({ Ref: ref, EarlyExit: true })).toEqual([]);
    await expect(update({ Ref: ref, Delete: true })).rejects.toMatchObject({
      details: `failed to retrieve ref ${ref}: file does not exist`,
    });
  });

  ofOurs("has what the commands of a build wrote, with streams and times, before the ends of their steps", async () => {
    const ref = await build("FROM busybox\nRUN echo out; sleep 1; echo err >&2\nRUN echo bad && exit 3\n", {});
    const told = await builder.status(ref);
    const logs = told.flatMap((message) => (message["logs"] ?? []) as Log[]);
    expect(logs.map(({ stream, msg }) => [stream, String(msg)])).toEqual([
      [1, "out\n"],
      [2, "err\n"],
      [1, "bad\n"],
    ]);
    const [out, err] = logs.map(({ timestamp }) => Number(timestamp.seconds) + timestamp.nanos / 1e9);
    expect(err! - out!).toBeGreaterThan(0.9);
    const ended = (vertex: string): number =>
      told.findIndex(({ vertexes = [] }) =>
        (vertexes as Fields[]).some(({ digest, completed }) => digest === vertex && completed),
      );
    const at = (log: Log): number => told.findIndex(({ logs: some = [] }) => (some as Log[]).includes(log));
    expect(new Set(logs.map(({ vertex }) => vertex)).size).toBe(2);
    for (const log of logs) expect(at(log)).toBeLessThan(ended(log.vertex));
  });

  ofOurs("tells those who listen of builds that begin, fail and are removed", async () => {
    const listening = listen({ ActiveOnly: true });
    onTestFinished(() => listening.cancel());
    const events = listening[Symbol.asyncIterator]();
    const failed = await build("FROM busybox\nRUN exit 3\n", {});
    await update({ Ref: failed, Delete: true });
    const told: Event[] = [];
    while (told.at(-1)?.type !== 2) {
      const { value } = await events.next();
      if ((value as Event).record["Ref"] === failed) told.push(value as Event);
    }
    expect(told.map(({ type = 0 }) => type)).toEqual([0, 1, 2]);
    const words = 'process "/bin/sh -c exit 3" did not complete successfully: exit code: 3';
    expect(told[1]!.record).toMatchObject({ error: { code: 2, message: words } });
  });

  /** Returns its ref, whether it fails or not. */
  async function build(dockerfile: string, options: Record<string, string>): Promise<string> {
    const ref = randomUUID();
    const files = { dockerfile: [{ path: "Dockerfile", bytes: dockerfile }], context: [] };
    const end = await openSession(engine().socketPath, ref, files);
    const wish = {
      Frontend: "dockerfile.v0",
      FrontendAttrs: options,
      Exporter: "moby",
      ExporterAttrs: { name: "history:1" },
    };
    await builder
      .control("Solve", ["SolveRequest", { Ref: ref, Session: ref, ...wish }], "SolveResponse")
      .catch((error: grpc.ServiceError) => expect(error.details).toContain("exit code: 3"));
    end();
    return ref;
  }

  async function heard(request: Fields): Promise<Event[]> {
    const events: Event[] = [];
    for await (const event of listen(request)) events.push(event as Event);
    return events;
  }

  function listen(request: Fields): grpc.ClientReadableStream<Fields> {
    const path = `${CONTROL}/ListenBuildHistory`;
    return client.makeServerStreamRequest(path, encoderOf("Request"), decoderOf("Event"), request);
  }

  function update(request: Fields): Promise<void> {
    return new Promise((resolve, reject) => {
      const path = `${CONTROL}/UpdateBuildHistory`;
      client.makeUnaryRequest(path, encoderOf("Update"), decoderOf("Updated"), request, (error) =>
        error ? reject(error) : resolve(),
      );
    });
  }
});

function encoderOf(name: string): (fields: Fields) => Buffer {
  const type = root.lookupType(name);
  return (fields) => Buffer.from(type.encode(type.fromObject(fields)).finish());
}

function decoderOf(name: string): (bytes: Buffer) => Fields {
  const type = root.lookupType(name);
  return (bytes) => type.toObject(type.decode(bytes), { longs: Number }) as Fields;
}
