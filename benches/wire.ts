// A kept-alive connection that costs as little as Node allows: requests are encoded in advance, and an answer is parsed
// only as far as needed to find its end.
import { connect, type Socket } from "node:net";
import type { EngineClient } from "../tests/support/engine-client.js";

export class Wire {
  #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #resolve: ((status: number) => void) | null = null;
  #reject: ((error: Error) => void) | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (bytes: Buffer) => this.#take(bytes));
    socket.on("error", (error) => this.#reject?.(error));
    socket.on("close", () => this.#reject?.(new Error("the server closed the connection")));
  }

  static open(socketPath: string): Promise<Wire> {
    return new Promise((resolve, reject) => {
      const socket = connect(socketPath, () => resolve(new Wire(socket)));
      socket.once("error", reject);
    });
  }

  /** Sends a request, waits for the whole answer and returns its status. */
  ask(request: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#socket.write(request);
    });
  }

  /** The body of the last answer. */
  body = "";

  close(): void {
    this.#reject = null;
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    const headEnd = this.#received.indexOf("\r\n\r\n");
    if (headEnd < 0) return;
    const head = this.#received.toString("latin1", 0, headEnd);
    const status = Number(head.slice(9, 12));
    const end = endOfBody(head, status, this.#received, headEnd + 4);
    if (end < 0 || this.#received.length < end) return;
    this.body = this.#received.toString("latin1", headEnd + 4, end);
    this.#received = this.#received.subarray(end);
    this.#resolve?.(status);
  }
}

export function requestBytes(method: string, path: string, body?: unknown): Buffer {
  const text = body === undefined ? "" : JSON.stringify(body);
  const about =
    body === undefined ? "" : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`;
  return Buffer.from(`${method} /v1.41${path} HTTP/1.1\r\nHost: docker\r\n${about}\r\n${text}`);
}

/** The id of the object that the last answer reports as created. */
export function idOf(wire: Wire): string {
  return (JSON.parse(wire.body) as { Id: string }).Id;
}

export async function expectStatus(wire: Wire, request: Buffer, status: number): Promise<void> {
  const answered = await wire.ask(request);
  if (answered !== status) throw new Error(`expected ${status}, got ${answered}: ${wire.body}`);
}

/** Runs an action on its own connection. */
export async function onWire<T>(engine: EngineClient, act: (wire: Wire) => Promise<T>): Promise<T> {
  const wire = await Wire.open(engine.socketPath);
  try {
    return await act(wire);
  } finally {
    wire.close();
  }
}

/** The end of the answer, or -1 if it is not known yet. */
function endOfBody(head: string, status: number, bytes: Buffer, from: number): number {
  if (status === 204 || status === 304) return from;
  const length = /\r\ncontent-length: (\d+)/i.exec(head);
  if (length !== null) return from + Number(length[1]);
  const end = bytes.indexOf("0\r\n\r\n", from);
  return end < 0 ? -1 : end + 5;
}
