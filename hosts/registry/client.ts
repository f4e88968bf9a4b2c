// An OCI distribution client: what the `content` commands need of a registry. The core decides which endpoint to ask, and
// whether to ask again. Pushes are in pushes.ts.

import { damaged, mismatch, realClock, tooLarge } from "../shared/index.js";
import type { Clock, content, engine } from "../shared/index.js";
import { Connections, type Asking, type Source } from "./connections.js";
import { digestLike, digestOf, isAnyDigest, requireDigest } from "./digest.js";
import { readAll, readUpTo, type Answer, type Line } from "./exchange.js";
import { SILENCE_MS } from "./limits.js";
import { Pushes, type LayerBytes } from "./pushes.js";
import { search } from "./searches.js";
import { fetchTransport, type Transport } from "./transport.js";
import { askWeb, type WebBody } from "./web-files.js";

/** A registry's blob that can be read once. */
export interface BlobStream {
  /**
   * Digest and size are not checked. Fails as `cut-short` if the connection breaks off, and as `exchange` if nothing
   * arrives.
   */
  body: AsyncIterable<Uint8Array>;
  /** Offset of the first byte in the blob. */
  from: number;
  /** Closes it without reading the rest. */
  cancel(): void;
}

/** All methods reject with `HostFailure`; with `interrupted` once `signal` is aborted. */
export interface RegistryClient {
  resolve(command: content.Resolve, signal?: AbortSignal): Promise<engine.Resolved>;
  /** All pages, in the registry's order. */
  tags(command: content.ListTags, signal?: AbortSignal): Promise<string[]>;
  /** Checks digest and size. */
  blob(command: content.RegistryBlob, signal?: AbortSignal): Promise<Uint8Array>;
  /** From an offset on, or from the beginning if the registry does not serve ranges. */
  stream(command: content.RegistryBlob, signal?: AbortSignal, from?: number): Promise<BlobStream>;
  /** The identity token, or empty. SECRET. */
  login(command: content.Login, signal?: AbortSignal): Promise<string>;
  /** The registry's answer, in JSON. */
  search(command: content.Search, signal?: AbortSignal): Promise<Uint8Array>;
  /** Resolves if the repository has the blob. */
  find(command: content.SoughtBlob, signal?: AbortSignal): Promise<void>;
  /** Resolves if the registry has taken over the blob. Fails as `no-such` if it expects the bytes. */
  mount(command: content.MountedBlob, signal?: AbortSignal): Promise<void>;
  /** Sends a blob. Its digest may become known only with its last byte. */
  upload(to: content.Repository, layer: LayerBytes, signal?: AbortSignal): Promise<void>;
  publish(command: content.Publication, signal?: AbortSignal): Promise<void>;
  /** A file of a web server that is no registry. */
  download(command: content.WebFile, signal?: AbortSignal): Promise<WebBody>;
}

export interface RegistryOptions {
  transport?: Transport;
  /** Measures silence and the lifetime of tokens; by default real time. */
  clock?: Clock;
  /** How long to wait for a registry that sends nothing; by default `SILENCE_MS`. */
  silenceMs?: number;
  userAgent?: string;
}

/** A client that remembers what it learned about registries, including tokens. */
export function registryClient(options: RegistryOptions = {}): RegistryClient {
  return new DistributionClient(options);
}

class DistributionClient implements RegistryClient {
  readonly #line: Line;
  readonly #connections: Connections;
  readonly #pushes: Pushes;

  constructor(options: RegistryOptions) {
    const { transport = fetchTransport(), clock = realClock, silenceMs = SILENCE_MS, userAgent = "coracle" } = options;
    this.#line = { transport, clock, silenceMs };
    this.#connections = new Connections(this.#line, userAgent);
    this.#pushes = new Pushes(this.#connections);
  }

  async resolve(command: content.Resolve, signal?: AbortSignal): Promise<engine.Resolved> {
    const { reference } = command;
    // A tag never contains a colon.
    const isByDigest = reference.includes(":");
    if (isByDigest) requireDigest(reference);
    const path = `manifests/${encodeURIComponent(reference).replaceAll("%3A", ":")}`;
    const answer = await this.#get(command, path, { accept: command.accept.join(", ") }, signal);
    const bytes = await readAll(answer.body, command.limit);
    const expected = isByDigest ? reference : (answer.header("docker-content-digest") ?? "");
    const actual = digestLike(expected, bytes);
    if (isAnyDigest(expected) && expected !== actual) throw mismatch("manifest", expected, actual);
    const digest = isByDigest ? actual : digestOf(bytes);
    return { bytes, digest, mediaType: answer.header("content-type")?.split(";")[0]?.trim() ?? "" };
  }

  async tags(command: content.ListTags, signal?: AbortSignal): Promise<string[]> {
    const tags: string[] = [];
    const seen = new Set<string>();
    // The limit holds for all pages and the paths of the next ones together: both are kept, and there may be no end.
    let size = 0;
    for (let path: string | null = "tags/list"; path !== null && !seen.has(path);) {
      seen.add(path);
      const answer: Answer = await this.#get(command, path, {}, signal);
      const page = await readAll(answer.body, command.limit);
      if (size + page.length > command.limit) throw tooLarge("answer", "", command.limit);
      for (const tag of parseTags(page)) tags.push(tag);
      path = nextPage(answer.header("link"), command.repository);
      size += page.length + (path?.length ?? 0);
    }
    return tags;
  }

  async blob(command: content.RegistryBlob, signal?: AbortSignal): Promise<Uint8Array> {
    const { body } = await this.stream(command, signal);
    const { bytes, whole } = await readUpTo(body, Number(command.size));
    if (!whole || BigInt(bytes.length) !== command.size || digestLike(command.digest, bytes) !== command.digest) {
      throw mismatch("blob", command.digest);
    }
    return bytes;
  }

  async stream({ digest, from: where }: content.RegistryBlob, signal?: AbortSignal, from = 0): Promise<BlobStream> {
    requireDigest(digest);
    const path = `blobs/${digest}`;
    if (from > 0) {
      const { status, ...part } = await this.#get(where, path, { range: `bytes=${from}-` }, signal, PART);
      if (status === OK) return { ...part, from: 0 };
      if (status === PARTIAL && beginsAt(part.header("content-range"), from)) return { ...part, from };
      part.cancel();
    }
    return { ...(await this.#get(where, path, {}, signal)), from: 0 };
  }

  login(command: content.Login, signal?: AbortSignal): Promise<string> {
    return this.#connections.login(command, signal);
  }

  search(command: content.Search, signal?: AbortSignal): Promise<Uint8Array> {
    return search(this.#line, command, signal);
  }

  find(command: content.SoughtBlob, signal?: AbortSignal): Promise<void> {
    return this.#pushes.find(command, signal);
  }

  mount(command: content.MountedBlob, signal?: AbortSignal): Promise<void> {
    return this.#pushes.mount(command, signal);
  }

  upload(to: content.Repository, layer: LayerBytes, signal?: AbortSignal): Promise<void> {
    return this.#pushes.upload(to, layer, signal);
  }

  publish(command: content.Publication, signal?: AbortSignal): Promise<void> {
    return this.#pushes.publish(command, signal);
  }

  download(command: content.WebFile, signal?: AbortSignal): Promise<WebBody> {
    return askWeb(this.#line, command, signal);
  }

  /** GETs something in a repository. Any other status is a failure. */
  #get(
    from: Source,
    path: string,
    headers: Record<string, string>,
    signal?: AbortSignal,
    statuses: ReadonlySet<number> = WHOLE,
  ): Promise<Answer> {
    const asking: Asking = { method: "GET", path, headers, statuses, signal };
    return this.#connections.ask(from, asking);
  }
}

function parseTags(bytes: Uint8Array): string[] {
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw damaged("tag-list");
  }
  const tags = typeof body === "object" && body !== null && "tags" in body ? body.tags : null;
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [];
}

/**
 * The next page below the repository, from `Link: </v2/PATH/tags/list?…>; rel="next"`. The host that it names is
 * ignored.
 */
function nextPage(header: string | null, repository: string): string | null {
  const links = header?.split(/,(?=\s*<)/).map((link) => link.trim()) ?? [];
  const next = links.find((link) => link.split(";").some((parameter) => /^\s*rel="?next"?\s*$/i.test(parameter)));
  if (next === undefined || !next.startsWith("<") || !next.includes(">")) return null;
  const target = next.slice(1, next.indexOf(">"));
  if (!URL.canParse(target, "http://registry")) return null;
  const { pathname, search } = new URL(target, `http://registry/v2/${repository}/tags/list`);
  return pathname.endsWith("/tags/list") ? `tags/list${search}` : null;
}

/** For a part of a body (RFC 9110 §14.4). */
function beginsAt(range: string | null, offset: number): boolean {
  return /^bytes (\d+)-/.exec(range ?? "")?.[1] === String(offset);
}

const OK = 200;
const PARTIAL = 206;
const WHOLE: ReadonlySet<number> = new Set([OK]);
/** The last status means that the offset is behind the end of the blob. */
const PART: ReadonlySet<number> = new Set([OK, PARTIAL, 416]);
