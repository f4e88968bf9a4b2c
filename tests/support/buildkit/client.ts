// A client of BuildKit's calls, made with gRPC's own library: it makes calls through POST /grpc, and answers those of the
// engine on POST /session. Or it speaks HTTP/2 from the first byte, and carries its session in a call.
import { connect, createServer, type Socket } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Duplex } from "node:stream";
import * as grpc from "@grpc/grpc-js";
import { messagesOf, type Fields } from "./protocol.js";
import { sendFiles, type SentFile } from "./sent-files.js";

const CONTROL = "/moby.buildkit.v1.Control";
const DIFF_COPY = "/moby.filesync.v1.FileSync/DiffCopy";
const AUTH = "/moby.filesync.v1.Auth/Credentials";
const SECRETS = "/moby.buildkit.secrets.v1.Secrets/GetSecret";
const HEALTH = "/grpc.health.v1.Health/Check";
const ID = "X-Docker-Expose-Session-Uuid";
const METHOD = "X-Docker-Expose-Session-Grpc-Method";
/** HealthCheckResponse with status SERVING. */
const SERVING = Buffer.from([0x08, 0x01]);
const BRIDGE = "/moby.buildkit.v1.frontend.LLBBridge";

export class BuildKitClient {
  readonly #client: grpc.Client;
  readonly #sockets: Set<Socket>;
  readonly #closed: () => void;

  /** gRPC's library opens connections itself, so a socket of its own leads to the door. */
  static async open(socketPath: string): Promise<BuildKitClient> {
    const directory = mkdtempSync(join(tmpdir(), "coracle-grpc-"));
    const sockets = new Set<Socket>();
    const door = createServer((socket) => {
      sockets.add(socket);
      void upgraded(socketPath, "/grpc", {}).then((connection) => {
        sockets.add(connection);
        socket.pipe(connection).pipe(socket);
        for (const [one, other] of [
          [socket, connection],
          [connection, socket],
        ] as const) {
          one.on("error", () => {}).once("close", () => other.destroy());
        }
      });
    });
    await new Promise<void>((resolve) => door.listen(join(directory, "s"), resolve));
    return new BuildKitClient(join(directory, "s"), sockets, () => {
      door.close();
      rmSync(directory, { recursive: true, force: true });
    });
  }

  /** gRPC's library itself opens the engine's socket. */
  static native(socketPath: string): BuildKitClient {
    return new BuildKitClient(socketPath, new Set(), () => {});
  }

  private constructor(path: string, sockets: Set<Socket>, closed: () => void) {
    this.#sockets = sockets;
    this.#closed = closed;
    this.#client = new grpc.Client(`unix:${path}`, grpc.credentials.createInsecure());
  }

  close(): void {
    this.#client.close();
    this.hangUp();
    this.#closed();
  }

  /** Breaks all connections off. */
  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** A call of Control. */
  control(method: string, request: readonly [string, Fields], response: string): Promise<Fields> {
    return this.#call(`${CONTROL}/${method}`, request, response, new grpc.Metadata());
  }

  /** A call of the build `ref`. */
  bridge(ref: string, method: string, request: readonly [string, Fields], response: string): Promise<Fields> {
    const metadata = new grpc.Metadata();
    metadata.set("buildkit-controlapi-buildid", ref);
    return this.#call(`${BRIDGE}/${method}`, request, response, metadata);
  }

  /** All that a watcher of the build is told, up to its end. */
  async status(ref: string): Promise<Fields[]> {
    const request = messagesOf("StatusRequest");
    const { decode } = messagesOf("StatusResponse");
    const stream = this.#client.makeServerStreamRequest(`${CONTROL}/Status`, request.encode, decode, { Ref: ref });
    const told: Fields[] = [];
    for await (const message of stream) told.push(message as Fields);
    return told;
  }

  /** A connection within a call, for a session: `headers` as those of POST /session. */
  carried(headers: Readonly<Record<string, readonly string[]>>): Duplex {
    const metadata = new grpc.Metadata();
    for (const [name, values] of Object.entries(headers)) for (const value of values) metadata.add(name, value);
    const { encode, decode } = messagesOf("BytesMessage");
    const call = this.#client.makeBidiStreamRequest(`${CONTROL}/Session`, encode, decode, metadata);
    const connection = new Duplex({
      read: () => void call.resume(),
      write: (data: Buffer, _encoding, done) => void call.write({ data }, done),
      final: (done) => void done(void call.end()),
      destroy: (error, done) => {
        call.cancel();
        done(error);
      },
    });
    call.on("data", ({ data }: { data: Buffer }) => connection.push(data) || call.pause());
    call.on("end", () => connection.push(null)).on("error", (error) => connection.destroy(error));
    return connection;
  }

  #call(path: string, [type, fields]: readonly [string, Fields], response: string, metadata: grpc.Metadata) {
    const { encode } = messagesOf(type);
    const { decode } = messagesOf(response);
    return new Promise<Fields>((resolve, reject) => {
      this.#client.makeUnaryRequest(path, encode, decode, fields, metadata, (error, answer) => {
        if (error) reject(error);
        else resolve(answer!);
      });
    });
  }
}

export interface SessionOptions {
  /** `Username` and `Secret` for a registry; throws to refuse. Missing: the client does not offer the call. */
  credentials?: (registry: string) => Fields;
  /** Carries the session in a call of its own. Missing: it has a connection of its own, by POST /session. */
  by?: BuildKitClient;
  /** The secret of an id; throws to refuse. Missing: the client does not offer the call. */
  secret?: (id: string) => Uint8Array | Promise<Uint8Array>;
  /** Adds further services, and returns the paths of their calls. */
  serve?: (server: grpc.Server) => readonly string[];
}

/** What a client of a session has: directories by name; null if it has none. Returns a function that ends the session. */
export async function openSession(
  socketPath: string,
  id: string,
  directories: Readonly<Record<string, readonly SentFile[]>> | null,
  options: SessionOptions = {},
): Promise<() => void> {
  const server = new grpc.Server();
  const packet = messagesOf("Packet");
  server.addService(
    {
      DiffCopy: {
        path: DIFF_COPY,
        requestStream: true,
        responseStream: true,
        requestSerialize: packet.encode,
        requestDeserialize: packet.decode,
        responseSerialize: packet.encode,
        responseDeserialize: packet.decode,
      },
    },
    { DiffCopy: (call: grpc.ServerDuplexStream<Fields, Fields>) => sendFiles(call, directories ?? {}) },
  );
  answerHealth(server);
  answerFor(server, options);
  const offered = [
    HEALTH,
    ...(directories === null ? [] : [DIFF_COPY]),
    ...(options.credentials === undefined ? [] : [AUTH]),
    ...(options.secret === undefined ? [] : [SECRETS]),
    ...(options.serve?.(server) ?? []),
  ];
  const connection =
    options.by?.carried({ [ID]: [id], [METHOD]: offered }) ??
    // One header for each.
    (await upgraded(socketPath, "/session", { [ID]: id, [METHOD]: offered.join(`\r\n${METHOD}: `) }));
  connection.on("error", () => {});
  server.createConnectionInjector(grpc.ServerCredentials.createInsecure()).injectConnection(connection);
  return () => {
    server.forceShutdown();
    connection.destroy();
  };
}

/** The services of what a client is asked for. An error with a `code` of gRPC's is answered with that. */
/** The reference asks each second, and ends a session that does not answer. */
function answerHealth(server: grpc.Server): void {
  const asIs = (bytes: Buffer): Buffer => bytes;
  const Check = {
    ...{ path: HEALTH, requestStream: false, responseStream: false },
    ...{ requestSerialize: asIs, requestDeserialize: asIs, responseSerialize: asIs, responseDeserialize: asIs },
  };
  server.addService({ Check }, { Check: (_: unknown, answer: grpc.sendUnaryData<Buffer>) => answer(null, SERVING) });
}

function answerFor(server: grpc.Server, { credentials, secret }: SessionOptions): void {
  if (credentials !== undefined) {
    answerBy(server, AUTH, ["CredentialsRequest", "CredentialsResponse"], ({ Host }) => credentials(String(Host)));
  }
  if (secret === undefined) return;
  answerBy(server, SECRETS, ["SecretRequest", "SecretResponse"], async ({ ID }) => ({
    data: await secret(String(ID)),
  }));
}

function answerBy(
  server: grpc.Server,
  path: string,
  [asked, answered]: readonly [string, string],
  give: (request: Fields) => Fields | Promise<Fields>,
): void {
  const [request, response] = [messagesOf(asked), messagesOf(answered)];
  const definition = {
    path,
    requestStream: false,
    responseStream: false,
    requestSerialize: request.encode,
    requestDeserialize: request.decode,
    responseSerialize: response.encode,
    responseDeserialize: response.decode,
  };
  const Call: grpc.handleUnaryCall<Fields, Fields> = (call, answer) => {
    Promise.resolve(call.request)
      .then(give)
      .then(
        (given) => answer(null, given),
        (error: Error & { code?: grpc.status }) =>
          answer({ code: error.code ?? grpc.status.UNKNOWN, details: error.message }),
      );
  };
  server.addService({ Call: definition }, { Call });
}

/** The connection after `Upgrade: h2c`. */
export function upgraded(socketPath: string, path: string, headers: Readonly<Record<string, string>>): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    socket.once("error", reject);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const fixed = "Host: x\r\nContent-Length: 0\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n";
    socket.write(`POST ${path} HTTP/1.1\r\n${fixed}${lines.join("")}\r\n`);
    let head = Buffer.alloc(0);
    const read = (bytes: Buffer): void => {
      head = Buffer.concat([head, bytes]);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) return;
      socket.off("data", read).off("error", reject).pause();
      if (!head.toString("latin1").startsWith("HTTP/1.1 101 ")) return reject(new Error(head.toString("latin1")));
      if (head.length > end + 4) socket.unshift(head.subarray(end + 4));
      resolve(socket);
    };
    socket.on("data", read);
  });
}
