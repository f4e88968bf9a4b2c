// Builds by BuildKit's calls, with gRPC's own library as the client.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:http2";
import { createConnection } from "node:net";
import { status as codes, type ServiceError } from "@grpc/grpc-js";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { rawTar } from "../../support/archives/tar.js";
import { BuildKitClient, openSession } from "../../support/buildkit/client.js";
import { forgetsBuilds } from "../../support/buildkit/past-builds.js";
import { messagesOf, type Fields } from "../../support/buildkit/protocol.js";
import type { SentFile } from "../../support/buildkit/sent-files.js";
import { until } from "../../support/commands.js";
import { messageOf } from "../../support/engine-client.js";
import { onEngines, testExcept } from "../../support/on-engines.js";
import { REFERENCE } from "../../support/allowed-skips.js";

onEngines("builds by BuildKit", (engine, kind) => {
  forgetsBuilds(engine, kind);
  const ofOurs = testExcept(kind, { reference: REFERENCE.buildkit });
  let client: BuildKitClient;
  beforeAll(async () => {
    client = await BuildKitClient.open(engine().socketPath);
  });
  afterAll(() => client.close());

  test("a connection without the right upgrade is refused, and so is a second session with the same id", async () => {
    for (const [path, status] of [
      ["/session", 400],
      ["/grpc", 500],
    ] as const) {
      const refused = async (headers: Record<string, string>): Promise<[number, string]> => {
        const answer = await engine().call("POST", path, undefined, { headers });
        return [answer.status, messageOf(answer)];
      };
      expect(await refused({})).toEqual([status, "no upgrade proto in request"]);
      const other = { Connection: "Upgrade", Upgrade: "h3" };
      expect(await refused(other)).toEqual([status, "protocol h3 not supported"]);
    }
    const id = randomUUID();
    const end = await openSession(engine().socketPath, id, {});
    const second = openSession(engine().socketPath, id, {});
    await expect(second).rejects.toThrow(`session ${id} already exists`);
    end();
  });

  test("tells its worker and its version", async () => {
    const { record } = await client.control("ListWorkers", ["Empty", {}], "Workers");
    expect(record).toMatchObject([{ ID: "moby" }]);
    const [{ platforms }] = record as [{ platforms: Fields[] }];
    expect(platforms[0]).toMatchObject({ OS: "linux", Architecture: expect.stringMatching(/./) });
  });

  test("a call that does not exist has gRPC's code for it", async () => {
    const asked = client.control("Nothing", ["Empty", {}], "Empty");
    await expect(asked).rejects.toMatchObject({ code: codes.UNIMPLEMENTED });
  });

  test("a session without files has no context", async () => {
    const ref = randomUUID();
    const end = await openSession(engine().socketPath, ref, null);
    const fields = { Ref: ref, Session: ref, Frontend: "dockerfile.v0" };
    const solving = client.control("Solve", ["SolveRequest", fields], "SolveResponse");
    await expect(solving).rejects.toMatchObject({ details: expect.stringContaining("no local sources enabled") });
    end();
  });

  ofOurs("a client directs a build: it asks for a result, returns it, and the image has its name", async () => {
    const built = await build("FROM busybox\nCOPY . /all/\nRUN echo out; cat /all/a > /b\n", [
      { path: ".dockerignore", bytes: "left\n" },
      { path: "a", bytes: "first" },
      { path: "left", bytes: "not sent" },
      { path: "sub" },
      { path: "sub/b", bytes: "x".repeat(100_000) },
    ]);
    const { ExporterResponse } = built.answer as { ExporterResponse: Record<string, string> };
    const image = (await engine().call("GET", "/images/kit:1/json")).json<{ Id: string }>();
    expect(ExporterResponse["containerimage.digest"]).toBe(image.Id);
    const names = vertices(built.told).map(({ name }) => name);
    expect(names).toContain("[2/3] COPY . /all/");
    expect(logs(built.told)).toBe("out\n");
    expect(await run("kit:1", "cat /b; cd /all; find . -type f | sort; wc -c < sub/b")).toBe(
      "first./.dockerignore\n./a\n./sub/b\n100000\n",
    );
    const again = await build("FROM busybox\nCOPY . /all/\nRUN echo out; cat /all/a > /b\n", [
      { path: ".dockerignore", bytes: "left\n" },
      { path: "a", bytes: "first" },
      { path: "sub" },
      { path: "sub/b", bytes: "x".repeat(100_000) },
    ]);
    expect(vertices(again.told).filter(({ cached }) => cached)).toHaveLength(2);
  });

  ofOurs("a step that fails ends the build with its line", async () => {
    const failed = await build("FROM busybox\nRUN exit 3\n", []).catch((error: unknown) => error as ServiceError);
    expect(failed).toMatchObject({
      code: codes.UNKNOWN,
      details: 'process "/bin/sh -c exit 3" did not complete successfully: exit code: 3',
    });
    const [whole] = (failed as ServiceError).metadata.get("grpc-status-details-bin");
    const { details } = messagesOf("RpcStatus").decode(whole as Buffer) as { details: Detail[] };
    expect(details.map(({ type_url }) => type_url)).toEqual(["github.com/moby/buildkit/errdefs.Source+json"]);
    expect(JSON.parse(String(details[0]!.value))).toMatchObject({
      info: { filename: "Dockerfile" },
      ranges: [{ start: { line: 2 }, end: { line: 2 } }],
    });
  });

  testExcept(kind, { reference: REFERENCE.buildContainers })("a build whose client hangs up ends at once", async () => {
    const own = await BuildKitClient.open(engine().socketPath);
    const ref = randomUUID();
    const end = await openSession(engine().socketPath, ref, {
      dockerfile: [{ path: "Dockerfile", bytes: "FROM busybox\nRUN sleep 1000\n" }],
      context: [],
    });
    const solving = own.control(
      "Solve",
      ["SolveRequest", { Ref: ref, Session: ref, Frontend: "dockerfile.v0" }],
      "SolveResponse",
    );
    solving.catch(() => {});
    await until("the step to run", async () => (await containers()).length > 0);
    own.close();
    end();
    await until("its container to go", async () => (await containers()).length === 0);
  });

  ofOurs("what is not built is refused by name", async () => {
    const solve = (fields: Fields): Promise<Fields> =>
      client.control("Solve", ["SolveRequest", { Ref: randomUUID(), ...fields }], "SolveResponse");
    await expect(solve({ Definition: { def: [Buffer.from("x")] } })).rejects.toMatchObject({
      code: codes.UNIMPLEMENTED,
    });
    await expect(solve({ Exporter: "cake" })).rejects.toMatchObject({ details: expect.stringContaining("type cake") });
    await expect(solve({ Frontend: "gateway.v0" })).rejects.toMatchObject({
      details: expect.stringContaining("gateway.v0"),
    });
  });

  ofOurs("clients that make no calls build by POST /build, with a session and without one", async () => {
    const session = randomUUID();
    const dockerfile = "FROM busybox\nCOPY a /a\nRUN cat /a; echo error >&2\n";
    const end = await openSession(engine().socketPath, session, {
      dockerfile: [{ path: "Dockerfile", bytes: dockerfile }],
      context: [{ path: "a", bytes: "from the session\n" }],
    });
    const inSession = await engine().must(
      200,
      "POST",
      `/build?version=2&session=${session}&remote=client-session&t=kit:2`,
    );
    end();
    const [told, result] = tracedIn(inSession.text);
    expect(vertices(told).map(({ name }) => name)).toContain("[3/3] RUN cat /a; echo error >&2");
    expect(logs(told)).toBe("from the session\nerror\n");
    const image = (await engine().call("GET", "/images/kit:2/json")).json<{ Id: string }>();
    expect(result).toEqual({ ID: image.Id });
    const context = rawTar([
      { name: "Dockerfile", body: dockerfile },
      { name: "a", body: "from the body\n" },
    ]);
    const alone = await engine().must(200, "POST", "/build?version=2", context);
    expect(logs(tracedIn(alone.text)[0])).toBe("from the body\nerror\n");
  });

  ofOurs("a client speaks HTTP/2 from the first byte, and carries its session in a call", async () => {
    const native = BuildKitClient.native(engine().socketPath);
    onTestFinished(() => native.close());
    const { record } = await native.control("ListWorkers", ["Empty", {}], "Workers");
    expect(record).toMatchObject([{ ID: "moby" }]);
    const bytes = "x".repeat(300_000);
    const built = await build("FROM busybox\nCOPY . /all/\nRUN wc -c < /all/a\n", [{ path: "a", bytes }], native);
    expect(logs(built.told)).toBe("300000\n");
    const id = randomUUID();
    const end = await openSession(engine().socketPath, id, {}, { by: native });
    const refused = once(native.carried({ "X-Docker-Expose-Session-Uuid": [id] }), "error");
    expect((await refused)[0]).toMatchObject({ details: `session ${id} already exists` });
    end();
    await until("the session to have gone", async () => {
      const again = native.carried({ "X-Docker-Expose-Session-Uuid": [id] });
      const begins = await once(again, "data").then(
        () => true,
        () => false,
      );
      again.destroy();
      return begins;
    });
    const [nameless] = await once(native.carried({}), "error");
    expect(nameless).toMatchObject({ code: codes.INVALID_ARGUMENT });
  });

  ofOurs("HTTP/2 carries no other requests", async () => {
    const session = connect("http://localhost", { createConnection: () => createConnection(engine().socketPath) });
    onTestFinished(() => session.destroy());
    const [headers] = await once(session.request({ ":path": "/_ping" }), "response");
    expect(headers).toMatchObject({ ":status": 415 });
  });

  async function containers(): Promise<unknown[]> {
    return (await engine().call("GET", "/containers/json")).json<unknown[]>();
  }

  /** The output of a command in an image. */
  async function run(image: string, command: string): Promise<string> {
    const HostConfig = { NetworkMode: "none" };
    return (await engine().run({ Image: image, Cmd: ["sh", "-c", command], HostConfig })).stdout;
  }

  /** `native`: by its calls, one of which carries the session. */
  async function build(
    dockerfile: string,
    context: SentFile[],
    native?: BuildKitClient,
  ): Promise<{ answer: Fields; told: Fields[] }> {
    const by = native ?? client;
    const ref = randomUUID();
    const files = { dockerfile: [{ path: "Dockerfile", bytes: dockerfile }], context };
    const end = await openSession(engine().socketPath, ref, files, native === undefined ? {} : { by: native });
    try {
      const told = by.status(ref);
      const exported = { Exporter: "moby", ExporterAttrs: { name: "kit:1" } };
      const solved = by.control("Solve", ["SolveRequest", { Ref: ref, Session: ref, ...exported }], "SolveResponse");
      solved.catch(() => {});
      const asked = { Frontend: "dockerfile.v0", FrontendOpt: { filename: "Dockerfile" }, allowResultReturn: true };
      try {
        const { result } = await by.bridge(ref, "Solve", ["BridgeSolveRequest", asked], "BridgeSolveResponse");
        await by.bridge(ref, "Return", ["ReturnRequest", { result: result as Fields }], "Empty");
      } catch (error) {
        const { code, details } = error as { code: number; details: string };
        await by.bridge(ref, "Return", ["ReturnRequest", { error: { code, message: details } }], "Empty");
      }
      return { answer: await solved, told: await told };
    } finally {
      end();
    }
  }
});

/** What the stream of a build tells: the messages, and the image. */
function tracedIn(text: string): [told: Fields[], result: unknown] {
  const { decode } = messagesOf("StatusResponse");
  const lines = text.split("\r\n").filter((line) => line !== "");
  const objects = lines.map((line) => JSON.parse(line) as { id: string; aux: unknown });
  const traces = objects.filter(({ id }) => id === "moby.buildkit.trace");
  const told = traces.map(({ aux }) => decode(Buffer.from(aux as string, "base64")));
  return [told, objects.find(({ id }) => id === "moby.image.id")?.aux];
}

interface Detail {
  type_url: string;
  value: Buffer;
}

interface Vertex {
  name: string;
  cached?: boolean;
}

/** In their last states. */
function vertices(told: readonly Fields[]): Vertex[] {
  const all = new Map<string, Vertex>();
  for (const { vertexes = [] } of told as { vertexes?: (Vertex & { digest: string })[] }[]) {
    for (const vertex of vertexes) all.set(vertex.digest, vertex);
  }
  return [...all.values()];
}

function logs(told: readonly Fields[]): string {
  return (told as { logs?: { msg: Buffer }[] }[])
    .flatMap(({ logs = [] }) => logs.map(({ msg }) => String(msg)))
    .join("");
}
