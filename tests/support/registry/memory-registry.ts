// A registry in the test's process, on the test's side of the veth. It counts requests and can misbehave. Engines need
// `--insecure-registry 10.213.0.0/16` for it.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { digestOf, type Blob, type PackedImage } from "./push-image.js";

export type Fault = (request: IncomingMessage, response: ServerResponse, bytes: Buffer | null) => boolean;

export interface MemoryRegistry {
  /** `ADDRESS:PORT`, as the engine names it. */
  readonly host: string;
  /** `METHOD path` of every request, in order. */
  readonly asked: string[];
  put(repository: string, tags: readonly string[], image: PackedImage): void;
  putManifest(repository: string, reference: string, manifest: Blob): void;
  putBlob(repository: string, digest: string, bytes: Buffer): void;
  /**
   * Called first for every request, or for every request about that repository, for which no other fault then applies.
   * Returns true if it has answered. Null removes it.
   */
  fault(fault: Fault | null, repository?: string): void;
  close(): Promise<void>;
}

export async function startMemoryRegistry(address: string): Promise<MemoryRegistry> {
  const manifests = new Map<string, Blob>();
  const blobs = new Map<string, Buffer>();
  const asked: string[] = [];
  /** By repository. The fault of "" applies to all repositories without one. */
  const faults = new Map<string, Fault>();

  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://registry").pathname);
    asked.push(`${request.method} ${path}`);
    request.resume();
    const found = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(path);
    const key = found === null ? "" : `${found[1]} ${found[3]}`;
    const manifest = found?.[2] === "manifests" ? (manifests.get(key) ?? null) : null;
    const bytes = found?.[2] === "blobs" ? (blobs.get(key) ?? null) : (manifest?.bytes ?? null);
    const fault = faults.get(found?.[1] ?? "") ?? faults.get("");
    if (fault?.(request, response, bytes) === true) return;
    if (path === "/v2/" || path === "/v2") return void json(response, 200, {});
    if (bytes === null) return void json(response, 404, errorBody(found?.[2] ?? "", "unknown"));
    const type = manifest?.mediaType ?? "application/octet-stream";
    const headers = { "Content-Type": type, "Content-Length": bytes.length, "Docker-Content-Digest": digestOf(bytes) };
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    if (from > 0 && from < bytes.length) {
      const range = `bytes ${from}-${bytes.length - 1}/${bytes.length}`;
      response.writeHead(206, { ...headers, "Content-Length": bytes.length - from, "Content-Range": range });
      return void response.end(bytes.subarray(from));
    }
    response.writeHead(200, headers);
    response.end(request.method === "HEAD" ? undefined : bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));

  const putManifest = (repository: string, reference: string, manifest: Blob): void => {
    manifests.set(`${repository} ${reference}`, manifest);
    manifests.set(`${repository} ${digestOf(manifest.bytes)}`, manifest);
  };
  return {
    host: `${address}:${(server.address() as AddressInfo).port}`,
    asked,
    putManifest,
    putBlob: (repository, digest, bytes) => void blobs.set(`${repository} ${digest}`, bytes),
    put: (repository, tags, image) => {
      for (const blob of [image.config, ...image.layers])
        blobs.set(`${repository} ${digestOf(blob.bytes)}`, blob.bytes);
      for (const tag of [...tags, image.digest]) putManifest(repository, tag, image.manifest);
    },
    fault: (next, repository = "") => {
      if (next === null) faults.delete(repository);
      else faults.set(repository, next);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Sends a registry error. */
export function answerError(response: ServerResponse, status: number, code: string, message: string): true {
  return json(response, status, { errors: [{ code, message }] });
}

function errorBody(kind: string, message: string): unknown {
  const code = kind === "blobs" ? "BLOB_UNKNOWN" : "MANIFEST_UNKNOWN";
  return { errors: [{ code, message: `${kind === "blobs" ? "blob" : "manifest"} ${message}` }] };
}

function json(response: ServerResponse, status: number, body: unknown): true {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
  return true;
}
