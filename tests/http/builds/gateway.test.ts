// What a client that directs its build asks beside results: their files, and the configs of images.
import { createHash, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as grpc from "@grpc/grpc-js";
import protobuf from "protobufjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { REFERENCE } from "../../support/allowed-skips.js";
import { openSession, upgraded } from "../../support/buildkit/client.js";
import type { SentFile } from "../../support/buildkit/sent-files.js";
import { onEngines, testExcept } from "../../support/on-engines.js";

const CONTROL = "/moby.buildkit.v1.Control";
const BRIDGE = "/moby.buildkit.v1.frontend.LLBBridge";
/** What a message may have, but for a few bytes. */
const LARGEST = (16 << 20) - 64;
const LINK = 2 ** 27;
const DIRECTORY = 2 ** 31;

/** As published: moby/buildkit, control.proto and gateway.proto; tonistiigi/fsutil, stat.proto. */
const { root } = protobuf.parse(
  `
syntax = "proto3";
message Empty {}
message ControlSolve { string Ref = 1; string Session = 5; }
message Solve { string Frontend = 2; map<string, string> FrontendOpt = 3; bool allowResultReturn = 5; bool allowResultArrayRef = 6; }
message Ref { string id = 1; }
message Result { Ref ref = 3; }
message Solved { Result result = 3; }
message Return { Result result = 1; }
message Part { int64 Offset = 1; int64 Length = 2; }
message ReadFile { string Ref = 1; string FilePath = 2; Part Range = 3; }
message FileRead { bytes Data = 1; }
message ReadDir { string Ref = 1; string DirPath = 2; string IncludePattern = 3; }
message DirRead { repeated Stat entries = 1; }
message StatFile { string Ref = 1; string Path = 2; }
message FileStat { Stat stat = 1; }
message Evaluate { string Ref = 1; }
message Platform { string Architecture = 1; string OS = 2; }
message ResolveImageConfig { string Ref = 1; Platform Platform = 2; string ResolveMode = 3; string LogName = 4; }
message ImageConfig { string Digest = 1; bytes Config = 2; string Ref = 3; }
message Stat {
  string path = 1; uint32 mode = 2; uint32 uid = 3; uint32 gid = 4; int64 size = 5; int64 modTime = 6; string linkname = 7;
}
`,
  { keepCase: true },
);

/** The answer of each call. */
const ANSWERS = {
  ReadFile: "FileRead",
  ReadDir: "DirRead",
  StatFile: "FileStat",
  Evaluate: "Empty",
  ResolveImageConfig: "ImageConfig",
} as const;

type Fields = Record<string, unknown>;
/** A question about the build's result. */
type Ask = (method: keyof typeof ANSWERS, message: Fields) => Promise<Fields>;

const DOCKERFILE = "FROM busybox\nCOPY --chown=5:6 . /app/\n";
const FILES: SentFile[] = [
  { path: "a.txt", bytes: "hello", mode: 0o640 },
  { path: "b.md", bytes: "b" },
  { path: "out", mode: LINK + 0o777, target: "/../../../etc/hostname-of-the-machine" },
  { path: "sub" },
  { path: "z", mode: LINK + 0o777, target: "a.txt" },
];

onEngines("what a client asks about a build", (engine, kind) => {
  const ofOurs = testExcept(kind, { reference: REFERENCE.buildkit });
  let client: grpc.Client;
  let close: () => void;
  beforeAll(async () => {
    const door = await doorTo(engine().socketPath);
    close = () => {
      client.close();
      door.close();
    };
    client = new grpc.Client(door.address, grpc.credentials.createInsecure(), {
      "grpc.max_receive_message_length": 16 << 20,
    });
  });
  afterAll(() => close());

  test("reads a file of its result, and parts of it", async () => {
    await directed(DOCKERFILE, FILES, async (ask) => {
      const read = async (FilePath: string, Range?: Fields): Promise<string> => {
        const { Data = "" } = await ask("ReadFile", { FilePath, ...(Range && { Range }) });
        return String(Data);
      };
      expect(await read("app/a.txt")).toBe("hello");
      expect(await read("/app/../app/z")).toBe("hello");
      expect(await read("app/a.txt", { Offset: 1, Length: 3 })).toBe("ell");
      expect(await read("app/a.txt", { Offset: 3, Length: 1024 })).toBe("lo");
      expect(await read("app/a.txt", { Offset: 9, Length: 1 })).toBe("");
      expect(await read("app/a.txt", { Length: 0 })).toBe("");
      for (const path of ["app", "none", "app/out"]) await expect(read(path)).rejects.toThrow();
    });
  });

  test("learns what files are, and what is in a directory", async () => {
    await directed(DOCKERFILE, FILES, async (ask) => {
      const stat = async (Path: string): Promise<Fields> => (await ask("StatFile", { Path })).stat as Fields;
      const list = async (message: Fields): Promise<Fields[]> =>
        ((await ask("ReadDir", message)) as { entries?: Fields[] }).entries ?? [];
      const text = { path: "a.txt", mode: 0o640, uid: 5, gid: 6, size: 5 };
      expect(await stat("app/z")).toMatchObject(text);
      expect(await stat("app")).toMatchObject({ path: "app", mode: DIRECTORY + 0o755 });
      expect((await stat(".")).mode).toBe(DIRECTORY + 0o755);
      const all = await list({ DirPath: "app" });
      expect(all).toMatchObject([
        text,
        { path: "b.md", mode: 0o644, size: 1 },
        { path: "out", mode: LINK + 0o777, linkname: "/../../../etc/hostname-of-the-machine" },
        { path: "sub", mode: DIRECTORY + 0o755 },
        { path: "z", mode: LINK + 0o777, linkname: "a.txt", uid: 5, gid: 6 },
      ]);
      expect(all.every(({ path, size = 0 }) => path !== "sub" || size === 0)).toBe(true);
      expect(all[0]).toEqual(await stat("app/a.txt"));
      expect(all[0]).toEqual(await stat("app/a.txt/"));
      expect(await list({ DirPath: "/app", IncludePattern: "[ab].*" })).toEqual(all.slice(0, 2));
      expect(await list({ DirPath: "app/sub" })).toEqual([]);
      for (const path of ["none", "app/a.txt/x", "app/out"]) await expect(stat(path)).rejects.toThrow();
      await expect(list({ DirPath: "none" })).rejects.toThrow();
    });
  });

  test("learns the config of an image that is here", async () => {
    const { Id } = (await engine().call("GET", "/images/busybox/json")).json<{ Id: string }>();
    await directed(DOCKERFILE, FILES, async (ask) => {
      const { Config } = await ask("ResolveImageConfig", { Ref: "docker.io/library/busybox:latest" });
      const digest = createHash("sha256")
        .update(Config as Buffer)
        .digest("hex");
      expect(`sha256:${digest}`).toBe(Id);
    });
  });

  describe("errors and limits", () => {
    ofOurs("are told with the client's own path", async () => {
      await directed(DOCKERFILE, FILES, async (ask) => {
        for (const [method, message, details] of [
          ["ReadFile", { FilePath: "app/none" }, "open app/none: no such file or directory"],
          ["ReadFile", { FilePath: "app" }, "app is not a regular file"],
          ["ReadFile", { FilePath: "app/out" }, "open app/out: no such file or directory"],
          ["StatFile", { Path: "docker-bake.hcl" }, "lstat docker-bake.hcl: no such file or directory"],
          ["StatFile", { Path: "app/a.txt/x" }, "lstat app/a.txt/x: not a directory"],
          ["ReadDir", { DirPath: "app/a.txt" }, "lstat app/a.txt: not a directory"],
          ["StatFile", { Ref: "x", Path: "." }, "no such ref: x"],
          ["Evaluate", { Ref: "x" }, "no such ref: x"],
        ] as const) {
          await expect(ask(method, message)).rejects.toMatchObject({ code: grpc.status.UNKNOWN, details });
        }
        expect(await ask("Evaluate", {})).toEqual({});
      });
    });

    ofOurs("a file may fill a message; of a larger one there are parts", async () => {
      const large: SentFile[] = [{ path: "large", bytes: "0123456789abcdef".repeat((16 << 20) / 16) }];
      await directed("FROM scratch\nCOPY large /\n", large, async (ask) => {
        const FilePath = "large";
        await expect(ask("ReadFile", { FilePath })).rejects.toMatchObject({ code: grpc.status.RESOURCE_EXHAUSTED });
        const { Data } = await ask("ReadFile", { FilePath, Range: { Offset: 64, Length: LARGEST } });
        expect((Data as Buffer).length).toBe(LARGEST);
        const end = await ask("ReadFile", { FilePath, Range: { Offset: (16 << 20) - 3, Length: 9 } });
        expect(String(end.Data)).toBe("def");
      });
    });
  });

  /** Builds as a client that directs its build; `look` asks about the result, which nobody takes. */
  async function directed(
    dockerfile: string,
    context: SentFile[],
    look: (ask: Ask, ref: string) => Promise<void>,
  ): Promise<void> {
    const ref = randomUUID();
    const files = { dockerfile: [{ path: "Dockerfile", bytes: dockerfile }], context };
    const end = await openSession(engine().socketPath, ref, files);
    const bridge = (method: string, message: readonly [string, Fields], answer: string): Promise<Fields> =>
      call(`${BRIDGE}/${method}`, message, answer, ref);
    try {
      const solving = call(`${CONTROL}/Solve`, ["ControlSolve", { Ref: ref, Session: ref }], "Empty");
      solving.catch(() => {});
      const wanted = { Frontend: "dockerfile.v0", allowResultReturn: true, allowResultArrayRef: true };
      const { result } = (await bridge("Solve", ["Solve", wanted], "Solved")) as { result: { ref: { id: string } } };
      await look((method, message) => {
        const about = method === "ResolveImageConfig" ? message : { Ref: result.ref.id, ...message };
        return bridge(method, [method, about], ANSWERS[method]);
      }, ref);
      await bridge("Return", ["Return", { result: {} }], "Empty");
      await solving;
    } finally {
      end();
    }
  }

  function call(path: string, message: readonly [string, Fields], answer: string, ref = ""): Promise<Fields> {
    const [type, fields] = message;
    const metadata = new grpc.Metadata();
    if (ref !== "") metadata.set("buildkit-controlapi-buildid", ref);
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(path, encoderOf(type), decoderOf(answer), fields, metadata, (error, told) => {
        if (error) reject(error);
        else resolve(told!);
      });
    });
  }
});

/** gRPC's library opens connections itself: each to this address becomes one for calls, by POST /grpc. */
async function doorTo(socketPath: string): Promise<{ address: string; close: () => void }> {
  const directory = mkdtempSync(join(tmpdir(), "coracle-gateway-"));
  const sockets = new Set<Socket>();
  const door = createServer((socket) => {
    void upgraded(socketPath, "/grpc", {}).then((connection) => {
      for (const [one, other] of [
        [socket, connection],
        [connection, socket],
      ] as const) {
        sockets.add(one);
        one.on("error", () => {}).once("close", () => other.destroy());
      }
      socket.pipe(connection).pipe(socket);
    });
  });
  await new Promise<void>((resolve) => door.listen(join(directory, "s"), resolve));
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    door.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { address: `unix:${join(directory, "s")}`, close };
}

function encoderOf(name: string): (fields: Fields) => Buffer {
  const type = root.lookupType(name);
  return (fields) => Buffer.from(type.encode(type.fromObject(fields)).finish());
}

function decoderOf(name: string): (bytes: Buffer) => Fields {
  const type = root.lookupType(name);
  return (bytes) => type.toObject(type.decode(bytes), { longs: Number }) as Fields;
}
