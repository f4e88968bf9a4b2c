// Gets the text of a daemon's trace from the daemon if it runs, or from its files.

import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { simulatedTraceDirectory } from "../config/config.js";
import type { DaemonConfig } from "../config/config.js";
import { TRACE_PATH } from "./request.js";
import { traceText } from "./segment-reading.js";
import { TraceDirectory } from "./trace-directory.js";

/** Throws with a message for the user. `isDead`: does not ask the daemon. */
export async function traceOf(config: DaemonConfig, isDead: boolean): Promise<AsyncIterable<Uint8Array>> {
  const answer = isDead ? null : await asked(config.listeners[0]!.path);
  if (answer !== null) return answer;
  const socket = config.listeners[0]!.path;
  const places = [
    ...(isDead ? [] : [simulatedTraceDirectory(socket)]),
    ...(config.trace ? [config.trace.directory] : []),
  ];
  for (const place of places) {
    const files = new TraceDirectory(place).segments();
    if (files.length > 0) return traceText(files, false);
  }
  const why = isDead ? "" : `no daemon answers at unix://${socket}, and `;
  throw new Error(`${why}there is no trace in ${places.join(" or ")}`);
}

/** Null if no daemon answers. */
async function asked(socketPath: string): Promise<AsyncIterable<Uint8Array> | null> {
  const response = await new Promise<IncomingMessage | null>((resolve, reject) => {
    const sent = request({ socketPath, path: TRACE_PATH }, resolve);
    sent.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ECONNREFUSED") resolve(null);
      else reject(new Error(`unix://${socketPath}: ${error.message}`));
    });
    sent.end();
  });
  if (response === null || response.statusCode === 200) return response;
  response.resume();
  if (response.statusCode === 404) throw new Error(`the daemon at unix://${socketPath} records no trace`);
  if (response.statusCode === 403) {
    throw new Error(`the daemon at unix://${socketPath} gives its trace only to root and to its own user`);
  }
  throw new Error(`the daemon at unix://${socketPath} answered ${response.statusCode} ${response.statusMessage ?? ""}`);
}
