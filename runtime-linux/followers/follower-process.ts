// The engine's end of a process that follows its files (`follower.ts`): starts it, finds that of an earlier engine, and
// replaces one that runs another program.

import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HostFailure } from "../../hosts/shared/index.js";
import type { Kernel } from "../kernel.js";
import { startChild, type Child } from "../launch/child.js";
import { CONTROL, LOG, Lines, type Changed, type Followed, type Hello, type Lend } from "./protocol.js";
import { endSilent, gone } from "./silent.js";

/** How often a process may end just when it is needed. */
const MOST_TRIES = 3;
/** For a greeting, or an answer. A process that takes longer is ended: nothing of the engine waits for it any more. */
const ANSWER_MS = 5000;
/** From its start until it serves. */
const READY_MS = 10_000;
/** Little room for new objects and for garbage: with these it is collected after 2 MiB, not only after 8. */
const MEMORY = ["--max-semi-space-size=1", "--heap-growing-percent=10", "--v8-pool-size=1", "--optimize-for-size"];

const NO_SOCKETS: ReadonlyMap<string, number> = new Map();

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
  #connection: Promise<Connection | undefined> | undefined;
  #starting: Promise<Connection> | undefined;
  /** What the process that is in use still has to do. */
  #live: Connection["waiting"] | undefined;
  #last = 0;
  #isClosed = false;

  /** `lost`: a process that was there has ended, and what it held is free. */
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
      await this.connection();
      const followed = await this.tell(kind, name);
      if (followed.errno !== "EPIPE" || tries === MOST_TRIES) return followed;
    }
  }

  /** As `changed`, but starts none. `EPIPE`: there is none, or it has ended, if need be because it did not answer. */
  async tell(kind: string, name: string): Promise<Followed> {
    const id = ++this.#last;
    const connection = await this.existing();
    if (connection === undefined) return { id, errno: "EPIPE" };
    return this.#asked(connection.socket, connection.waiting, { id, kind, name });
  }

  /** A process that does not answer is ended. */
  async #asked(socket: Socket, waiting: Connection["waiting"], wish: Changed | Lend): Promise<Followed> {
    const { id } = wish;
    const late = setTimeout(() => void endSilent(this.directory).then(() => socket.destroy()), ANSWER_MS);
    const followed = await new Promise<Followed>((resolve) => {
      waiting.set(id, resolve);
      if (socket.destroyed) resolve({ id, errno: "EPIPE" });
      else socket.write(`${JSON.stringify(wish)}\n`);
    });
    clearTimeout(late);
    waiting.delete(id);
    return followed;
  }

  /** Whether there is a process that follows the files. */
  get isThere(): boolean {
    return this.#connection !== undefined;
  }

  /** Whether there was one that did not end by itself. */
  get wasThere(): boolean {
    return existsSync(join(this.directory, CONTROL));
  }

  /** The process that is there: if it runs another program, one that has replaced it. Never rejects. */
  async existing(): Promise<Connection | undefined> {
    if (this.#connection === undefined && !this.wasThere) return undefined;
    const found = (this.#connection ??= this.#find());
    const connection = await found;
    if (connection === undefined && this.#connection === found) this.#connection = undefined;
    return connection;
  }

  /** Starts a process if there is none. Rejects if that fails. */
  async connection(): Promise<Connection> {
    const existing = await this.existing();
    if (existing !== undefined) return existing;
    this.#starting ??= this.start().finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  /** Starts a process where none is. `sockets`: what it gets, by what they are for. */
  async start(sockets: ReadonlyMap<string, number> = NO_SOCKETS): Promise<Connection> {
    await this.#spawn(this.#hash(), sockets);
    const started = await this.#connect();
    if (started === undefined) throw notStarted(this.program.file, "EPIPE");
    this.#connection = Promise.resolve(started);
    return this.#keep(started);
  }

  /** The process goes on, unless it has nothing to do. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = await this.#connection;
    connection?.socket.destroy();
  }

  async #find(): Promise<Connection | undefined> {
    const found = await this.#connect();
    if (found === undefined) return undefined;
    try {
      const program = this.#hash();
      if (found.hello.program === program) return this.#keep(found);
      await this.#replace(found, program);
    } catch (error) {
      console.error(`${this.directory}: the process of an earlier engine stays: ${String(error)}`);
      return found.socket.destroyed ? undefined : this.#keep(found);
    }
    found.socket.destroy();
    const next = await this.#connect();
    return next && this.#keep(next);
  }

  /** Starts a process that gets the sockets of the other one, so that what waits at them is not lost. */
  async #replace({ hello, socket, waiting }: Connection, program: string): Promise<void> {
    const { sockets = [] } = await this.#asked(socket, waiting, { id: ++this.#last, lend: true });
    const lent = new Map<string, number>();
    try {
      for (const [wish, fd] of sockets) lent.set(wish, this.kernel.descriptorOf(hello.pid, fd));
    } catch (error) {
      console.error(`${this.directory}: the next process binds its ports anew: ${String(error)}`);
    }
    try {
      await this.#spawn(program, lent);
    } finally {
      for (const fd of lent.values()) closeSync(fd);
    }
  }

  #hash(): string {
    return createHash("sha256").update(readFileSync(this.program.file)).digest("hex");
  }

  #keep(connection: Connection): Connection {
    this.#live = connection.waiting;
    return connection;
  }

  async #spawn(program: string, sockets: ReadonlyMap<string, number>): Promise<void> {
    const { file, heap } = this.program;
    const files = [...sockets.values()];
    const log = openSync(join(this.directory, LOG), "a");
    try {
      const all = [...MEMORY, `--max-old-space-size=${heap}`, file, this.directory, program, String(files.length)];
      const command = { program: process.execPath, args: all, files: ["ignore", log, log, "pipe", ...files] as const };
      const child = startChild(this.kernel, command);
      const errno = await ready(child);
      if (errno === undefined) return;
      if (errno === "ETIMEDOUT") this.kernel.kill(child.pid, SIGKILL);
      await child.gone;
      throw notStarted(file, errno);
    } finally {
      closeSync(log);
    }
  }

  /** Undefined if nobody listens, or not for long. One that does not greet is ended. */
  async #connect(): Promise<Connection | undefined> {
    const socket = connect(join(this.directory, CONTROL)).setEncoding("utf8");
    const late = setTimeout(() => socket.destroy(), ANSWER_MS);
    const connection = await this.#greeted(socket);
    clearTimeout(late);
    if (connection === undefined) await endSilent(this.directory);
    return connection;
  }

  async #greeted(socket: Socket): Promise<Connection | undefined> {
    const waiting: Connection["waiting"] = new Map();
    const lines = new Lines();
    let pid = 0;
    return new Promise((resolve) => {
      socket.on("error", () => {});
      socket.on("data", (text: string) => {
        for (const line of lines.read(text)) {
          const said = JSON.parse(line) as Hello | Followed;
          if ("program" in said) resolve({ hello: said, socket, waiting });
          else waiting.get(said.id)?.(said);
          if ("program" in said) pid = said.pid;
        }
      });
      socket.on("close", () => {
        resolve(undefined);
        void this.#ended(waiting, pid);
      });
    });
  }

  async #ended(waiting: Connection["waiting"], pid: number): Promise<void> {
    const isLost = this.#live === waiting && !this.#isClosed;
    if (isLost) {
      const ended = gone(pid).then(() => undefined);
      this.#connection = ended;
      await ended;
      if (this.#connection === ended) this.#connection = undefined;
    }
    for (const [id, followed] of waiting) followed({ id, errno: "EPIPE" });
    if (isLost) this.lost();
  }
}

const SIGKILL = 9;

/** It has ended, or was ended because it took too long. */
function notStarted(path: string, error: string): HostFailure {
  return new HostFailure({ tag: "call", val: { call: "start", path, inside: false, error } });
}

/** A bundle's path. Bundles are in `build`, this file in `runtime-linux/followers`. */
export function bundled(name: string): string {
  return fileURLToPath(new URL(import.meta.url.endsWith(".cjs") ? name : `../../build/${name}`, import.meta.url));
}

/** Waits until the process serves. Resolves with why it does not: it has ended, or takes too long. */
async function ready({ pipes, gone: ended }: Child): Promise<string | undefined> {
  const pipe = pipes[3]!;
  pipe.on("error", () => {});
  let late: NodeJS.Timeout | undefined;
  const errno = await Promise.race([
    new Promise<undefined>((resolve) => pipe.once("data", () => resolve(undefined))),
    ended.then(() => "EPIPE"),
    new Promise<string>((resolve) => (late = setTimeout(() => resolve("ETIMEDOUT"), READY_MS))),
  ]);
  clearTimeout(late);
  pipe.destroy();
  return errno;
}
