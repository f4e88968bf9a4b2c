// Sends requests to a registry with `node:http` over kept connections. It moves bytes with less work than `fetch`, and
// can use TLS with a registry whose certificate no authority has signed.

import * as http from "node:http";
import * as https from "node:https";
import { isStream, type Transport, type TransportRequest, type TransportResponse } from "../registry/index.js";

export function nodeTransport(): Transport {
  const options = { keepAlive: true, timeout: IDLE_MS };
  const agents = {
    plain: new http.Agent(options),
    tls: new https.Agent(options),
    anyCertificate: new https.Agent({ ...options, rejectUnauthorized: false }),
  };
  const transport: Transport = (request) =>
    new Promise((resolve, reject) => {
      const outgoing = send(request, agents);
      const { body } = request;
      const streamed = isStream(body);
      outgoing.on("response", (incoming) => {
        // An answer before the end of the body: the rest is not sent, and the connection cannot be kept.
        if (!outgoing.writableEnded) incoming.on("close", () => outgoing.destroy());
        resolve(answer(incoming));
      });
      outgoing.on("error", (error) => {
        // The server had closed the kept connection before it saw the request: that is not an answer.
        const unseen = outgoing.reusedSocket && (error as NodeJS.ErrnoException).code === "ECONNRESET";
        if (unseen && !streamed && !request.signal.aborted) resolve(transport(request));
        else reject(error);
      });
      if (streamed) void stream(body, outgoing, reject);
      else outgoing.end(body);
    });
  return transport;
}

/** Sends a body piece by piece, as the connection takes it, until the answer comes. */
async function stream(
  body: AsyncIterable<Uint8Array>,
  outgoing: http.ClientRequest,
  failed: (error: unknown) => void,
): Promise<void> {
  let isOver = false;
  for (const event of ["response", "close"]) outgoing.once(event, () => (isOver = true));
  try {
    for await (const piece of body) {
      if (isOver) return;
      if (!outgoing.write(piece)) await room(outgoing);
    }
    outgoing.end();
  } catch (error) {
    failed(error);
    outgoing.destroy();
  }
}

/** Resolves when more may be written, or nothing more has to be. */
function room(outgoing: http.ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const events = ["drain", "response", "close"];
    const done = (): void => {
      for (const event of events) outgoing.off(event, done);
      resolve();
    };
    for (const event of events) outgoing.on(event, done);
  });
}

interface Agents {
  plain: http.Agent;
  tls: https.Agent;
  anyCertificate: https.Agent;
}

function send({ method, url, headers, insecure, signal }: TransportRequest, agents: Agents): http.ClientRequest {
  const options = { method, headers, signal };
  if (url.startsWith("http:")) return http.request(url, { ...options, agent: agents.plain });
  return https.request(url, { ...options, agent: insecure ? agents.anyCertificate : agents.tls });
}

function answer(incoming: http.IncomingMessage): TransportResponse {
  return {
    status: incoming.statusCode ?? 0,
    header: (name) => {
      const value = incoming.headers[name];
      return Array.isArray(value) ? value.join(", ") : (value ?? null);
    },
    body: incoming,
    cancel: () => void incoming.on("error", () => {}).destroy(),
  };
}

/** How long an idle connection is kept, in milliseconds. */
const IDLE_MS = 15_000;
