// The request that a daemon answers with its trace, and who may send it: the trace contains all containers'
// environments.

import type { engine } from "../../shared/index.js";
import { isDryRun } from "../../dry-run/index.js";
import type { OwnReply } from "../http/own-reply.js";
import type { RequestHead } from "../http/request-head.js";
import type { Origin } from "../http/server.js";
import type { FlightRecorder } from "./flight-recorder.js";

export const TRACE_PATH = "/coracle/trace";

export interface TraceReplyOptions {
  recorder: Pick<FlightRecorder, "text"> | null;
  /** Whether the client's process is known. If not, every client of the socket gets the trace. */
  knowsPeers: boolean;
}

/** Null for a request to the core. */
export function traceReply(
  { method, target }: Pick<RequestHead, "method" | "target">,
  from: Origin,
  { recorder, knowsPeers }: TraceReplyOptions,
): OwnReply | null {
  if (method !== "GET" || target !== TRACE_PATH || recorder === null) return null;
  if (isDryRun(from.listener)) return refusal("a socket for dry runs does not offer the trace");
  if (knowsPeers && !isTrusted(from.peer)) return refusal("only root and the daemon's own user may read the trace");
  return recorder.text();
}

/** Users who could read the files as well. */
function isTrusted(peer: engine.Peer | undefined): boolean {
  return peer !== undefined && (peer.uid === 0 || peer.uid === process.geteuid?.());
}

function refusal(message: string): OwnReply {
  const body = Buffer.from(`${JSON.stringify({ message })}\n`);
  return { head: { status: 403, headers: "Content-Type: application/json" }, body };
}
