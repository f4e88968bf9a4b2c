// The request that a daemon answers with its trace.

import type { RequestHead } from "../request-head.js";

export const TRACE_PATH = "/coracle/trace";

export function isTraceRequest({ method, target }: RequestHead): boolean {
  return method === "GET" && target === TRACE_PATH;
}
