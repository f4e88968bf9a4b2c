// SwarmKit for tests: a swarmd for each engine, the first one a manager, and swarmctl.
import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UNPACKAGED } from "../../support/allowed-skips.js";
import { findProgram, must, until } from "../../support/commands.js";

const FOLDER = process.env["CORACLE_TEST_SWARMKIT"];

const [swarmd, swarmctl] = [programOf("swarmd"), programOf("swarmctl")];

function programOf(name: string): string | null {
  if (FOLDER === undefined) return findProgram(name);
  return existsSync(join(FOLDER, name)) ? join(FOLDER, name) : null;
}

/** Why there is no SwarmKit here, or null. */
export const SWARMKIT_MISSING = swarmd === null || swarmctl === null ? UNPACKAGED.swarmkit : null;

/** A line of `swarmctl task ls`. */
export interface Task {
  readonly name: string;
  readonly wish: string;
  readonly state: string;
  readonly node: string;
}

export class Swarm {
  readonly #nodes: ChildProcess[] = [];
  /** The address at which nodes join. */
  #manager = "";
  /** The socket for swarmctl. */
  #control = "";

  private constructor(readonly folder: string) {}

  static async open(): Promise<Swarm> {
    return new Swarm(await mkdtemp(join(tmpdir(), "coracle-swarm-")));
  }

  /** Starts a node above an engine: the first is the manager, further ones join it. Waits until it is ready. */
  async join(name: string, socketPath: string): Promise<void> {
    const joining = this.#nodes.length === 0 ? [] : ["--join-addr", this.#manager, "--join-token", await this.#token()];
    const address = `127.0.0.1:${await freePort()}`;
    if (this.#nodes.length === 0) this.#manager = address;
    const own = ["-d", this.#file(`${name}-state`), "--listen-control-api", this.#file(`${name}.sock`)];
    const log = openSync(this.#file(`${name}.log`), "a");
    const args = [...own, "--listen-remote-api", address, "--hostname", name, "--engine-addr", `unix://${socketPath}`];
    this.#nodes.push(spawn(swarmd ?? "swarmd", [...args, ...joining], { stdio: ["ignore", log, log] }));
    closeSync(log);
    this.#control ||= this.#file(`${name}.sock`);
    await until(`node ${name}`, async () => (await this.#rows("node", "ls")).some((row) => isReady(row, name)));
  }

  /** Runs swarmctl. */
  control(...args: string[]): Promise<string> {
    return must([swarmctl ?? "swarmctl", "-s", this.#control, ...args]);
  }

  async tasks(): Promise<Task[]> {
    const rows = await this.#rows("task", "ls");
    return rows.map(([, name = "", wish = "", state = "", node = ""]) => ({
      name,
      wish,
      node,
      state: state.split(" ")[0]!,
    }));
  }

  async close(): Promise<void> {
    for (const node of this.#nodes.reverse()) {
      const ended = new Promise((resolve) => node.once("exit", resolve));
      node.kill("SIGKILL");
      if (node.exitCode === null) await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  async #token(): Promise<string> {
    const told = await this.control("cluster", "inspect", "default");
    return /Worker: *(\S+)/.exec(told)?.[1] ?? "";
  }

  /** The cells of a table. While the manager is not ready, there are none. */
  async #rows(...args: string[]): Promise<string[][]> {
    const printed = await this.control(...args).catch(() => "");
    return printed
      .split("\n")
      .slice(2, -1)
      .map((line) => line.split(/ {2,}/));
  }

  #file(name: string): string {
    return join(this.folder, name);
  }
}

function isReady([, name, , status]: readonly string[], wanted: string): boolean {
  return name === wanted && status === "READY";
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
