// The terminal of an exec that the OCI runtime starts as our child.
//
// crun sends the one that it makes to a socket. Others do so only for processes that they leave alone, whose exit code
// would be lost: they are given a terminal of ours, and copy between the two themselves.

import { closeSync, constants, openSync, unlinkSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ReadStream } from "node:tty";
import { HostFailure } from "../../hosts/failure.js";
import type { Kernel } from "../kernel.js";
import type { ExecPlace } from "./place.js";
import { TerminalInput } from "./terminal-input.js";

const SIGWINCH = 28;
const RETRY_MS = 2;

/** What an ended process has written is on its way for a moment; who still writes is waited for no longer than this. */
const SETTLE_MS = 2000;
const LOOK_MS = 2;

/**
 * The other end is held open until all is read: a hang-up is taken for the end by who reads, whatever is still there to
 * be read (libuv does so after a read that did not fill its buffer).
 */
export class ExecTerminal {
  /** What is shown. */
  readonly stream: ReadStream;
  /** What is typed. */
  readonly input: TerminalInput;
  readonly #kernel: Kernel;
  readonly #terminal: number;
  readonly #other: number;
  readonly #resized: () => void;

  constructor(kernel: Kernel, terminal: number, other = kernel.openPeer(terminal), resized = () => {}) {
    this.#kernel = kernel;
    this.#terminal = terminal;
    this.#other = other;
    this.#resized = resized;
    this.stream = new ReadStream(terminal);
    this.input = new TerminalInput(kernel, terminal, this.stream);
  }

  resize(rows: number, columns: number): void {
    this.#kernel.setWindowSize(this.#terminal, rows, columns);
    this.#resized();
  }

  /** The process has ended. Resolves when what it wrote is read. */
  async settle(): Promise<void> {
    const limit = performance.now() + SETTLE_MS;
    for (let quiet = 0; quiet < 2 && performance.now() < limit && !this.stream.destroyed;) {
      await sleep(LOOK_MS);
      quiet = !this.stream.destroyed && this.#kernel.readable(this.#terminal) === 0 ? quiet + 1 : 0;
    }
    this.close();
  }

  /** Lets the end of the stream come. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#other);
  }

  #isClosed = false;
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
    if (descriptor === undefined || descriptor < 0) throw new HostFailure("internal", "OCI runtime sent no terminal");
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
