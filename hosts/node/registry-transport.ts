// Sends requests to a registry with `node:http` over kept connections. It moves bytes with less work than `fetch`, and
// can use TLS with a registry whose certificate no authority has signed.

import * as http from "node:http";
import * as https from "node:https";
import type { Transport, TransportRequest, TransportResponse } from "../registry/index.js";

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
      outgoing.on("response", (incoming) => resolve(answer(incoming)));
      outgoing.on("error", (error) => {
        // The server had closed the kept connection before it saw the request: that is not an answer.
        const unseen = outgoing.reusedSocket && (error as NodeJS.ErrnoException).code === "ECONNRESET";
        if (unseen && !request.signal.aborted) resolve(transport(request));
        else reject(error);
      });
      outgoing.end(request.body);
    });
  return transport;
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
