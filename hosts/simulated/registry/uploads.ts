// The pushing part of the distribution protocol (OCI distribution spec, end-4a to end-7, end-11, end-13).

import { answer, refusal, type Answer } from "./answer.js";
import type { Pushed } from "./pushed.js";

/** A request that changes a repository, or asks for the state of an upload. */
export interface Change {
  method: string;
  host: string;
  path: string;
  /** `manifests`, or `uploads`. */
  kind: string;
  /** Tag or digest, or the name of an upload; empty for a new one. */
  name: string;
  query: URLSearchParams;
  mediaType: string;
  /** `Content-Range`, if there is one. */
  range?: string | undefined;
  body: Uint8Array;
}

export function changed(pushed: Pushed, change: Change): Answer {
  const { method, kind } = change;
  if (method === "PUT" && kind === "manifests") return putManifest(pushed, change);
  if (kind !== "uploads") return refusal(405, "UNSUPPORTED", "The operation is unsupported.");
  if (method === "POST") return opened(pushed, change);
  if (method === "GET") return begun(pushed, change);
  if (method === "PATCH") return appended(pushed, change);
  return method === "PUT" ? closed(pushed, change) : refusal(405, "UNSUPPORTED", "The operation is unsupported.");
}

function opened(pushed: Pushed, { host, path, query }: Change): Answer {
  const [digest, source] = [query.get("mount"), query.get("from")];
  if (digest !== null && source !== null && pushed.mount(host, path, digest, source)) return made(path, digest);
  return accepted(path, pushed.open(host, path));
}

/** How much of an upload has arrived. */
function begun(pushed: Pushed, { host, path, name }: Change): Answer {
  const size = pushed.sizeOf(host, path, name);
  return size === undefined ? unknown(name) : { ...accepted(path, name, size), status: 204 };
}

/** A part must begin where the upload has got to. */
function appended(pushed: Pushed, { host, path, name, range, body }: Change): Answer {
  const size = pushed.sizeOf(host, path, name) ?? 0;
  if (range !== undefined && !range.startsWith(`${size}-`)) return { ...accepted(path, name, size), status: 416 };
  return pushed.append(host, path, name, body) ? accepted(path, name, size + body.length) : unknown(name);
}

function closed(pushed: Pushed, { host, path, name, query, body }: Change): Answer {
  const digest = query.get("digest") ?? "";
  if (!pushed.append(host, path, name, body)) return unknown(name);
  if (pushed.close(name, digest)) return made(path, digest);
  return refusal(400, "DIGEST_INVALID", "provided digest did not match uploaded content", {}, digest);
}

/** A manifest may only name what the repository has. */
function putManifest(pushed: Pushed, { host, path, name, mediaType, body }: Change): Answer {
  const missing = namedIn(body).find((digest) => pushed.repository(host, path)?.blob(digest) === undefined);
  if (missing !== undefined) return refusal(400, "MANIFEST_BLOB_UNKNOWN", "blob unknown to registry", {}, missing);
  const digest = pushed.tag(host, path, name, body, mediaType);
  return answer(201, OCTETS, NOTHING, {
    ...{ location: `/v2/${path}/manifests/${digest}`, "docker-content-digest": digest },
  });
}

/** Digests of the config and the layers. */
function namedIn(manifest: Uint8Array): string[] {
  try {
    const { config, layers } = JSON.parse(new TextDecoder().decode(manifest)) as {
      config: { digest: string };
      layers: { digest: string }[];
    };
    return [config, ...layers].map(({ digest }) => digest);
  } catch {
    return ["no manifest"];
  }
}

/** `size`: how many bytes are there. The range is the same for none and for one. */
function accepted(path: string, name: string, size = 0): Answer {
  const place = `/v2/${path}/blobs/uploads/${name}`;
  const range = `0-${Math.max(0, size - 1)}`;
  return answer(202, OCTETS, NOTHING, { location: place, range, "docker-upload-uuid": name });
}

function made(path: string, digest: string): Answer {
  const headers = { location: `/v2/${path}/blobs/${digest}`, "docker-content-digest": digest };
  return answer(201, OCTETS, NOTHING, headers);
}

function unknown(name: string): Answer {
  return refusal(404, "BLOB_UPLOAD_UNKNOWN", "blob upload unknown to registry", {}, name);
}

const OCTETS = "application/octet-stream";
const NOTHING = new Uint8Array();
