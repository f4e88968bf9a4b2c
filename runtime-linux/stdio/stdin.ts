// Bytes to a process's stdin, through its supervisor's attach socket. Bytes that arrive before the launch are kept
// until then.
//
// All clients of a run share one connection. If the first client's half-close is to close stdin, conmon does that when
// the connection ends. So the connection ends only for that reason.

import { createRequire } from "node:module";
import { closeSync, openSync } from "node:fs";
import type * as UnixSocket from "node-unix-socket";
import type { Stdin } from "../../hosts/shared/index.js";
import { SHUT_RD, type Kernel } from "../kernel.js";

/** conmon reads packets into a buffer of this size and would lose the rest. */
const PACKET_BYTES_MAX = 8 * 1024;

/** How a run uses its stdin. */
export interface StdinMode {
  tty: boolean;
  openStdin: boolean;
  stdinOnce: boolean;
}

/** Stdin of one run, for all its clients. */
export class StdinPipe {
  /** Number of clients that have not released it. */
  clients = 0;
  readonly #kernel: Kernel;
  #socket: UnixSocket.SeqpacketSocket | undefined;
  #endsOnce = false;
  #state: "waiting" | "open" | "over" = "waiting";
  #ended = false;
  readonly #held: { bytes: Uint8Array; taken: () => void }[] = [];
  /** Callbacks for writes that are waiting, in case the process ends first. */
  readonly #underway = new Set<() => void>();

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** The process is made, and its supervisor listens in `directory`. */
  connect(directory: string, mode: StdinMode): void {
    if (this.#state !== "waiting") return;
    if (!mode.openStdin) return this.close();
    const socket = this.#attach(directory);
    if (!socket) return this.close(); // the process has ended already
    this.#socket = socket;
    this.#socket.on("error", () => this.close());
    this.#socket.on("close", () => this.close());
    this.#endsOnce = mode.stdinOnce && !mode.tty;
    this.#state = "open";
    for (const { bytes, taken } of this.#held.splice(0)) this.#send(bytes, taken);
    if (this.#ended) this.end();
  }

  /** Resolves when the bytes are accepted, or when the process has ended. */
  write(bytes: Uint8Array): Promise<void> {
    return new Promise((taken) => {
      if (this.#state === "waiting") this.#held.push({ bytes, taken });
      else this.#send(bytes, taken);
    });
  }

  /** No client is left with input for a later launch. */
  isIdle(): boolean {
    return this.#state === "waiting" && this.clients === 0 && !this.#ended;
  }

  /** A client's half-close. */
  end(): void {
    this.#ended = true;
    if (this.#state === "open" && this.#endsOnce) this.#socket?.end();
  }

  /** The run is over, or never started: nobody reads any more. */
  close(): void {
    if (this.#state === "over") return;
    this.#state = "over";
    this.#socket?.destroy();
    for (const { taken } of this.#held.splice(0)) taken();
    for (const taken of this.#underway) taken();
    this.#underway.clear();
  }

  #attach(directory: string): UnixSocket.SeqpacketSocket | undefined {
    try {
      const fd = openAttachSocket(this.#kernel, directory);
      // The process's output is read from its log. Refusing it here saves conmon work and cannot block it.
      this.#kernel.shutdown(fd, SHUT_RD);
      return adopt(fd);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "ECONNREFUSED") return undefined;
      throw error;
    }
  }

  #send(bytes: Uint8Array, taken: () => void): void {
    if (this.#state !== "open" || bytes.length === 0) return taken();
    this.#underway.add(taken);
    const done = () => {
      if (this.#underway.delete(taken)) taken();
    };
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < buffer.length; at += PACKET_BYTES_MAX) {
      const packet = buffer.subarray(at, at + PACKET_BYTES_MAX);
      const isLast = at + packet.length === buffer.length;
      this.#socket!.write(packet, 0, packet.length, isLast ? done : undefined);
    }
  }
}

/** One client's handle on the pipe. */
export class StdinClient implements Stdin {
  #pipe: StdinPipe | undefined;
  readonly #released: () => void;

  /** `released` is called when the client releases it. */
  constructor(pipe: StdinPipe, released: () => void) {
    this.#pipe = pipe;
    this.#released = released;
    pipe.clients++;
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#pipe?.write(bytes);
  }

  end(): void {
    this.#pipe?.end();
    this.release();
  }

  release(): void {
    if (!this.#pipe) return;
    this.#pipe.clients--;
    this.#pipe = undefined;
    this.#released();
  }
}

const require = createRequire(import.meta.url);

function adopt(fd: number): UnixSocket.SeqpacketSocket {
  const { SeqpacketSocket } = require("node-unix-socket") as typeof UnixSocket;
  const socket = new SeqpacketSocket(fd);
  socket.unref();
  return socket;
}

/** The path goes through a descriptor, because a socket address has room for only 107 bytes. */
function openAttachSocket(kernel: Kernel, directory: string): number {
  const at = openSync(directory, "r");
  try {
    return kernel.connectSeqpacket(`/proc/self/fd/${at}/attach`);
  } finally {
    closeSync(at);
  }
}
