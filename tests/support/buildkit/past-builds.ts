// The history of builds by BuildKit (moby.buildkit.v1.Control). What commands of a build wrote is kept with it, so tests that
// build in a borrowed engine clear it.
import * as grpc from "@grpc/grpc-js";
import protobuf from "protobufjs";
import { afterAll } from "vitest";
import type { EngineKind, RunningEngine } from "../engines.js";

const CONTROL = "/moby.buildkit.v1.Control";

/** As published: moby/buildkit, control.proto. */
const { root } = protobuf.parse(
  `
syntax = "proto3";
message Request { bool EarlyExit = 3; }
message Record { string Ref = 1; }
message Event { Record record = 2; }
message Update { string Ref = 1; bool Delete = 3; }
message Updated {}
`,
  { keepCase: true },
);

/** After the tests of a block. The reference's BuildKit has no history. */
export function forgetsBuilds(engine: () => RunningEngine, kind: EngineKind): void {
  if (kind === "reference") return;
  afterAll(() => forgetBuilds(engine().socketPath));
}

async function forgetBuilds(socketPath: string): Promise<void> {
  const client = new grpc.Client(`unix:${socketPath}`, grpc.credentials.createInsecure());
  try {
    for (const ref of await pastBuilds(client)) await forget(client, ref);
  } finally {
    client.close();
  }
}

async function pastBuilds(client: grpc.Client): Promise<string[]> {
  const [encode, decode] = [encoderOf("Request"), decoderOf("Event")];
  const path = `${CONTROL}/ListenBuildHistory`;
  const stream = client.makeServerStreamRequest(path, encode, decode, { EarlyExit: true });
  const refs: string[] = [];
  for await (const event of stream) refs.push((event as { record: { Ref: string } }).record.Ref);
  return refs;
}

function forget(client: grpc.Client, Ref: string): Promise<void> {
  const [encode, decode] = [encoderOf("Update"), decoderOf("Updated")];
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(`${CONTROL}/UpdateBuildHistory`, encode, decode, { Ref, Delete: true }, (error) =>
      error ? reject(error) : resolve(),
    );
  });
}

function encoderOf(name: string): (fields: object) => Buffer {
  const type = root.lookupType(name);
  return (fields) => Buffer.from(type.encode(type.fromObject(fields)).finish());
}

function decoderOf(name: string): (bytes: Buffer) => object {
  const type = root.lookupType(name);
  return (bytes) => type.toObject(type.decode(bytes));
}
