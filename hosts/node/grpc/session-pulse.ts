// Whether the client of a session still answers calls (grpc/grpc, doc/health-checking.md). A docker CLI whose build was
// refused may stop its server while the session is being connected. Then it waits for the engine to end the connection, and
// each of its answers ends without a status.

import type { ClientHttp2Session } from "node:http2";
import { CALL, framed } from "./messages.js";

const PATH = "/grpc.health.v1.Health/Check";
/** As often as the BuildKit of Docker 20.10 asks. Such a docker CLI waits for it. */
const EVERY = 1_000;

/** Ends the connection of a client that has stopped. A slow client is none, and any status is an answer. */
export function endOnceStopped(session: ClientHttp2Session, every = EVERY): void {
  let isAsking = false;
  const timer = setInterval(() => {
    if (isAsking || session.closed || session.destroyed) return;
    isAsking = true;
    ask(session, () => (isAsking = false));
  }, every);
  timer.unref();
  session.once("close", () => clearInterval(timer));
}

function ask(session: ClientHttp2Session, answered: () => void): void {
  const stream = session.request({ ...CALL, ":path": PATH });
  let hasStatus = false;
  const look = (headers: Record<string, unknown>): void => {
    hasStatus ||= headers["grpc-status"] !== undefined;
  };
  stream.on("error", () => {});
  stream.on("response", look).on("trailers", look).resume();
  // Also if the client breaks the call off, which then has no end.
  stream.once("close", () => {
    if (hasStatus) answered();
    else session.destroy();
  });
  stream.end(framed(new Uint8Array()));
}
