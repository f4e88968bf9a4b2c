// Calls of a client on a connection of its own. Each becomes a request to the core, as if it had come by HTTP.

import { constants, performServerHandshake } from "node:http2";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { Duplex } from "node:stream";
import { METHODS, decode } from "../../buildkit/index.js";
import type { Method } from "../../buildkit/index.js";
import { CallChannel } from "./call-channel.js";
import { messagesIn } from "./messages.js";

/** A call as the core gets it: its path, its message in JSON, and its header lines. */
export interface GrpcCall {
  path: string;
  headers: string;
  body: Uint8Array;
  channel: CallChannel;
}

/** Serves calls until the connection is over. `gone` is called once, then. */
export function serveCalls(connection: Duplex, take: (call: GrpcCall) => void, gone: () => void): void {
  const session = performServerHandshake(connection, { settings: { maxConcurrentStreams: MOST_CALLS } });
  session.on("error", () => {});
  const open = new Set<CallChannel>();
  session.once("close", () => {
    for (const channel of open) channel.lost();
    gone();
  });
  session.on("stream", (stream, headers) => {
    stream.on("error", () => {});
    void receive(stream, headers, (call) => {
      open.add(call.channel);
      stream.once("close", () => open.delete(call.channel));
      take(call);
    });
  });
}

const MOST_CALLS = 1000;

async function receive(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  take: (call: GrpcCall) => void,
): Promise<void> {
  const path = String(headers[constants.HTTP2_HEADER_PATH]);
  const method = METHODS.get(path);
  const channel = new CallChannel(stream, method ?? null);
  try {
    const body = method === undefined ? {} : await messageOf(stream, method);
    // A stream is only closed once all of it has been read.
    stream.resume();
    const bytes = new TextEncoder().encode(JSON.stringify(body));
    take({ path, headers: linesOf(headers), body: bytes, channel });
  } catch {
    stream.close(constants.NGHTTP2_PROTOCOL_ERROR);
  }
}

async function messageOf(stream: ServerHttp2Stream, { request }: Method): Promise<unknown> {
  for await (const message of messagesIn(stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>)) {
    return decode(request, message);
  }
  throw new Error("the call has no message");
}

/** What the client adds to a call (`buildkit-controlapi-buildid`). HTTP/2's own fields are left out. */
function linesOf(headers: IncomingHttpHeaders): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith(":") || value === undefined ? [] : [`${name}: ${String(value).replaceAll(/[\r\n]/g, " ")}`],
  );
  return [...lines.filter((line) => !line.startsWith("content-type:")), "Content-Type: application/json"].join("\n");
}
