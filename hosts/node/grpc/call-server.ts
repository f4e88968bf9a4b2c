// Calls of a client on a connection of its own. Each becomes a request to the core, as if it had come by HTTP.

import { constants, performServerHandshake } from "node:http2";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { Duplex } from "node:stream";
import { METHODS, TooLarge, TooManyValues, decode, withoutSecrets } from "../../buildkit/index.js";
import type { Fields, Method } from "../../buildkit/index.js";
import { CallChannel } from "./call-channel.js";
import type { engine } from "../../shared/index.js";
import { INTERNAL, MOST_HEADERS, Unreadable, limitsOf, messagesIn } from "./messages.js";
import type { Limits } from "./messages.js";

/** A call as the core gets it: its path, its message in JSON, and its header lines. */
export interface GrpcCall {
  path: string;
  headers: string;
  body: engine.Body;
  channel: CallChannel;
}

export interface CallServer {
  take: (call: GrpcCall) => void;
  /** Called once, when the connection is over. */
  gone: () => void;
  /** Bytes of a message that the core gets, at most. Of a larger one it only learns that it came. */
  bodyLimit: number;
}

/** Serves calls until the connection is over. */
export function serveCalls(connection: Duplex, { take, gone, bodyLimit }: CallServer): void {
  const session = performServerHandshake(connection, {
    settings: { maxConcurrentStreams: MOST_CALLS },
    maxSendHeaderBlockLength: MOST_HEADERS,
    maxSessionMemory: MOST_MEGABYTES,
  });
  const limits = limitsOf(bodyLimit);
  session.on("error", () => {});
  const open = new Set<CallChannel>();
  session.once("close", () => {
    for (const channel of open) channel.lost();
    gone();
  });
  const arrive = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, raw: string[]): void => {
    stream.on("error", () => {});
    void receive({ stream, headers, raw, limits }, (call) => {
      open.add(call.channel);
      stream.once("close", () => open.delete(call.channel));
      take(call);
    });
  };
  session.on("stream", arrive);
}

const MOST_CALLS = 1000;
/** Above this Node refuses calls. It counts unread answers, which have a limit that the client learns of: `Limits`. */
const MOST_MEGABYTES = 256;

interface Arriving {
  stream: ServerHttp2Stream;
  headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came: a name may come several times. */
  raw: readonly string[];
  limits: Limits;
}

async function receive({ stream, headers, raw, limits }: Arriving, take: (call: GrpcCall) => void): Promise<void> {
  if (!isGrpc(headers)) return stream.respond({ ":status": NOT_GRPC }, { endStream: true });
  const path = String(headers[constants.HTTP2_HEADER_PATH]);
  const method = METHODS.get(path);
  const channel = new CallChannel(stream, method ?? null, limits);
  if (method?.carries) return take({ path, headers: linesOf(raw), body: { tag: "none" }, channel });
  try {
    const body = await bodyOf(stream, method, limits);
    take({ path, headers: linesOf(raw), body, channel });
  } catch (error) {
    channel.fail(error instanceof Unreadable ? error.code : INTERNAL);
  }
  // A stream is only closed once all of it has been read.
  stream.resume();
}

/** What a server of gRPC answers to other requests (grpc, PROTOCOL-HTTP2.md). */
const NOT_GRPC = 415;

function isGrpc(headers: IncomingHttpHeaders): boolean {
  return headers["content-type"]?.startsWith("application/grpc") ?? false;
}

async function bodyOf(stream: ServerHttp2Stream, method: Method | undefined, limits: Limits): Promise<engine.Body> {
  try {
    const message = method === undefined ? {} : await messageOf(stream, method, limits);
    const val = new TextEncoder().encode(JSON.stringify(withoutSecrets(message)));
    return val.length > limits.largest ? { tag: "oversized" } : { tag: "whole", val };
  } catch (error) {
    if (error instanceof TooLarge || error instanceof TooManyValues) return { tag: "oversized" };
    throw error;
  }
}

async function messageOf(stream: ServerHttp2Stream, { request }: Method, limits: Limits): Promise<Fields> {
  const bytes = stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  for await (const message of messagesIn(bytes, limits)) return decode(request, message);
  throw new Unreadable(INTERNAL, "the call has no message");
}

/** What the client adds to a call (`buildkit-controlapi-buildid`). HTTP/2's own fields are left out. */
function linesOf(raw: readonly string[]): string {
  const lines: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name, value] = [raw[at]!, raw[at + 1]!];
    if (!name.startsWith(":") && name !== "content-type") lines.push(`${name}: ${value.replaceAll(/[\r\n]/g, " ")}`);
  }
  return [...lines, "Content-Type: application/json"].join("\n");
}
