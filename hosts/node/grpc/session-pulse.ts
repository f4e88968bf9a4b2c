// Whether the client of a session still answers calls (grpc/grpc, doc/health-checking.md). A docker CLI whose build was
// refused may stop its server while the session is being connected. Then it waits for the engine to end the connection, and
// each of its answers ends without a status.

import type { ClientHttp2Session } from "node:http2";
import { CALL, framed } from "./messages.js";

const PATH = "/grpc.health.v1.Health/Check";
const MILLISECOND = 1e6;

/** Ends the connection of a client that has stopped; asks it every `pulse` nanoseconds. Any status is an answer. */
export function endOnceStopped(session: ClientHttp2Session, pulse: bigint): void {
  let isAsking = false;
  const timer = setInterval(
    () => {
      if (isAsking || session.closed || session.destroyed) return;
      isAsking = true;
      ask(session, () => (isAsking = false));
    },
    Number(pulse) / MILLISECOND,
  );
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
