// A registry scripted by the test, which records its requests.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { content, types } from "../../hosts/shared/host.js";
import { INSECURE } from "../support/registry/security.js";

export interface Asked {
  method: string;
  /** Path and query. */
  target: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Answer = (asked: Asked, response: ServerResponse) => void;

export interface Fake {
  authority: string;
  url: string;
  asked: Asked[];
  close(): Promise<void>;
}

/** Listens on loopback; `answer` gets every request with its body. */
export async function startFake(answer: Answer): Promise<Fake> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void readRequest(request).then((one) => {
      asked.push(one);
      answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const authority = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    authority,
    url: `http://${authority}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** A registry's error body. */
export function errors(code: string, message: string): unknown {
  return { errors: [{ code, message, detail: {} }] };
}

export function repository(fake: { authority: string }, credentials?: Partial<types.Credentials>): content.ListTags {
  const from = {
    endpoint: { authority: fake.authority, security: INSECURE },
    repository: "some/thing",
    limit: 4 << 20,
  };
  return credentials ? { ...from, credentials: { ...NOBODY, ...credentials } } : from;
}

/** All bytes of an async source. */
export async function readAll(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
}

export const NOBODY: types.Credentials = { username: "", password: "", identityToken: "", registryToken: "", meta: "" };

async function readRequest(request: IncomingMessage): Promise<Asked> {
  const url = new URL(request.url ?? "/", "http://fake");
  const body = (await readAll(request)).toString();
  const { method = "", headers } = request;
  return { method, target: request.url ?? "", path: url.pathname, query: url.searchParams, headers, body };
}
