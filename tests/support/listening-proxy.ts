// A proxy in front of an engine's socket that records requests.

import { createServer, request as ask, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";

export interface Noted {
  readonly method: string;
  /** Path and query, as received. */
  readonly target: string;
  readonly body: string;
}

export interface ListeningProxy {
  /** Requests since the last call, without pings. */
  taken(): Noted[];
  close(): Promise<void>;
}

/** Listens at `path` and forwards everything to the engine at `engine`. */
export async function startListeningProxy(path: string, engine: string): Promise<ListeningProxy> {
  let noted: { method: string; target: string; chunks: Buffer[] }[] = [];
  const sockets = new Set<Socket>();
  const note = (incoming: IncomingMessage, chunks: Buffer[]): void => {
    noted.push({ method: incoming.method ?? "", target: incoming.url ?? "", chunks });
  };
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    note(incoming, chunks);
    const { method, url, headers } = incoming;
    const asked = ask({ socketPath: engine, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
    });
    asked.on("error", () => outgoing.destroy());
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk)).pipe(asked);
    outgoing.on("close", () => asked.destroy());
  });
  server.on("upgrade", (incoming, client: Socket, head) => {
    const chunks: Buffer[] = [head];
    note(incoming, chunks);
    const behind = connect(engine);
    const lines = incoming.rawHeaders.flatMap((name, at, all) => (at % 2 === 0 ? [`${name}: ${all[at + 1]}`] : []));
    behind.write([`${incoming.method} ${incoming.url} HTTP/1.1`, ...lines, "", ""].join("\r\n"));
    behind.write(head);
    const length = Number(incoming.headers["content-length"] ?? 0);
    client.on("data", (chunk: Buffer) => {
      const missing = length - Buffer.concat(chunks).length;
      if (missing > 0) chunks.push(chunk.subarray(0, missing));
    });
    client.pipe(behind).pipe(client);
    for (const one of [client, behind]) one.on("error", () => [client, behind].forEach((both) => both.destroy()));
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    taken() {
      const all = noted;
      noted = [];
      return all
        .filter(({ target }) => !target.endsWith("/_ping"))
        .map(({ method, target, chunks }) => ({ method, target, body: Buffer.concat(chunks).toString() }));
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}
