// How long does a ping take, and how many go through in a second? The client, equal for all, has a floor of its own: the
// same asked of a server that answers fixed bytes without reading.
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { must } from "../tests/support/commands.js";
import { ROOT, type RunningEngine } from "../tests/support/engines.js";
import { atMost, median, round, type Answer, type Sizes } from "./question.js";

const CONNECTIONS = 8;

export async function ping(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const directory = await mkdtemp(join(tmpdir(), "coracle-floor-"));
  const floorPath = join(directory, "floor.sock");
  const server = await floor(floorPath);
  try {
    const contestants = [
      ...engines.map((engine) => [engine.kind, engine.socketPath] as const),
      ["floor", floorPath] as const,
    ];
    const [sequential, together] = [new Map<string, number[]>(), new Map<string, number[]>()];
    for (let i = 0; i < sizes.rounds; i += 1) {
      for (const [kind, path] of contestants) {
        add(sequential, kind, (await load(path, sizes.requests, 1)) / sizes.requests);
        add(together, kind, (1000 * sizes.requests * 4) / (await load(path, sizes.requests * 4, CONNECTIONS)));
      }
    }
    const [one, many] = [figuresOf(sequential), figuresOf(together)];
    return [
      {
        question: "ping, one after the other",
        unit: "ms",
        figures: without(one, "floor"),
        goal: atMost(1.1),
        note: `the client's floor is ${round(one["floor"] ?? 0)} ms`,
      },
      {
        question: `pings a second over ${CONNECTIONS} connections`,
        unit: "/s",
        figures: without(many, "floor"),
        note: `the client's floor is ${round(many["floor"] ?? 0)}/s`,
      },
    ];
  } finally {
    server.close();
    await rm(directory, { recursive: true });
  }
}

/** Milliseconds that the requests took. */
async function load(socketPath: string, requests: number, connections: number): Promise<number> {
  const client = join(ROOT, "benches/load-client.mjs");
  return Number(await must([process.execPath, client, socketPath, String(requests), String(connections)]));
}

async function floor(path: string): Promise<Server> {
  const answer = Buffer.from(
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 2\r\n\r\nOK",
  );
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => socket.write(answer));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return server;
}

function add(all: Map<string, number[]>, kind: string, value: number): void {
  all.set(kind, [...(all.get(kind) ?? []), value]);
}

function figuresOf(all: ReadonlyMap<string, number[]>): Record<string, number> {
  return Object.fromEntries([...all].map(([kind, values]) => [kind, median(values)]));
}

function without(figures: Readonly<Record<string, number>>, kind: string): Record<string, number> {
  return Object.fromEntries(Object.entries(figures).filter(([name]) => name !== kind));
}
