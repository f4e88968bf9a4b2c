// The terminal of an exec that the OCI runtime starts as our child.
//
// crun sends the terminal that it makes to a socket. Other runtimes do so only for detached processes, whose exit code
// would be lost. They get a terminal of ours and copy between the two themselves.

import { closeSync, constants, openSync, unlinkSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ReadStream } from "node:tty";
import { startBroke } from "../../hosts/shared/index.js";
import type { Kernel } from "../kernel.js";
import type { ExecPlace } from "./place.js";
import { TerminalInput } from "./terminal-input.js";
import { TerminalRest } from "./terminal-rest.js";

const SIGWINCH = 28;
const RETRY_MS = 2;

/** The other end is kept open as long as the process runs, because a hang-up means the end to the reader. */
export class ExecTerminal {
  /** The output, up to the end of the process. */
  readonly stream: ReadStream;
  /** The input. */
  readonly input: TerminalInput;
  readonly #kernel: Kernel;
  readonly #ends: Ends;
  readonly #resized: () => void;
  #isOver = false;

  /** Takes over all descriptors that it gets. They are closed even if the constructor fails. */
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

  /**
   * The process has ended. Returns what is still to be read, after the stream's own data; undefined if it is closed.
   */
  rest(): TerminalRest | undefined {
    if (this.#isOver) return undefined;
    this.#isOver = true;
    this.stream.read(); // passes on what the stream has buffered while nobody had room
    this.stream.destroy();
    closeSync(this.#ends.other);
    return new TerminalRest(this.#ends.terminal);
  }

  /** Stops reading. */
  close(): void {
    this.rest()?.destroy();
  }
}

interface Ends {
  terminal: number;
  /** The descriptor that the stream uses and closes. */
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

/** The socket that a runtime sends its terminal to. */
export class TerminalSocket {
  readonly #kernel: Kernel;
  /** Descriptor of the socket's directory: a socket address has room for only 107 bytes. */
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

  /** Resolves with the path to give to the runtime. */
  listen(): Promise<string> {
    return new Promise((resolve, reject) => {
      const name = join(`fd/${this.#directory}`, "terminal");
      this.#server.once("error", reject);
      this.#server.listen(`/proc/self/${name}`, () => resolve(`/proc/${process.pid}/${name}`));
    });
  }

  /** Call this when the process is made: the terminal is here by then. */
  async terminal(): Promise<ExecTerminal> {
    const terminal = await this.#received;
    this.#taken = true;
    return new ExecTerminal(this.#kernel, terminal);
  }

  /** Also closes a terminal that nobody has asked for, because its process was not made in the end. */
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

  /** The message comes after the connection. */
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

/** Opens a terminal of ours. `other`: the other end, for the runtime. If it throws, nothing stays open. */
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
    // So that nothing is echoed twice. runc does the same to this terminal, but only once it is copying. Then runc has
    // this terminal add carriage returns to newlines, and the process's own terminal no longer does. What a process
    // writes before that gets two; this happens with runc alone, too.
    kernel.makeRaw(other);
    if (rows > 0 && columns > 0) kernel.setWindowSize(terminal, rows, columns);
    return { terminal, other };
  } catch (error) {
    for (const descriptor of opened) closeSync(descriptor);
    throw error;
  }
}

/** The process's output on a terminal of ours. `runtime`: the runtime's process id, once there is one. */
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
