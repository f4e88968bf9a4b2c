// Contexts that a client of BuildKit uploads when it is asked for them (moby.upload.v1).
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import * as grpc from "@grpc/grpc-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rawTar } from "../../support/archives/tar.js";
import { BuildKitClient, upgraded } from "../../support/buildkit/client.js";
import { messagesOf, type Fields } from "../../support/buildkit/protocol.js";
import { onEngines } from "../../support/on-engines.js";

const PULL = "/moby.upload.v1.Upload/Pull";
const BLOCK = 512;

type Upload = grpc.ServerDuplexStream<Fields, Fields>;

onEngines("uploaded contexts", (engine) => {
  let client: BuildKitClient;
  beforeAll(async () => {
    client = await BuildKitClient.open(engine().socketPath);
  });
  afterAll(() => client.close());

  /** Builds an archive that is sent by `upload`, which may break the session off. */
  async function build(upload: (call: Upload, connection: Socket) => void): Promise<Fields> {
    const ref = randomUUID();
    const server = new grpc.Server();
    const { encode, decode } = messagesOf("BytesMessage");
    const shape = { requestSerialize: encode, requestDeserialize: decode, responseSerialize: encode };
    const pull = { ...shape, path: PULL, requestStream: true, responseStream: true, responseDeserialize: decode };
    const headers = { "X-Docker-Expose-Session-Uuid": ref, "X-Docker-Expose-Session-Grpc-Method": PULL };
    const connection = await upgraded(engine().socketPath, "/session", headers);
    connection.on("error", () => {});
    server.addService({ pull }, { pull: (call: Upload) => upload(call, connection) });
    server.createConnectionInjector(grpc.ServerCredentials.createInsecure()).injectConnection(connection);
    const attributes = { context: "http://buildkit-session/archive" };
    const fields = { Ref: ref, Session: ref, Frontend: "dockerfile.v0", FrontendAttrs: attributes, Exporter: "moby" };
    try {
      return await client.control("Solve", ["SolveRequest", fields], "SolveResponse");
    } finally {
      server.forceShutdown();
      connection.destroy();
    }
  }

  const archive = rawTar([
    { name: "Dockerfile", body: "FROM busybox\nCOPY last /\n" },
    { name: "last", body: "last" },
  ]);

  test("a whole one is built", async () => {
    const built = await build((call) => {
      for (let at = 0; at < archive.length; at += BLOCK) call.write({ data: archive.subarray(at, at + BLOCK) });
      call.end();
    });
    expect(built).toMatchObject({
      ExporterResponse: { "containerimage.digest": expect.stringMatching(/^sha256:/) },
    });
  });

  test.each(["destroy", "end"] as const)(
    "one whose client goes away between two files is no context: %s",
    async (how) => {
      // Without the last file, it would be a whole archive.
      const cut = build((call, connection) => {
        call.write({ data: archive.subarray(0, 2 * BLOCK) }, () => setTimeout(() => connection[how](), 100));
      });
      await expect(cut).rejects.toMatchObject({ details: expect.any(String) });
    },
  );

  test("an error of the client's is told", async () => {
    const failed = build((call) => {
      call.write({ data: archive.subarray(0, 2 * BLOCK) });
      call.emit("error", { code: grpc.status.UNKNOWN, details: "the disk is broken" });
    });
    await expect(failed).rejects.toMatchObject({ details: expect.stringContaining("the disk is broken") });
  });
});
