// Sends a request in its wire form, and returns the result.
import { RawConnection, type RawHead } from "../raw-http.js";
import type { FuzzRequest } from "./requests.js";

export interface Outcome {
  readonly status: number;
  readonly head: RawHead;
  /** The text received within a short time; the rest of a stream is not read. */
  readonly text: string;
  readonly whole: boolean;
}

/** Answers to these requests may take any time. */
const MAY_WAIT = /\/(wait|stop|restart|exec\/[^/]+\/resize)(\?|$)/;
/**
 * The engine waits only so long for a client that has closed its side, and the machine's resolver may take seconds to say
 * that there is no such registry.
 */
const ASKS_OTHERS = /\/(auth|build|distribution\/.*|images\/(create|search|.*\/push))(\?|$|\/json)/;
const WAITING_MS = 150;
/** Time limit for other answers on a busy machine. */
const ANSWER_MS = 60_000;
/** How long a stream is read. */
const STREAM_MS = 60;

/** Bytes that break HTTP may be answered in plain text, or by closing the connection: null. */
export function breaksHttp({ wire, body }: FuzzRequest): boolean {
  return (
    wire === "twice-framed" || (body !== null && (wire === "cut-off" || wire === "too-long" || wire === "bad-chunks"))
  );
}

/** Null if there is no answer and none is required. Throws if an answer is missing. */
export async function send(socketPath: string, request: FuzzRequest): Promise<Outcome | null> {
  const asksOthers = request.wire === "cut-off" && ASKS_OTHERS.test(request.target);
  const free = breaksHttp(request) || asksOthers || MAY_WAIT.test(request.target);
  const connection = await RawConnection.open(socketPath, free ? WAITING_MS : ANSWER_MS);
  try {
    for (const piece of piecesOf(request)) {
      connection.send(piece);
      if (request.wire === "pieces") await new Promise((resolve) => setImmediate(resolve));
    }
    if (request.wire === "cut-off") connection.end();
    const head = await connection.head().catch((error: Error) => {
      if (free) return null;
      throw error;
    });
    return head === null ? null : await read(connection, head, request.method);
  } finally {
    connection.close();
  }
}

async function read(connection: RawConnection, head: RawHead, method: string): Promise<Outcome> {
  if (head.status === 101) connection.send("x");
  const late = new Promise<null>((resolve) =>
    setTimeout(() => resolve(null), head.status < 400 ? STREAM_MS : ANSWER_MS),
  );
  const reading = connection.body(head, method).catch(() => null);
  const body = await Promise.race([reading, late]);
  return { status: head.status, head, text: body?.toString() ?? "", whole: body !== null };
}

function piecesOf(request: FuzzRequest): Buffer[] {
  const body = Buffer.from(request.body ?? "");
  const head = `${request.method} ${request.target} HTTP/1.1\r\nHost: docker\r\n${headerLines(request)}`;
  const bytes = Buffer.concat([Buffer.from(`${head}${framingOf(request, body.length)}\r\n`), bodyBytes(request, body)]);
  if (request.wire !== "pieces") return [bytes];
  const size = Math.max(7, Math.ceil(bytes.length / 40));
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

function headerLines({ headers }: FuzzRequest): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
}

function framingOf({ wire, body }: FuzzRequest, length: number): string {
  if (wire === "twice-framed") return "Content-Length: 3\r\nContent-Length: 4\r\n";
  if (body === null) return "";
  if (wire === "chunked" || wire === "bad-chunks") return "Transfer-Encoding: chunked\r\n";
  return `Content-Length: ${wire === "cut-off" ? length + 10 : length}\r\n`;
}

function bodyBytes({ wire, body }: FuzzRequest, bytes: Buffer): Buffer {
  if (body === null) return Buffer.alloc(0);
  if (wire === "too-long") return Buffer.concat([bytes, Buffer.from("\0more than was said\r\n\r\n")]);
  if (wire === "bad-chunks") return Buffer.concat([Buffer.from("zz\r\n"), bytes, Buffer.from("\r\n-1\r\n\r\n")]);
  if (wire !== "chunked") return bytes;
  const half = Math.ceil(bytes.length / 2);
  return Buffer.concat([chunk(bytes.subarray(0, half)), chunk(bytes.subarray(half)), Buffer.from("0\r\n\r\n")]);
}

function chunk(bytes: Buffer): Buffer {
  if (bytes.length === 0) return bytes;
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}
