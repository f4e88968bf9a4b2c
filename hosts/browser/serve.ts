// Serves the built playground on loopback: only static files.

import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import sirv from "sirv";

export interface ServeOptions {
  /** Directory of the page. */
  directory: string;
  /** Command line arguments: `--port PORT`. */
  args?: readonly string[];
}

export interface PageServer {
  /** `http://127.0.0.1:PORT/` */
  url: string;
  close(): Promise<void>;
}

const DEFAULT_PORT = 7375;

/** Serves until the process is interrupted, and prints the address. */
export async function servePage({ directory, args = [] }: ServeOptions): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { port: { type: "string" } } });
  const port = values.port === undefined ? DEFAULT_PORT : portOf(values.port);
  const server = await listen(directory, port).catch((error: Error & { code?: string }) => {
    if (error.code !== "EADDRINUSE") throw error;
    throw new Error(
      `Another program, perhaps another playground, uses port ${port}; try: npm run playground -- --port 0`,
    );
  });
  console.log(`The playground is at ${server.url} (press Ctrl-C to stop it)`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void server.close().then(() => process.exit(0)));
  }
}

/** Port 0 means any free port. Rejects if the port is taken. */
export async function listen(directory: string, port = 0): Promise<PageServer> {
  const server = createServer(answersFrom(directory));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A request listener that serves only these files. */
export function answersFrom(directory: string): RequestListener {
  const files = sirv(directory, { dev: true, etag: true });
  return (request, response) =>
    files(request, response, () => {
      response.statusCode = 404;
      response.end("There is no such file.\n");
    });
}

function portOf(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`--port: "${text}" is not a port`);
  return port;
}
