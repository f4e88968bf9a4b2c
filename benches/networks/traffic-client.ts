// traffic-client.c, compiled for one run of a bench: packets in the network namespaces of containers and engines.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, must } from "../../tests/support/commands.js";
import { ROOT, type RunningEngine } from "../../tests/support/engines.js";

/** Why there is none here, or null. */
export function trafficMissing(): string | null {
  return findProgram("cc") === null ? "there is no C compiler" : null;
}

/** Puts a command into a network namespace. */
export type Inside = (command: readonly string[]) => readonly string[];

export class TrafficClient {
  readonly #servers: ChildProcess[] = [];

  private constructor(
    readonly directory: string,
    readonly program: string,
  ) {}

  static async open(): Promise<TrafficClient> {
    const directory = await mkdtemp(join(tmpdir(), "coracle-traffic-"));
    const program = join(directory, "traffic-client");
    await must(["cc", "-O2", "-o", program, join(ROOT, "benches/networks/traffic-client.c")]);
    return new TrafficClient(directory, program);
  }

  /** The numbers that a client prints. */
  async ask(inside: Inside, ...words: (string | number)[]): Promise<number[]> {
    const printed = await must(inside([this.program, ...words.map(String)]));
    return printed.trim().split("\n").map(Number);
  }

  /** Starts a server and waits until it listens. It runs until the client is closed. */
  async serve(inside: Inside, ...words: (string | number)[]): Promise<void> {
    const [program = "", ...args] = inside([this.program, ...words.map(String)]);
    const server = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
    this.#servers.push(server);
    const ended = once(server, "exit").then(([code]) => Promise.reject(new Error(`a server ended: ${String(code)}`)));
    await Promise.race([once(server.stdout, "data"), ended]);
    ended.catch(() => {});
  }

  async close(): Promise<void> {
    for (const server of this.#servers) server.kill("SIGKILL");
    await rm(this.directory, { recursive: true });
  }
}

/** The network namespace of a running container. */
export async function insideOf(engine: RunningEngine, id: string): Promise<Inside> {
  const { State } = await engine.inspect<{ State: { Pid: number } }>(id);
  return (command) => ["nsenter", "-t", String(State.Pid), "--net", "--", ...command];
}

/** The namespace of the bench itself. */
export const outside: Inside = (command) => command;
