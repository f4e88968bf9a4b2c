// A client that repeats one request as fast as it can, in its own process: load-client.c if there is a C compiler,
// otherwise load-client.mjs, whose own work is a large part of the result.
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, must } from "../tests/support/commands.js";
import { ROOT } from "../tests/support/engines.js";

export interface LoadClient {
  /** The client's language, for notes. */
  readonly language: "C" | "Node";
  /**
   * Returns how many milliseconds the requests took, one at a time on each of the connections. `post`: they have this
   * body of JSON, and get this status.
   */
  ask(socketPath: string, target: string, requests: number, connections: number, post?: Post): Promise<number>;
  close(): Promise<void>;
}

export interface Post {
  readonly body: string;
  readonly status: number;
}

export async function openLoadClient(): Promise<LoadClient> {
  const directory = await mkdtemp(join(tmpdir(), "coracle-load-"));
  const compiler = findProgram("cc");
  const program = join(directory, "load-client");
  if (compiler !== null) await must([compiler, "-O2", "-o", program, join(ROOT, "benches/load-client.c")]);
  const command = compiler !== null ? [program] : [process.execPath, join(ROOT, "benches/load-client.mjs")];
  return {
    language: compiler !== null ? "C" : "Node",
    ask: async (socketPath, target, requests, connections, post) => {
      const more = post === undefined ? [] : [String(post.status), post.body];
      return Number(await must([...command, socketPath, target, String(requests), String(connections), ...more]));
    },
    close: () => rm(directory, { recursive: true }),
  };
}

/**
 * A server that answers with fixed bytes without reading the request. It shows the cost of the client and of Node's
 * sockets.
 */
export async function openFloor(): Promise<{ socketPath: string; close(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), "coracle-floor-"));
  const socketPath = join(directory, "floor.sock");
  const answer = Buffer.from(
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 2\r\n\r\nOK",
  );
  const server: Server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => socket.write(answer));
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  return {
    socketPath,
    close: async () => {
      server.close();
      await rm(directory, { recursive: true });
    },
  };
}
