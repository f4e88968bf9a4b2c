// A stand-in for testcontainers' ryuk: removes what tests left behind. A client connects to port 8080, sends filters,
// one a line as in `label=org.testcontainers.session-id=…`, and each is answered with `ACK`. When the last client has
// been gone for a while, all that one of the filters selects is removed.

import { SOCKET } from "../../engine-socket.js";
import { ProcessInput } from "../../processes/descriptors.js";
import type { ContainerProcess } from "../../processes/process.js";
import { Waiting, either } from "../../processes/streams.js";
import { SocketError } from "../../traffic/errors.js";
import type { ConnectionEnd } from "../../traffic/connection.js";
import type { Listener } from "../../traffic/listener.js";
import { command, complain, lines } from "../command.js";
import { duration } from "../small.js";

const PORT = 8080;
/** Until the first client, and after the last one; as the real program has them. */
const FIRST = "60s";
const AGAIN = "10s";
/** How often to try what is refused, and how long to wait before. */
const TRIES = 10;
const PAUSE_NS = 1_000_000_000n;

export const ryuk = command(async (process) => {
  if (!isMounted(process)) return complain(process, `cannot connect to the engine at ${SOCKET}`);
  const clients = new Clients(process);
  let listener: Listener;
  try {
    listener = process.network.own(process.network.bind(PORT));
  } catch (error) {
    if (!(error instanceof SocketError)) throw error;
    return complain(process, error.message);
  }
  await process.stdout.write(`Started address=[::]:${PORT}\n`);
  for (let client = await clients.next(listener); client; client = await clients.next(listener)) clients.serve(client);
  const counts = await removeAll(process, [...clients.filters]);
  await process.stdout.write(`Removed ${counts.join(" ")}\n`);
  return 0;
});

class Clients {
  /** Lines that clients sent, each once. */
  readonly filters = new Set<string>();
  readonly #process: ContainerProcess;
  readonly #left = new Waiting();
  #open = 0;
  /** When to stop waiting for a client, if none is connected. */
  #until: bigint;

  constructor(process: ContainerProcess) {
    this.#process = process;
    this.#until = this.#after("RYUK_CONNECTION_TIMEOUT", FIRST);
  }

  /** The next client; null if there was none for too long. */
  async next(listener: Listener): Promise<ConnectionEnd | null> {
    const { clock } = this.#process;
    for (;;) {
      const connection = listener.take();
      if (connection) return this.#process.network.own(connection);
      const isAlone = this.#open === 0;
      if (isAlone && clock.now().monotonic >= this.#until) return null;
      const changed = either(
        (wake) => listener.wake(wake),
        (wake) => this.#left.add(wake),
      );
      const until = this.#until;
      await this.#process.wait(isAlone ? either(changed, (late) => clock.at(until, late)) : changed);
    }
  }

  serve(connection: ConnectionEnd): void {
    this.#open += 1;
    void this.#acknowledge(connection)
      .catch(() => {}) // the client or the process is gone
      .finally(() => {
        this.#open -= 1;
        this.#until = this.#after("RYUK_RECONNECTION_TIMEOUT", AGAIN);
        this.#left.stir();
      });
  }

  async #acknowledge(connection: ConnectionEnd): Promise<void> {
    const { network } = this.#process;
    const { output } = network.socket(connection);
    const input = new ProcessInput(this.#process, connection.source);
    try {
      for await (const line of lines(input)) {
        if (line.trim().length === 0) continue;
        this.filters.add(line.trim());
        await output.write("ACK\n");
      }
    } finally {
      network.release(connection);
    }
  }

  #after(name: string, usual: string): bigint {
    const { clock, env } = this.#process;
    const seconds = duration(env.get(name) ?? usual) ?? duration(usual)!;
    return clock.now().monotonic + BigInt(Math.round(seconds * 1e9));
  }
}

function isMounted(process: ContainerProcess): boolean {
  try {
    return process.files.status(SOCKET) !== null;
  } catch {
    return false;
  }
}

/** A sort of objects: how to list them and how to remove one. */
interface Sort {
  readonly name: string;
  readonly list: string;
  /** The objects of a list's answer. */
  readonly ids: (answer: unknown) => string[];
  readonly removal: (id: string) => string;
}

/** In this order: networks and volumes are free once their containers are gone. */
const SORTS: readonly Sort[] = [
  {
    ...{ name: "containers", list: "/containers/json?all=1&filters=", ids: idsOf },
    removal: (id) => `/containers/${id}?force=1&v=1`,
  },
  { name: "networks", list: "/networks?filters=", ids: idsOf, removal: (id) => `/networks/${id}` },
  {
    ...{ name: "volumes", list: "/volumes?filters=" },
    ids: (answer) => ((answer as { Volumes?: { Name: string }[] }).Volumes ?? []).map(({ Name }) => Name),
    removal: (name) => `/volumes/${name}?force=1`,
  },
  { name: "images", list: "/images/json?filters=", ids: idsOf, removal: (id) => `/images/${id}?force=1` },
];

function idsOf(answer: unknown): string[] {
  return (answer as { Id: string }[]).map(({ Id }) => Id);
}

/** `containers=2 networks=1 volumes=0 images=0`: what was removed. */
async function removeAll(process: ContainerProcess, filters: readonly string[]): Promise<string[]> {
  const counts: string[] = [];
  for (const sort of SORTS) {
    const removed = new Set<string>();
    for (const filter of filters) for (const id of await removeThose(process, sort, filter)) removed.add(id);
    counts.push(`${sort.name}=${removed.size}`);
  }
  return counts;
}

/** Tries again while something of it is left. This container itself stays. */
async function removeThose(process: ContainerProcess, sort: Sort, filter: string): Promise<string[]> {
  const removed: string[] = [];
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await ask(process, "GET", sort.list + encodeURIComponent(asJson(filter)));
    const ids = found === null ? [] : sort.ids(JSON.parse(found)).filter((id) => !id.startsWith(process.hostname));
    for (const id of ids) if ((await ask(process, "DELETE", sort.removal(id))) !== null) removed.push(id);
    if (found !== null && ids.every((id) => removed.includes(id))) break;
    await process.sleep(PAUSE_NS);
  }
  return removed;
}

/** `label=a=b&label=c` as the parameter `filters` has it. */
function asJson(filter: string): string {
  const values: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(filter)) (values[name] ??= []).push(value);
  return JSON.stringify(values);
}

/** The answer's body; null if the engine refuses, or does not answer, which the log tells. */
async function ask(process: ContainerProcess, method: string, target: string): Promise<string | null> {
  let why: string;
  try {
    const { status, text } = await process.namespace.kernel.engine.request(method, target, process.ended);
    if (status < 300) return text;
    why = text.trim();
  } catch (error) {
    if (process.isOver) throw error;
    why = (error as Error).message;
  }
  await process.stderr.write(`${method} ${target.replace(/\?.*/, "")}: ${why}\n`);
  return null;
}
