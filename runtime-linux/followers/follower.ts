// A process that serves containers as an engine's files say: names (`names/`), or published ports (`networks/forward/`).
// It is started by an engine, outlives it, and is found again by the next one, as containers' supervisors are. It ends
// when it is of no more use: another process has replaced it, or there is nothing to serve and no engine.

import { once } from "node:events";
import { closeSync, renameSync, rmSync, statSync, watch, writeSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Looks } from "./looks.js";
import { handBackLater, handBackProgram } from "../kernel/program-pages.js";
import { CONTROL, LOG, Lines, type Changed, type Followed, type Hello, type Refused, type Wish } from "./protocol.js";
import { endSilent, removePid, writePid } from "./silent.js";
import { turnToStart } from "./turn-to-start.js";

/** What such a process does. */
export interface Service {
  /** Serves as all files say. Failures are left to the engine, which asks for each file. `shared`: see `share`. */
  followAll(shared: boolean): Promise<void>;
  /** Serves as this file says now. Rejects with the error of a call if it cannot do so at all. */
  follow(kind: string, name: string): Promise<readonly Refused[]>;
  /** What its bound sockets are for, and their numbers: a process that replaces this one gets them. */
  readonly sockets: ReadonlyMap<string, number>;
  /** Whether it has to bind ports that a process which it replaces has. */
  readonly needsShare: boolean;
  /** Lets another process bind the same ports from now on, or no longer. */
  share(isShared: boolean): void;
  /** Leaves what comes from now on to a process that has bound the same ports. */
  handOver(): void;
  /** Another process serves by now: ends what is left here and is no longer wished. */
  cutLeft(): void;
  /** The directory of the files that tell what that is. Undefined: there is nothing to cut. */
  readonly leftBy: string | undefined;
  /** There is nothing to serve. */
  readonly isIdle: boolean;
  /** How many clients and answers are left. */
  readonly underWay: number;
  /** How long they may take after another process has taken over. */
  readonly patienceMs: number;
}

/** The descriptor on which the engine waits for a line. */
const READY = 3;
/** How long the process stays with nothing to serve, for the next container of an engine that runs one after the other. */
const LINGER_MS = 3000;
/** How long the process that it replaces may take to answer. */
const ANSWER_MS = 3000;

/** `program`: hash of the program that this process runs. */
export async function runFollower(directory: string, program: string, service: Service): Promise<void> {
  process.on("uncaughtException", (error) => console.error(error.stack));
  process.on("unhandledRejection", (error) => console.error(error));
  try {
    await new Follower(directory, program, service).begin();
  } catch (error) {
    // What it holds already would be of no use to anybody.
    console.error(error);
    process.exit(1);
  }
}

class Follower {
  readonly #control: string;
  readonly #engines = new Set<Socket>();
  readonly #server: Server;
  readonly #lingering: NodeJS.Timeout;
  /** Files are followed one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #ino = 0;
  #isRetired = false;
  /** Why what is left could not be cut. */
  #failed = "";

  constructor(
    private readonly directory: string,
    private readonly program: string,
    private readonly service: Service,
  ) {
    this.#control = join(directory, CONTROL);
    this.#server = createServer((socket) => this.#serve(socket));
    this.#lingering = setTimeout(() => this.#endIfIdle(), LINGER_MS);
  }

  /** From its end on engines find this process. One that was here before shares its ports if need be, and then leaves. */
  async begin(): Promise<void> {
    const started = await turnToStart(this.directory);
    const before = await connected(this.#control);
    if (before !== undefined && this.service.needsShare && !(await answered(before, { share: true })))
      await endSilent(this.directory);
    await this.service.followAll(before !== undefined);
    const own = `${this.#control}.${process.pid}`;
    // A process with this number may have been killed here.
    rmSync(own, { force: true });
    this.#server.listen(own);
    await once(this.#server, "listening");
    this.#ino = statSync(own).ino;
    writePid(this.directory);
    renameSync(own, this.#control);
    this.#watch();
    if (before !== undefined) await answered(before, { retire: true });
    this.service.share(false);
    started();
    tellReady();
    handBackProgram();
    this.#lingering.refresh();
  }

  /** Without it, only the process that replaces this one tells it so. */
  #watch(): void {
    try {
      watch(this.directory, () => {
        if (!this.#isCurrent()) void this.#retire();
      }).on("error", (error) => console.error(error));
    } catch (error) {
      console.error(error);
    }
  }

  /** Whether no other process has taken over, and nobody has removed everything. */
  #isCurrent(): boolean {
    return statSync(this.#control, { throwIfNoEntry: false })?.ino === this.#ino;
  }

  #serve(socket: Socket): void {
    this.#engines.add(socket);
    this.#lingering.refresh();
    const lines = new Lines();
    socket.setEncoding("utf8");
    socket.on("error", () => {});
    socket.on("data", (text: string) => {
      for (const line of lines.read(text)) this.#obey(socket, JSON.parse(line) as Wish);
    });
    socket.on("close", () => {
      this.#engines.delete(socket);
      if (this.#engines.size === 0) this.#endIfIdle();
    });
    say(socket, { program: this.program, pid: process.pid });
  }

  #obey(socket: Socket, wish: Wish): void {
    if ("retire" in wish) return void this.#retire();
    if ("lend" in wish) return say(socket, { id: wish.id, sockets: [...this.service.sockets] });
    if ("share" in wish) {
      this.service.share(true);
      return say(socket, { id: 0 });
    }
    this.#turn = this.#turn.then(async () => {
      say(socket, await this.#follow(wish));
      // Clients are served between two of many.
      await setImmediate();
    });
  }

  async #follow({ id, kind, name }: Changed): Promise<Followed> {
    handBackLater();
    try {
      const refused = await this.service.follow(kind, name);
      this.#lingering.refresh();
      return refused.length > 0 ? { id, refused } : { id };
    } catch (error) {
      return { id, errno: (error as NodeJS.ErrnoException).code ?? "EIO" };
    }
  }

  #endIfIdle(): void {
    if (this.#isRetired || !this.service.isIdle) return;
    if (this.#isCurrent()) {
      rmSync(this.#control);
      removePid(this.directory);
    }
    const log = join(this.directory, LOG);
    if (statSync(log, { throwIfNoEntry: false })?.size === 0) rmSync(log);
    process.exit();
  }

  /** It is told so, and may see by itself that it is replaced. */
  async #retire(): Promise<void> {
    if (this.#isRetired) return;
    this.#isRetired = true;
    this.service.handOver();
    this.#server.close();
    for (const engine of this.#engines) engine.destroy();
    const end = performance.now() + this.service.patienceMs;
    const looks = new Looks(this.service.leftBy);
    do {
      await looks.next();
      this.#cutLeft();
    } while (this.service.underWay > 0 && performance.now() < end);
    process.exit();
  }

  /** An error must not keep the process for ever. One that stays is logged once. */
  #cutLeft(): void {
    try {
      this.service.cutLeft();
    } catch (error) {
      if (String(error) !== this.#failed) console.error(error);
      this.#failed = String(error);
    }
  }
}

function tellReady(): void {
  try {
    writeSync(READY, "ready\n");
  } catch (error) {
    // The engine that waited was killed.
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  }
  closeSync(READY);
}

/** Undefined if nobody listens there. */
async function connected(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path, () => resolve(socket));
    socket.on("error", () => resolve(undefined));
  });
}

/**
 * Resolves when the other process has done so: it answers, or leaves. Its first line is its greeting. False if it takes
 * too long.
 */
async function answered(other: Socket, wish: Wish): Promise<boolean> {
  const lines = new Lines();
  other.setEncoding("utf8");
  other.write(`${JSON.stringify(wish)}\n`);
  let late: NodeJS.Timeout | undefined;
  const isDone = await new Promise<boolean>((resolve) => {
    late = setTimeout(() => resolve(false), ANSWER_MS);
    other.on("data", (text: string) => {
      for (const line of lines.read(text)) if (!("program" in (JSON.parse(line) as Hello | Followed))) resolve(true);
    });
    other.once("close", () => resolve(true));
  });
  clearTimeout(late);
  other.removeAllListeners("data");
  return isDone;
}

function say(socket: Socket, told: Hello | Followed): void {
  socket.write(`${JSON.stringify(told)}\n`);
}
