// The terminal of an exec that the OCI runtime starts as our child.
//
// crun sends the one that it makes to a socket. Others do so only for processes that they leave alone, whose exit code
// would be lost: they are given a terminal of ours, and copy between the two themselves.

import { closeSync, constants, openSync, unlinkSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ReadStream } from "node:tty";
import { startBroke } from "../../hosts/shared/failure.js";
import type { Kernel } from "../kernel.js";
import type { ExecPlace } from "./place.js";
import { TerminalInput } from "./terminal-input.js";
import { TerminalRest } from "./terminal-rest.js";

const SIGWINCH = 28;
const RETRY_MS = 2;

/** The other end is held open as long as the process runs: to who reads, a hang-up is the end. */
export class ExecTerminal {
  /** What is shown, up to the end of the process. */
  readonly stream: ReadStream;
  /** What is typed. */
  readonly input: TerminalInput;
  readonly #kernel: Kernel;
  readonly #ends: Ends;
  readonly #resized: () => void;
  #isOver = false;

  /** Takes over all ends that it is given; they are closed also where it cannot have one of its own. */
  constructor(kernel: Kernel, terminal: number, other?: number, resized = () => {}) {
    this.#kernel = kernel;
    this.#ends = endsOf(kernel, terminal, other);
    this.#resized = resized;
    this.stream = new ReadStream(this.#ends.shown);
    this.input = new TerminalInput(kernel, this.#ends.shown, this.stream);
  }

  resize(rows: number, columns: number): void {
    this.#kernel.setWindowSize(this.#ends.terminal, rows, columns);
    this.#resized();
  }

  /** The process has ended. What is still to be read, after the stream's; undefined if it is closed. */
  rest(): TerminalRest | undefined {
    if (this.#isOver) return undefined;
    this.#isOver = true;
    this.stream.read(); // what it has read and kept, while nobody had room, goes to who listens
    this.stream.destroy();
    closeSync(this.#ends.other);
    return new TerminalRest(this.#ends.terminal);
  }

  /** Nothing is read any more. */
  close(): void {
    this.rest()?.destroy();
  }
}

interface Ends {
  terminal: number;
  /** The same, for the stream, which closes it. */
  shown: number;
  other: number;
}

function endsOf(kernel: Kernel, terminal: number, given: number | undefined): Ends {
  const opened = [terminal, ...(given === undefined ? [] : [given])];
  try {
    const other = given ?? kernel.openPeer(terminal);
    if (given === undefined) opened.push(other);
    return { terminal, shown: kernel.duplicate(terminal), other };
  } catch (error) {
    for (const descriptor of opened) closeSync(descriptor);
    throw error;
  }
}

/** Where a runtime sends the terminal that it has made. */
export class TerminalSocket {
  readonly #kernel: Kernel;
  /** Of the directory: a socket's address has room for 107 bytes only. */
  readonly #directory: number;
  readonly #server: Server;
  readonly #received: Promise<number>;
  #taken = false;
  #closed = false;

  constructor(place: ExecPlace, kernel: Kernel) {
    this.#kernel = kernel;
    this.#directory = openSync(place.directory, "r");
    this.#server = createServer({ pauseOnConnect: true }).unref();
    this.#received = new Promise((resolve, reject) => {
      this.#server.once("connection", (socket) => this.#take(socket).then(resolve, reject));
      this.#server.on("error", reject);
    });
    this.#received.catch(() => {});
  }

  /** Resolves with the path for the runtime. */
  listen(): Promise<string> {
    return new Promise((resolve, reject) => {
      const name = join(`fd/${this.#directory}`, "terminal");
      this.#server.once("error", reject);
      this.#server.listen(`/proc/self/${name}`, () => resolve(`/proc/${process.pid}/${name}`));
    });
  }

  /** To be asked for when the process is made: it is here then. */
  async terminal(): Promise<ExecTerminal> {
    const terminal = await this.#received;
    this.#taken = true;
    return new ExecTerminal(this.#kernel, terminal);
  }

  /** A terminal that nobody has asked for goes with it: of a process that was not made in the end. */
  close(): void {
    this.#closed = true;
    if (!this.#taken) void this.#received.then(closeSync, () => {});
    this.#server.close();
    try {
      unlinkSync(`/proc/self/fd/${this.#directory}/terminal`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    closeSync(this.#directory);
  }

  /** The message follows the connection. */
  async #take(socket: Socket): Promise<number> {
    const { fd = -1 } = (socket as unknown as { _handle: { fd?: number } | null })._handle ?? {};
    let descriptor = this.#receive(fd);
    for (; descriptor === undefined && !this.#closed; descriptor = this.#receive(fd)) await sleep(RETRY_MS);
    socket.destroy();
    if (descriptor === undefined || descriptor < 0) throw startBroke("no-terminal");
    return descriptor;
  }

  #receive(fd: number): number | undefined {
    try {
      return this.#kernel.receiveDescriptor(fd);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") return undefined;
      throw error;
    }
  }
}

/** One of ours. `other`: its other end, for the runtime. Nothing stays open where it throws. */
export function openTerminal(kernel: Kernel, rows: number, columns: number): { terminal: number; other: number } {
  const opened: number[] = [];
  const open = (path: string): number => {
    const descriptor = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
    opened.push(descriptor);
    return descriptor;
  };
  try {
    const terminal = open("/dev/ptmx");
    const other = open(`/dev/pts/${kernel.unlockTerminal(terminal)}`);
    // Nothing is echoed twice. runc does the same to this one only once it copies already; then it has this one add
    // returns to newlines, and the process's own no more. What a process writes before that has two, by runc alone too.
    kernel.makeRaw(other);
    if (rows > 0 && columns > 0) kernel.setWindowSize(terminal, rows, columns);
    return { terminal, other };
  } catch (error) {
    for (const descriptor of opened) closeSync(descriptor);
    throw error;
  }
}

/** What the runtime shows on one of ours; `runtime`: its process id, once there is one. */
export function copiedTerminal(
  kernel: Kernel,
  terminal: number,
  other: number,
  runtime: () => number | undefined,
): ExecTerminal {
  return new ExecTerminal(kernel, terminal, other, () => {
    const pid = runtime();
    if (pid !== undefined) kernel.kill(pid, SIGWINCH);
  });
}
