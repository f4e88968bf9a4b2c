// Calls that newer clients of BuildKit make: health, workers and versions.
import * as grpc from "@grpc/grpc-js";
import protobuf from "protobufjs";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { REFERENCE } from "../../support/allowed-skips.js";
import { onEngines, testExcept } from "../../support/on-engines.js";

const CONTROL = "/moby.buildkit.v1.Control";
const HEALTH = "/grpc.health.v1.Health";
const LABELS = "org.mobyproject.buildkit.worker";

/** As published: grpc/health/v1/health.proto; moby/buildkit, control.proto and worker.proto. */
const { root } = protobuf.parse(
  `
syntax = "proto3";
message Empty {}
message HealthRequest { string service = 1; }
message HealthResponse { int32 status = 1; }
message Version { string package = 1; string version = 2; string revision = 3; }
message Info { Version buildkitVersion = 1; }
message Worker { string ID = 1; map<string, string> Labels = 2; Version BuildkitVersion = 5; }
message Workers { repeated Worker record = 1; }
`,
  { keepCase: true },
);

type Fields = Record<string, unknown>;

onEngines("newer clients of BuildKit", (engine, kind) => {
  const ofOurs = testExcept(kind, { reference: REFERENCE.buildkit });
  let client: grpc.Client;
  beforeAll(() => {
    client = new grpc.Client(`unix:${engine().socketPath}`, grpc.credentials.createInsecure());
  });
  afterAll(() => client.close());

  ofOurs("learn that calls are answered, and that a service is not known", async () => {
    const check = (service: string): Promise<Fields> =>
      call(`${HEALTH}/Check`, ["HealthRequest", { service }], "HealthResponse");
    expect(await check("")).toEqual({ status: 1 });
    await expect(check("other")).rejects.toMatchObject({ code: grpc.status.NOT_FOUND, details: "unknown service" });
  });

  ofOurs("watch whether calls are answered for as long as they like", async () => {
    for (const [service, status] of [
      ["", 1],
      ["other", 3],
    ] as const) {
      const watching = listen(`${HEALTH}/Watch`, ["HealthRequest", { service }], "HealthResponse");
      onTestFinished(() => watching.cancel());
      const told = watching[Symbol.asyncIterator]();
      expect((await told.next()).value).toEqual({ status });
      const more = told.next().catch(() => "over");
      await call(`${HEALTH}/Check`, ["HealthRequest", {}], "HealthResponse");
      expect(await Promise.race([more, Promise.resolve("open")])).toBe("open");
    }
  });

  ofOurs("are told the version, the machine and its address for containers", async () => {
    const { version, commit } = await versionOf();
    const told = { package: "coracle-engine", version, revision: commit };
    expect(await call(`${CONTROL}/Info`, ["Empty", {}], "Info")).toEqual({ buildkitVersion: told });
    const { record } = await call(`${CONTROL}/ListWorkers`, ["Empty", {}], "Workers");
    const { Name } = (await engine().call("GET", "/info")).json<{ Name: string }>();
    expect(record).toEqual([
      {
        ID: "moby",
        Labels: {
          [`${LABELS}.executor`]: "oci",
          [`${LABELS}.hostname`]: Name,
          [`${LABELS}.moby.host-gateway-ip`]: await gateway(),
        },
        BuildkitVersion: told,
      },
    ]);
  });

  async function versionOf(): Promise<{ version: string; commit: string }> {
    const told = (await engine().call("GET", "/version")).json<{ Version: string; GitCommit: string }>();
    return { version: told.Version, commit: told.GitCommit };
  }

  /** Of the default bridge. */
  async function gateway(): Promise<string | undefined> {
    const { IPAM } = (await engine().call("GET", "/networks/bridge")).json<{
      IPAM: { Config: [{ Gateway: string }] };
    }>();
    return IPAM.Config[0].Gateway;
  }

  function call(path: string, [type, fields]: readonly [string, Fields], response: string): Promise<Fields> {
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(path, encoderOf(type), decoderOf(response), fields, (error, answer) => {
        if (error) reject(error);
        else resolve(answer!);
      });
    });
  }

  function listen(
    path: string,
    [type, fields]: readonly [string, Fields],
    response: string,
  ): grpc.ClientReadableStream<Fields> {
    return client.makeServerStreamRequest(path, encoderOf(type), decoderOf(response), fields);
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
