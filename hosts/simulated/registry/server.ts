// Simulated registries: the distribution protocol, as far as pull and push need it (OCI distribution spec).

import type { TransportRequest } from "../../registry/index.js";
import { answer, json, refusal, type Answer } from "./answer.js";
import type { Catalogue, Repository } from "./catalogue.js";
import { ACCOUNT, HUB, PRIVATE } from "./images.js";
import { MANIFEST_LIST } from "./packing.js";
import { Pushed } from "./pushed.js";
import { basic, SERVICE, TOKEN_HOST, TokenServer } from "./tokens.js";
import { changed } from "./uploads.js";

export class RegistryServer {
  readonly #catalogue: Catalogue;
  readonly #pushed: Pushed;
  readonly #tokens: TokenServer;

  /** `seconds` returns the time of day. */
  constructor(catalogue: Catalogue, seconds: () => number) {
    this.#catalogue = catalogue;
    this.#pushed = new Pushed(catalogue);
    this.#tokens = new TokenServer(ACCOUNT, seconds);
  }

  /** Whether such a host exists. */
  has(host: string): boolean {
    return host === INDEX || host === HUB || host === TOKEN_HOST || host === PRIVATE;
  }

  /** `body`: the request's, whole. */
  answer(request: TransportRequest, body: Uint8Array): Answer {
    const { host, pathname } = new URL(request.url);
    if (host === INDEX) return pathname === "/v1/search" ? this.#found(new URL(request.url).searchParams) : notFound();
    if (host === TOKEN_HOST) return pathname === "/token" ? this.#tokens.answer(request) : notFound();
    const { status, headers, ...rest } = this.#registry(request, host, pathname, body);
    return { status, headers: { "docker-distribution-api-version": "registry/2.0", ...headers }, ...rest };
  }

  /** 401 with the challenge for the credentials that the registry wants. */
  challenge(host: string, path: string | null, wasShown: boolean, action = "pull"): Answer {
    if (host === PRIVATE) {
      return refusal(401, "UNAUTHORIZED", "authentication required", {
        "www-authenticate": `Basic realm="${PRIVATE}"`,
      });
    }
    const scope = path === null ? "" : `,scope="${scopeOf(path, action)}"`;
    const error = wasShown && path !== null ? ',error="insufficient_scope"' : "";
    const bearer = `Bearer realm="https://${TOKEN_HOST}/token",service="${SERVICE}"${scope}${error}`;
    const detail = path === null ? null : [{ Type: "repository", Class: "", Name: path, Action: action }];
    return refusal(401, "UNAUTHORIZED", "authentication required", { "www-authenticate": bearer }, detail);
  }

  #registry(request: TransportRequest, host: string, pathname: string, body: Uint8Array): Answer {
    const { method, url, headers } = request;
    const { authorization } = headers;
    const wasShown = authorization !== undefined;
    const [, path = "", kind = "", reference = ""] = UPLOAD.exec(pathname) ?? ROUTE.exec(pathname) ?? [];
    const repository = this.#pushed.repository(host, path);
    if (pathname === "/v2/") {
      return this.#isKnown(host, authorization, "") ? json(200, {}) : this.challenge(host, null, wasShown);
    }
    if (path === "") return notFound();
    const isChange = kind === "uploads" || (method !== "GET" && method !== "HEAD");
    const action = isChange ? "push" : "pull";
    // On the Hub a missing repository and a private one look the same.
    const isKnown = this.#isKnown(host, authorization, scopeOf(path, action));
    const mayAsk = isChange || repository !== undefined || host !== HUB || this.#mayPush(host, authorization, path);
    if (!isKnown || !mayAsk) return this.challenge(host, path, wasShown, action);
    const query = new URL(url).searchParams;
    if (isChange) {
      const mediaType = headers["content-type"] ?? "";
      const range = headers["content-range"];
      return changed(this.#pushed, { method, host, path, kind, name: reference, query, mediaType, range, body });
    }
    if (!repository) return refusal(404, "NAME_UNKNOWN", "repository name not known to registry", {}, { name: path });
    if (kind === "tags") return tagsOf(path, repository, query);
    const found =
      kind === "manifests"
        ? manifestOf(repository, reference, headers["accept"] ?? "")
        : blobOf(repository, reference, headers["range"]);
    return method === "HEAD" ? { ...found, bytes: new Uint8Array(), isBlob: false } : found;
  }

  /** The Hub's repositories whose name contains the term, in the order of their names. */
  #found(query: URLSearchParams): Answer {
    const names = this.#catalogue.open(HUB).map((path) => path.replace(/^library\//, ""));
    const found = names.filter((name) => name.includes(query.get("q") ?? ""));
    const results = found.slice(0, Number(query.get("n") ?? found.length)).map((name) => ({
      name,
      description: "",
      star_count: 0,
      is_official: !name.includes("/"),
      is_automated: false,
    }));
    return json(200, { query: query.get("q"), num_results: results.length, results });
  }

  #mayPush(host: string, authorization: string | undefined, path: string): boolean {
    return this.#isKnown(host, authorization, scopeOf(path, "push"));
  }

  #isKnown(host: string, authorization: string | undefined, scope: string): boolean {
    return host === PRIVATE ? authorization === basic(ACCOUNT) : this.#tokens.allows(authorization, scope);
  }
}

function manifestOf(repository: Repository, reference: string, accept: string): Answer {
  const takesList = accept === "" || accept.includes(MANIFEST_LIST) || accept.includes("*/*");
  const found = repository.manifest(reference, !takesList);
  if (!found) return refusal(404, "MANIFEST_UNKNOWN", "manifest unknown", {}, { Tag: reference });
  return answer(200, found.mediaType, found.bytes, { "docker-content-digest": found.digest });
}

function blobOf(repository: Repository, digest: string, range: string | undefined): Answer {
  const bytes = repository.blob(digest);
  if (!bytes) return refusal(404, "BLOB_UNKNOWN", "blob unknown to registry", {}, digest);
  const headers = { "docker-content-digest": digest, "accept-ranges": "bytes" };
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range ?? "") ?? [];
  if (from === undefined) return { ...answer(200, OCTETS, bytes, headers), isBlob: true };
  const end = to ? Math.min(Number(to) + 1, bytes.length) : bytes.length;
  if (Number(from) >= end)
    return answer(416, OCTETS, bytes.subarray(0, 0), { "content-range": `bytes */${bytes.length}` });
  const part = { "content-range": `bytes ${from}-${end - 1}/${bytes.length}` };
  return { ...answer(206, OCTETS, bytes.subarray(Number(from), end), { ...headers, ...part }), isBlob: true };
}

/** Pages of `n` tags, from the one after `last`. */
function tagsOf(path: string, repository: Repository, query: URLSearchParams): Answer {
  const after = query.get("last") ?? "";
  const rest = repository.tags().filter((tag) => tag > after);
  const size = Number(query.get("n") ?? rest.length);
  const tags = rest.slice(0, size);
  const isLast = tags.length === rest.length || tags.length === 0;
  const link = `</v2/${path}/tags/list?n=${size}&last=${tags.at(-1)}>; rel="next"`;
  return json(200, { name: path, tags }, isLast ? {} : { link });
}

function scopeOf(path: string, action: string): string {
  return `repository:${path}:${action}`;
}

function notFound(): Answer {
  return answer(404, "text/plain; charset=utf-8", new TextEncoder().encode("404 page not found\n"));
}

/** The Hub's index, which is not where its images are. */
const INDEX = "index.docker.io";
const UPLOAD = /^\/v2\/(.+)\/blobs\/(uploads)\/([^/]*)$/;
const ROUTE = /^\/v2\/(.+)\/(tags|manifests|blobs)\/([^/]+)$/;
const OCTETS = "application/octet-stream";
