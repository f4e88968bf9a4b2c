// A registry that takes what is pushed to it, and fails at any point of a push: it is busy, broken or gone, forgets what
// it has got, wants parts, or claims to have got another part than it has (OCI distribution spec, "Pushing blobs").

import { json, refusal, type Answer } from "../../../hosts/simulated/registry/answer.js";
import { Catalogue, type Repository } from "../../../hosts/simulated/registry/catalogue.js";
import { Pushed } from "../../../hosts/simulated/registry/pushed.js";
import { changed } from "../../../hosts/simulated/registry/uploads.js";
import type { Transport, TransportRequest, TransportResponse } from "../../../hosts/registry/transport.js";
import { joined } from "../../../hosts/shared/bytes.js";
import { Draw } from "../random.js";

export const TAKER = "taker.example";

/** In most stories it does nothing wrong, or nearly always something. */
const WRONG_ONCE_IN = [1_000_000, 12, 5, 2];
const WRONGS = ["busy", "broken", "away", "cut", "forgets", "parts", "refuses", "range", "digest"] as const;
type Wrong = (typeof WRONGS)[number];

export class Taker {
  /** It does nothing wrong, so that all pushes come to an end: their pauses grow to minutes. */
  isWell = false;
  readonly #pushed = new Pushed(new Catalogue([]));
  readonly #draw: Draw;
  readonly #onceIn: number;

  constructor(seed: number) {
    this.#draw = new Draw(seed, "taker");
    this.#onceIn = this.#draw.one(WRONG_ONCE_IN);
  }

  /** What it has of a repository. */
  repository(path: string): Repository | undefined {
    return this.#pushed.repository(TAKER, path);
  }

  readonly transport: Transport = async (request) => {
    const body = await bytesOf(request.body);
    const wrong = !this.isWell && this.#draw.onceIn(this.#onceIn) ? this.#draw.one(WRONGS) : null;
    // The request may have come in whole before the connection breaks, or one half of a blob.
    if (wrong === "away") throw reset();
    if (wrong === "cut" && this.#draw.onceIn(2)) {
      if (request.method === "PATCH") this.#answer(request, body.subarray(0, body.length >> 1));
      throw reset();
    }
    const answer = this.#failing(request, wrong) ?? this.#answer(request, body);
    if (wrong === "cut") throw reset();
    return response(wrong === null ? answer : spoilt(answer, wrong, request));
  };

  /** The answer in place of the true one, if this request can fail that way. */
  #failing({ method }: TransportRequest, wrong: Wrong | null): Answer | null {
    const after = { "retry-after": "1" };
    if (wrong === "busy") return refusal(429, "TOOMANYREQUESTS", "slow down", after);
    if (wrong === "broken") return refusal(this.#draw.one([500, 502, 503, 504]), "UNKNOWN", "it broke");
    const isUpload = method === "PATCH" || method === "PUT";
    if (wrong === "forgets" && isUpload) return refusal(404, "BLOB_UPLOAD_UNKNOWN", "blob upload unknown to registry");
    if (wrong === "refuses" && method === "PATCH") return refusal(this.#draw.one([411, 416]), "UNSUPPORTED", "not so");
    if (wrong === "digest" && method === "PUT") return refusal(400, "DIGEST_INVALID", "provided digest did not match");
    return null;
  }

  #answer({ method, url, headers }: TransportRequest, body: Uint8Array): Answer {
    const { pathname, searchParams: query } = new URL(url);
    if (pathname === "/v2/") return json(200, {});
    const [, path = "", kind = "", name = ""] = UPLOAD.exec(pathname) ?? ROUTE.exec(pathname) ?? [];
    if (kind === "uploads" || (method !== "GET" && method !== "HEAD")) {
      const [mediaType, range] = [headers["content-type"] ?? "", headers["content-range"]];
      return changed(this.#pushed, { method, host: TAKER, path, kind, name, query, mediaType, range, body });
    }
    const repository = this.repository(path);
    const found = kind === "blobs" ? repository?.blob(name) : repository?.manifest(name)?.bytes;
    if (found === undefined) return refusal(404, "NAME_UNKNOWN", "not known to registry");
    return { status: 200, headers: {}, bytes: method === "HEAD" ? new Uint8Array() : found };
  }
}

/** An answer with something wrong in its headers: what it has got, or how it wants the rest. */
function spoilt(answer: Answer, wrong: Wrong, { method }: TransportRequest): Answer {
  const { headers } = answer;
  if (wrong === "range" && method !== "HEAD") return { ...answer, headers: { ...headers, range: "0-99999999" } };
  if (wrong === "parts") return { ...answer, headers: { ...headers, "oci-chunk-min-length": "1000" } };
  return answer;
}

function response({ status, headers, bytes }: Answer): TransportResponse {
  return { status, header: (name) => headers[name] ?? null, body: whole(bytes), cancel: () => {} };
}

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function bytesOf(body: TransportRequest["body"]): Promise<Uint8Array> {
  if (body === undefined) return new Uint8Array();
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(new Uint8Array(piece));
  return joined(pieces);
}

function reset(): Error {
  return Object.assign(new Error(`connection to ${TAKER} was reset`), { code: "ECONNRESET" });
}

const UPLOAD = /^\/v2\/(.+)\/blobs\/(uploads)\/([^/]*)$/;
const ROUTE = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/;
