// The index of a registry (Docker registry v1): answers searches. It is a process inside an engine's network namespace,
// because engines need no TLS only for their own loopback.
import { spawn } from "node:child_process";
import { until } from "../commands.js";
import { freePort, type Place } from "./docker-registry.js";

export interface IndexRequest {
  readonly target: string;
  readonly authorization: string | null;
}

export interface Index {
  /** The engine's name for it: `127.0.0.1:PORT`. */
  readonly host: string;
  /** The searches so far, in order. */
  asked(): Promise<IndexRequest[]>;
  close(): Promise<void>;
}

/** Answers each search with all results, but one for `missing` with 404. */
export async function startIndex(place: Place, results: readonly object[]): Promise<Index> {
  const port = await freePort();
  const [program = "", ...args] = place.inside([
    process.execPath,
    "-e",
    PROGRAM,
    String(port),
    JSON.stringify(results),
  ]);
  const child = spawn(program, args, { stdio: "ignore" });
  const url = `http://${place.address}:${port}`;
  await until("the index", async () => (await fetch(`${url}/v1/_ping`).catch(() => null)) !== null);
  return {
    host: `127.0.0.1:${port}`,
    asked: async () => (await (await fetch(`${url}/asked`)).json()) as IndexRequest[],
    close: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
    },
  };
}

const PROGRAM = `
const [port, results] = process.argv.slice(1);
const asked = [];
require("node:http").createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://index");
  const isSearch = pathname === "/v1/search";
  if (isSearch) asked.push({ target: request.url, authorization: request.headers.authorization ?? null });
  response.statusCode = isSearch && searchParams.get("q") === "missing" ? 404 : 200;
  response.setHeader("Content-Type", "application/json");
  response.end(pathname === "/asked" ? JSON.stringify(asked) : JSON.stringify({ results: JSON.parse(results) }));
}).listen(Number(port), "0.0.0.0");
`;
