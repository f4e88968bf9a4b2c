// Sockets at which steps of builds find an ssh agent. What is said there goes to the agent of the build's client, and nothing
// else of it is here.

import * as fs from "node:fs";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { basename, dirname } from "node:path";
import type { SshAgent, SshConnection, content } from "../../hosts/shared/index.js";
import type { Paths } from "../paths.js";

export class Agents {
  readonly #paths: Paths;
  /** By the id of its container. */
  readonly #sockets = new Map<string, AgentSocket>();

  constructor(paths: Paths) {
    this.#paths = paths;
  }

  /** Makes the socket in a directory that nobody else may enter, and listens. */
  async listen(sought: content.SoughtAgent, agent: SshAgent): Promise<void> {
    const { container, connections, owner, group, mode } = sought;
    const path = this.#paths.agent(container);
    const socket = new AgentSocket(path, agent, connections);
    try {
      await socket.listen();
      fs.chownSync(path, owner, group);
      fs.chmodSync(path, mode);
      this.#sockets.set(container, socket);
    } catch (error) {
      socket.close();
      throw error;
    }
  }

  /** Removes the socket, and breaks its connections off. */
  close(container: string): void {
    this.#sockets.get(container)?.close();
    this.#sockets.delete(container);
  }

  closeAll(): void {
    for (const container of [...this.#sockets.keys()]) this.close(container);
  }
}

class AgentSocket {
  /** Descriptor of the socket's directory: a socket address has room for only 107 bytes. */
  readonly #directory: number;
  readonly #path: string;
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  constructor(path: string, agent: SshAgent, connections: number) {
    this.#directory = fs.openSync(dirname(path), "r");
    this.#path = `/proc/self/fd/${this.#directory}/${basename(path)}`;
    this.#server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
      this.#open.add(socket);
      socket.once("close", () => this.#open.delete(socket)).on("error", () => {});
      carry(socket.unref(), agent);
    }).unref();
    this.#server.maxConnections = connections;
  }

  async listen(): Promise<void> {
    const listening = once(this.#server, "listening");
    this.#server.listen(this.#path);
    await listening;
    // If a connection cannot be accepted, for lack of descriptors, only its step is affected.
    this.#server.on("error", () => {});
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
    fs.rmSync(this.#path, { force: true });
    fs.closeSync(this.#directory);
  }
}

/** Passes bytes on until both sides have ended, or one has failed. */
function carry(socket: Socket, agent: SshAgent): void {
  let connection: SshConnection;
  try {
    connection = agent();
  } catch {
    socket.destroy(); // its client has gone
    return;
  }
  const over = (): void => {
    socket.destroy();
    connection.cancel();
  };
  socket.once("close", () => connection.cancel());
  Promise.all([there(socket, connection), back(connection, socket)]).then(over, over);
}

async function there(socket: Socket, connection: SshConnection): Promise<void> {
  for await (const bytes of socket.iterator({ destroyOnReturn: false })) await connection.send(bytes as Uint8Array);
  // A program that has only ended its side still listens. If it has closed the socket, not even an empty write succeeds, and the
  // connection is over: some clients (docker buildx 0.10) would keep it until the step ends. A write under way fails by itself.
  if (!socket.writableEnded && socket.writableLength === 0) await written(socket, NOTHING);
  connection.finish();
}

const NOTHING = new Uint8Array();

/** The socket is only destroyed once everything in it has been written. */
async function back(connection: SshConnection, socket: Socket): Promise<void> {
  for await (const bytes of connection.bytes) await written(socket, bytes);
  await new Promise<void>((done) => socket.end(done));
}

function written(socket: Socket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
