// The engine's end of a process that follows its files (`follower.ts`): starts it, finds that of an earlier engine, and
// replaces one that runs another program.

import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Kernel } from "../kernel.js";
import { startChild, type Child } from "../launch/child.js";
import { CONTROL, LOG, Lines, type Changed, type Followed, type Hello } from "./protocol.js";

/** How often a process may end just when it is needed. */
const MOST_TRIES = 3;
/** Little room for new objects, so that they are collected early. */
const MEMORY = ["--max-semi-space-size=1", "--v8-pool-size=1"];

/** What the process runs. */
export interface Program {
  file: string;
  /** Room for old objects, in MiB: more than it ever needs. */
  heap: number;
}

export interface Connection {
  hello: Hello;
  socket: Socket;
  waiting: Map<number, (followed: Followed) => void>;
}

export class FollowerProcess {
  #connection: Promise<Connection> | undefined;
  /** What the process that is in use still has to do. */
  #live: Connection["waiting"] | undefined;
  #last = 0;
  #isClosed = false;

  /** `lost`: a process that was there has ended. */
  constructor(
    private readonly kernel: Kernel,
    private readonly directory: string,
    private readonly program: Program,
    private readonly lost: () => void,
  ) {}

  /**
   * Tells the process about a file, and resolves with what it could not do as the file says. A process that ends
   * meanwhile, because it had nothing to do, is started anew.
   */
  async changed(kind: string, name: string): Promise<Followed> {
    for (let tries = 1; ; tries++) {
      const followed = await this.#tell(await this.connection(), kind, name);
      if (followed.errno !== "EPIPE" || tries === MOST_TRIES) return followed;
    }
  }

  /** Whether there is a process that follows the files. */
  get isThere(): boolean {
    return this.#connection !== undefined;
  }

  /** Whether there was one that did not end by itself. */
  get wasThere(): boolean {
    return existsSync(join(this.directory, CONTROL));
  }

  async connection(): Promise<Connection> {
    this.#connection ??= this.#find();
    try {
      return await this.#connection;
    } catch (error) {
      this.#connection = undefined;
      throw error;
    }
  }

  /** The process goes on, unless it has nothing to do. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = await this.#connection?.catch(() => undefined);
    connection?.socket.destroy();
  }

  async #tell({ socket, waiting }: Connection, kind: string, name: string): Promise<Followed> {
    const id = ++this.#last;
    const followed = await new Promise<Followed>((resolve) => {
      waiting.set(id, resolve);
      socket.write(`${JSON.stringify({ id, kind, name } satisfies Changed)}\n`);
    });
    waiting.delete(id);
    return followed;
  }

  async #find(): Promise<Connection> {
    const program = createHash("sha256").update(readFileSync(this.program.file)).digest("hex");
    const found = await this.#connect();
    if (found?.hello.program === program) return this.#keep(found);
    found?.socket.destroy();
    await this.#start(program);
    const started = await this.#connect();
    if (started === undefined) throw new Error(`${this.program.file} has ended`);
    return this.#keep(started);
  }

  #keep(connection: Connection): Connection {
    this.#live = connection.waiting;
    return connection;
  }

  async #start(program: string): Promise<void> {
    const { file, heap } = this.program;
    const log = openSync(join(this.directory, LOG), "a");
    try {
      const args = [...MEMORY, `--max-old-space-size=${heap}`, file, this.directory, program];
      const files = ["ignore", log, log, "pipe"] as const;
      await ready(startChild(this.kernel, { program: process.execPath, args, files }));
    } finally {
      closeSync(log);
    }
  }

  /** Undefined if nobody listens, or not for long. */
  async #connect(): Promise<Connection | undefined> {
    const socket = connect(join(this.directory, CONTROL)).setEncoding("utf8");
    const waiting: Connection["waiting"] = new Map();
    const lines = new Lines();
    return new Promise((resolve) => {
      socket.on("error", () => {});
      socket.on("data", (text: string) => {
        for (const line of lines.read(text)) {
          const said = JSON.parse(line) as Hello | Followed;
          if ("program" in said) resolve({ hello: said, socket, waiting });
          else waiting.get(said.id)?.(said);
        }
      });
      socket.on("close", () => {
        resolve(undefined);
        this.#ended(waiting);
      });
    });
  }

  #ended(waiting: Connection["waiting"]): void {
    const isLost = this.#live === waiting;
    if (isLost) this.#connection = undefined;
    for (const [id, followed] of waiting) followed({ id, errno: "EPIPE" });
    if (isLost && !this.#isClosed) this.lost();
  }
}

/** A bundle's path. Bundles are in `build`, this file in `runtime-linux/followers`. */
export function bundled(name: string): string {
  return fileURLToPath(new URL(import.meta.url.endsWith(".cjs") ? name : `../../build/${name}`, import.meta.url));
}

/** Waits until the process serves, or has ended. */
async function ready({ pipes, gone }: Child): Promise<void> {
  const pipe = pipes[3]!;
  pipe.on("error", () => {});
  await Promise.race([new Promise((resolve) => pipe.once("data", resolve)), gone]);
  pipe.destroy();
}
