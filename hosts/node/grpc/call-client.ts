// Calls on the client at the other end of a connection: a session. The engine is the client of gRPC there.

import { connect, constants } from "node:http2";
import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";
import type { Duplex } from "node:stream";
import {
  CallFailed,
  TooLarge,
  askedAgent,
  askedCredentials,
  askedSecret,
  deliver,
  giveBlobs,
  receivedFiles,
  storedBlob,
  storedDocument,
  uploadedArchive,
} from "../../buildkit/index.js";
import type { Caller, Conversation } from "../../buildkit/index.js";
import type { Session } from "../../request/index.js";
import { interrupted } from "../../shared/index.js";
import type { HostFailure } from "../../shared/index.js";
import { CALL, MOST_HEADERS, framed, limitsOf, messagesIn } from "./messages.js";
import { endOnceStopped } from "./session-pulse.js";

/** What its client gives. `pulse`: as in `replies.wit`. `gone` is called once, when the connection is over. */
export function sessionOn(connection: Duplex, pulse: bigint, gone: () => void): Session {
  const call = callerOn(connection, pulse, gone);
  return {
    files: ({ directory, includes, excludes, follows }, before, came) =>
      receivedFiles(call, { name: directory, include: includes, exclude: excludes, follow: follows }, before, came),
    upload: ({ path }) => uploadedArchive(call, path),
    credentials: ({ registry }, signal) => askedCredentials(call, registry, signal),
    secret: ({ id, limit }, signal) => askedSecret(call, { id, limit }, signal),
    deliver: (delivery, signal) => deliver(call, delivery, signal),
    agent: ({ id, message }, signal) => askedAgent(call, { id, message }, signal),
    document: (sought, signal) => storedDocument(call, sought, signal),
    blob: (blob) => storedBlob(call, blob),
    give: (store, blobs, signal) => giveBlobs(call, store, blobs, signal),
  };
}

function callerOn(connection: Duplex, pulse: bigint, gone: () => void): Caller {
  const session = connect("http://localhost", {
    createConnection: () => connection,
    settings: { initialWindowSize: WINDOW, enablePush: false },
    maxSendHeaderBlockLength: MOST_HEADERS,
  });
  session.once("connect", () => session.setLocalWindowSize(2 * WINDOW));
  session.on("error", () => {});
  session.once("close", gone);
  if (pulse > 0n) endOnceStopped(session, pulse);
  return (path, headers, largest) => conversationOn(begin(session, path, headers), largest);
}

/** Bytes of files that a client may send ahead: enough to keep it busy. */
const WINDOW = 1 << 20;

function begin(session: ClientHttp2Session, path: string, headers: Readonly<Record<string, readonly string[]>>) {
  if (session.closed || session.destroyed) throw interrupted("client-gone");
  const stream = session.request({ ...CALL, ":path": path, ...(headers as Record<string, string[]>) });
  stream.on("error", () => {});
  return stream;
}

function conversationOn(stream: ClientHttp2Stream, largest?: number): Conversation {
  let failed: HostFailure | null = null;
  const told = (headers: Record<string, unknown>): void => {
    const code = headers["grpc-status"];
    if (code === undefined || code === "0") return;
    failed = new CallFailed(Number(code), wordsOf(headers["grpc-message"]));
  };
  stream.on("response", told).on("trailers", told);
  const closed = new Promise<void>((resolve) => void stream.once("close", resolve));
  // A client that ends the call before the engine has said all breaks it off as well, and that may become known first.
  const lastWords = async (): Promise<void> => {
    if (failed === null && stream.aborted) await closed;
  };
  async function* messages(): AsyncGenerator<Uint8Array> {
    try {
      yield* messagesIn(stream, largest === undefined ? undefined : limitsOf(largest));
    } catch (error) {
      if (largest !== undefined && error instanceof TooLarge) throw error;
      await lastWords();
      throw failed ?? interrupted("client-gone");
    }
    await lastWords();
    if (failed !== null) throw failed;
    // A connection that breaks off ends its streams without trailers.
    if (stream.destroyed && stream.rstCode !== 0) throw interrupted("client-gone");
  }
  return {
    messages: messages(),
    send: (message) =>
      new Promise((resolve, reject) => {
        if (stream.destroyed || stream.writableEnded) return reject(failed ?? interrupted("client-gone"));
        stream.write(framed(message), (error) => (error ? reject(failed ?? interrupted("client-gone")) : resolve()));
      }),
    finish: () => void stream.end(),
    // As gRPC cancels (PROTOCOL-HTTP2.md). With no error, Node 20 can send empty frames for ever after the client's end.
    cancel: () => stream.close(constants.NGHTTP2_CANCEL),
  };
}

function wordsOf(message: unknown): string {
  try {
    return decodeURIComponent(String(message ?? ""));
  } catch {
    return String(message);
  }
}
