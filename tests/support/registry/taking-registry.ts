// A registry in memory that takes blobs and manifests, as a push sends them. A test may answer requests itself.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { digestOf } from "./push-image.js";

export interface TakingRegistry {
  /** `ADDRESS:PORT`. */
  readonly authority: string;
  readonly blobs: Map<string, Buffer>;
  /** By tag. */
  readonly manifests: Map<string, Buffer>;
  /** `METHOD TARGET AUTHORIZATION`, in order. */
  readonly asked: string[];
  /** True if it has answered. */
  answer: ((request: IncomingMessage, response: ServerResponse) => boolean) | null;
  /** Uploads that are not complete, by the last part of their path. */
  readonly parts: Map<string, Buffer>;
  close(): Promise<void>;
}

type Taking = Omit<TakingRegistry, "authority" | "close">;

export async function startTakingRegistry(address = "127.0.0.1"): Promise<TakingRegistry> {
  const parts = new Map<string, Buffer>();
  const registry: Taking = { blobs: new Map(), manifests: new Map(), asked: [], answer: null, parts };
  const server = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    registry.asked.push(`${method} ${url} ${headers.authorization ?? ""}`.trimEnd());
    if (registry.answer?.(request, response)) return;
    bodyOf(request).then(
      (body) => take(registry, parts, request, response, body),
      () => {}, // the client has gone
    );
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return Object.assign(registry, { authority: `${address}:${(server.address() as AddressInfo).port}`, close });
}

let uploads = 0;

function take(
  { blobs, manifests }: Taking,
  parts: Map<string, Buffer>,
  { method, url = "" }: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): void {
  const { pathname, searchParams } = new URL(url, "http://registry");
  const name = pathname.split("/").at(-1) ?? "";
  const reply = (status: number, headers = {}): void => void response.writeHead(status, headers).end();
  if (pathname === "/v2/") return reply(200);
  if (method === "HEAD") return reply(blobs.has(name) ? 200 : 404);
  if (method === "POST") return reply(202, { location: `${pathname}upload-${++uploads}?state=1` });
  if (method === "GET" && pathname.includes("/uploads/")) {
    const part = parts.get(name);
    return part ? reply(204, { range: `0-${part.length - 1}`, location: `${pathname}?state=2` }) : reply(404);
  }
  if (method === "PATCH") {
    parts.set(name, Buffer.concat([parts.get(name) ?? Buffer.alloc(0), body]));
    return reply(202, { location: `${pathname}?state=2` });
  }
  if (pathname.includes("/manifests/")) return reply(manifests.set(name, body) && 201);
  const whole = Buffer.concat([parts.get(name) ?? Buffer.alloc(0), body]);
  const digest = searchParams.get("digest") ?? "";
  if (digestOf(whole) !== digest) return reply(400);
  blobs.set(digest, whole);
  reply(201);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
