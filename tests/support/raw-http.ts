// HTTP/1.1 over a unix socket, byte by byte. Tests must see header names as sent, chunks as they arrive, hijacked
// streams and half-closes, and must be able to send invalid bytes. No client library allows all this.
import { connect, type Socket } from "node:net";
import { LONGEST_MS } from "./commands.js";

export interface RawHead {
  readonly version: string;
  readonly status: number;
  readonly reason: string;
  /** Names as the server wrote them, in order. */
  readonly headers: readonly (readonly [string, string])[];
  /** The value of a header by its name in any case, or null. */
  header(name: string): string | null;
}

export interface RawResponse extends RawHead {
  readonly body: Buffer;
  readonly text: string;
  json<T = unknown>(): T;
}

export interface RawRequest {
  readonly method?: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects are sent as JSON with its Content-Type; strings and bytes as they are. */
  readonly body?: unknown;
}

/** Sends one request on its own connection and reads the whole answer. */
export async function exchange(socketPath: string, request: RawRequest, timeoutMs = LONGEST_MS): Promise<RawResponse> {
  const connection = await RawConnection.open(socketPath, timeoutMs);
  try {
    connection.send(encodeRequest(request));
    return await connection.response(request.method ?? "GET");
  } finally {
    connection.close();
  }
}

/** One connection: the caller sends bytes, and reads the answers piece by piece. */
export class RawConnection {
  #socket: Socket;
  #pending: Buffer = Buffer.alloc(0);
  #arrived: Buffer[] = [];
  #ended = false;
  #error: Error | null = null;
  #wake: (() => void) | null = null;
  #timeoutMs: number;

  private constructor(socket: Socket, timeoutMs: number) {
    this.#socket = socket;
    this.#timeoutMs = timeoutMs;
    socket.on("data", (bytes: Buffer) => this.#take(bytes));
    socket.on("end", () => this.#finish(null));
    socket.on("error", (error) => this.#finish(error));
    socket.on("close", () => this.#finish(null));
  }

  static open(socketPath: string, timeoutMs = LONGEST_MS): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ path: socketPath, allowHalfOpen: true });
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.removeListener("error", reject);
        resolve(new RawConnection(socket, timeoutMs));
      });
    });
  }

  send(bytes: string | Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** Stops reading, so that the server's bytes pile up on its side. */
  pause(): void {
    this.#socket.pause();
  }

  /** Resumes reading. */
  resume(): void {
    this.#socket.resume();
  }

  /** Half-closes: nothing more is sent, but answers can still be read. */
  end(): void {
    this.#socket.end();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** The next status line and headers. */
  async head(): Promise<RawHead> {
    const text = (await this.#through("\r\n\r\n")).toString("latin1");
    return parseHead(text);
  }

  /** The next answer with its whole body. */
  async response(method = "GET"): Promise<RawResponse> {
    const head = await this.head();
    const body = await this.body(head, method);
    return { ...head, body, text: body.toString(), json: <T>() => JSON.parse(body.toString()) as T };
  }

  async body(head: RawHead, method = "GET"): Promise<Buffer> {
    if (method === "HEAD" || head.status === 204 || head.status === 304 || head.status === 101) return Buffer.alloc(0);
    if (head.header("transfer-encoding") === "chunked") {
      const chunks: Buffer[] = [];
      for await (const chunk of this.chunks()) chunks.push(chunk);
      return Buffer.concat(chunks);
    }
    const length = head.header("content-length");
    return length === null ? this.rest() : this.exactly(Number(length));
  }

  /** The chunks of a chunked body, as the server sent them. */
  async *chunks(): AsyncGenerator<Buffer> {
    for (;;) {
      const line = (await this.#through("\r\n")).toString("latin1").trim();
      const size = Number.parseInt(line, 16);
      if (!/^[0-9a-f]+$/i.test(line)) throw new Error(`not a chunk size: ${JSON.stringify(line)}`);
      if (size === 0) {
        await this.#through("\r\n");
        return;
      }
      yield await this.exactly(size);
      await this.#through("\r\n");
    }
  }

  async exactly(size: number): Promise<Buffer> {
    await this.#more(`${size} bytes`, () => this.#unread().length >= size);
    return this.#cut(size);
  }

  /** Everything until the server closes its side. */
  async rest(): Promise<Buffer> {
    await this.#more("the server to close", () => this.#ended, true);
    return this.#cut(this.#unread().length);
  }

  /** The bytes received, once there are any; null at the end. */
  async some(): Promise<Buffer | null> {
    await this.#more("anything", () => this.#unread().length > 0 || this.#ended, true);
    return this.#unread().length > 0 ? this.#cut(this.#unread().length) : null;
  }

  /** Reads until the received bytes contain `text`. Returns everything read so far. */
  async untilText(text: string): Promise<Buffer> {
    await this.#more(JSON.stringify(text), () => this.#unread().includes(text));
    return this.#cut(this.#unread().length);
  }

  /** Whether the server closes its side within `ms`; received bytes are not read. */
  async closedWithin(ms: number): Promise<boolean> {
    const deadline = Date.now() + ms;
    while (!this.#ended && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
    return this.#ended;
  }

  async #through(mark: string): Promise<Buffer> {
    await this.#more(JSON.stringify(mark), () => this.#unread().includes(mark));
    return this.#cut(this.#unread().indexOf(mark) + mark.length);
  }

  async #more(what: string, enough: () => boolean, endIsFine = false): Promise<void> {
    const deadline = Date.now() + this.#timeoutMs;
    while (!enough()) {
      if (this.#ended) {
        if (endIsFine && this.#error === null) return;
        const got = JSON.stringify(this.#unread().toString("latin1").slice(0, 300));
        throw new Error(`the server closed before ${what}: ${this.#error?.message ?? "end"}; got ${got}`);
      }
      const left = deadline - Date.now();
      if (left <= 0) {
        const got = JSON.stringify(this.#unread().toString("latin1").slice(-300));
        throw new Error(`waited ${this.#timeoutMs} ms in vain for ${what}; got ${got}`);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** Received bytes that were not read; joined only on use. */
  #unread(): Buffer {
    if (this.#arrived.length > 0) {
      this.#pending = Buffer.concat([this.#pending, ...this.#arrived]);
      this.#arrived = [];
    }
    return this.#pending;
  }

  #cut(size: number): Buffer {
    const bytes = this.#unread().subarray(0, size);
    this.#pending = this.#pending.subarray(size);
    return bytes;
  }

  #take(bytes: Buffer): void {
    this.#arrived.push(bytes);
    this.#wake?.();
  }

  #finish(error: Error | null): void {
    this.#error ??= error;
    this.#ended = true;
    this.#wake?.();
  }
}

/** The bytes of a request: one Host, the body's length, and the given headers. */
export function encodeRequest(request: RawRequest): Buffer {
  const { bytes, type } = encodeBody(request.body);
  const headers: Record<string, string> = { Host: "docker", ...request.headers };
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  if (type !== null && !names.has("content-type")) headers["Content-Type"] = type;
  if (request.body !== undefined && !names.has("content-length") && !names.has("transfer-encoding")) {
    headers["Content-Length"] = String(bytes.length);
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`${request.method ?? "GET"} ${request.target} HTTP/1.1\r\n${lines.join("")}\r\n`),
    bytes,
  ]);
}

function encodeBody(body: unknown): { bytes: Buffer; type: string | null } {
  if (body === undefined) return { bytes: Buffer.alloc(0), type: null };
  if (body instanceof Uint8Array) return { bytes: Buffer.from(body), type: null };
  if (typeof body === "string") return { bytes: Buffer.from(body), type: null };
  return { bytes: Buffer.from(JSON.stringify(body)), type: "application/json" };
}

function parseHead(text: string): RawHead {
  const [first = "", ...lines] = text.trimEnd().split("\r\n");
  const status = /^(HTTP\/1\.[01]) (\d{3}) ?(.*)$/.exec(first);
  if (status === null) throw new Error(`not a status line: ${JSON.stringify(first)}`);
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  return {
    version: status[1] ?? "",
    status: Number(status[2]),
    reason: status[3] ?? "",
    headers,
    header: (name) => headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1] ?? null,
  };
}
