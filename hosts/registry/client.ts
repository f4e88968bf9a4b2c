// An OCI distribution client for pulls: what the `content` commands need of a registry. The core decides which endpoint
// to ask, and whether to ask again.

import { damaged, isUnreachable, mismatch, realClock, timeOfDay } from "../shared/index.js";
import type { Clock, content, engine, types } from "../shared/index.js";
import { Authorizer, type Demand } from "./authorization.js";
import { parseChallenges, type Challenge } from "./challenge.js";
import { digestOf, isDigest, requireCheckable } from "./digest.js";
import { exchange, readAll, readText, readUpTo, type Answer, type Line } from "./exchange.js";
import { registryFailure } from "./failures.js";
import { ERROR_LIMIT, MOST_REGISTRIES, SILENCE_MS } from "./limits.js";
import { secretsOf } from "./secrets.js";
import { fetchTransport, type Transport } from "./transport.js";
import { trustOf, type Trust } from "./trust.js";

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
  readonly #headers: Record<string, string>;
  readonly #authorizer: Authorizer;
  readonly #registries = new Map<string, Promise<Registry>>();

  constructor(options: RegistryOptions) {
    const { transport = fetchTransport(), clock = realClock, silenceMs = SILENCE_MS, userAgent = "coracle" } = options;
    this.#line = { transport, clock, silenceMs };
    // A blob's digest covers the bytes as stored, so the transfer must not encode them.
    this.#headers = { "user-agent": userAgent, "accept-encoding": "identity" };
    this.#authorizer = new Authorizer(this.#line);
  }

  async resolve(command: content.Resolve, signal?: AbortSignal): Promise<engine.Resolved> {
    const { reference } = command;
    // A tag never contains a colon.
    if (reference.includes(":")) requireCheckable(reference);
    const path = `manifests/${encodeURIComponent(reference).replaceAll("%3A", ":")}`;
    const answer = await this.#get(command, path, { accept: command.accept.join(", ") }, signal);
    const bytes = await readAll(answer.body, command.limit);
    const digest = digestOf(bytes);
    const expected = isDigest(reference) ? reference : answer.header("docker-content-digest");
    if (expected !== null && isDigest(expected) && expected !== digest) {
      throw mismatch("manifest", expected, digest);
    }
    return { bytes, digest, mediaType: answer.header("content-type")?.split(";")[0]?.trim() ?? "" };
  }

  async tags(command: content.ListTags, signal?: AbortSignal): Promise<string[]> {
    const tags: string[] = [];
    const seen = new Set<string>();
    for (let path: string | null = "tags/list"; path !== null && !seen.has(path);) {
      seen.add(path);
      const answer: Answer = await this.#get(command, path, {}, signal);
      for (const tag of parseTags(await readAll(answer.body, command.limit))) tags.push(tag);
      path = nextPage(answer.header("link"), command.repository);
    }
    return tags;
  }

  async blob(command: content.RegistryBlob, signal?: AbortSignal): Promise<Uint8Array> {
    const { body } = await this.stream(command, signal);
    const { bytes, whole } = await readUpTo(body, Number(command.size));
    if (!whole || BigInt(bytes.length) !== command.size || digestOf(bytes) !== command.digest) {
      throw mismatch("blob", command.digest);
    }
    return bytes;
  }

  async stream({ digest, from: where }: content.RegistryBlob, signal?: AbortSignal, from = 0): Promise<BlobStream> {
    requireCheckable(digest);
    const path = `blobs/${digest}`;
    if (from > 0) {
      const { status, ...part } = await this.#get(where, path, { range: `bytes=${from}-` }, signal, PART);
      if (status === OK) return { ...part, from: 0 };
      if (status === PARTIAL && beginsAt(part.header("content-range"), from)) return { ...part, from };
      part.cancel();
    }
    return { ...(await this.#get(where, path, {}, signal)), from: 0 };
  }

  async login({ endpoint, credentials }: content.Login, signal?: AbortSignal): Promise<string> {
    const registry = await this.#registry(endpoint, signal);
    const { challenges, trust } = registry;
    const url = `${registry.base}/v2/`;
    const demand: Demand = {
      challenges,
      credentials,
      scopes: [],
      trust,
      url,
      offline: credentials.identityToken === "",
      signal,
    };
    const { header, identityToken } = await this.#authorizer.authorize(demand);
    const answer = await this.#ask(registry, { url, signal }, header);
    const text = await readText(answer.body, ERROR_LIMIT);
    if (answer.status === 200) return identityToken;
    const secrets = secretsOf(credentials, header);
    throw registryFailure({ ...answer, url, text, secrets }, timeOfDay(this.#line.clock));
  }

  /** GETs something in a repository. Any other status is a failure. */
  async #get(
    from: Source,
    path: string,
    headers: Record<string, string>,
    signal?: AbortSignal,
    statuses: ReadonlySet<number> = WHOLE,
  ): Promise<Answer> {
    const registry = await this.#registry(from.endpoint, signal);
    const url = `${registry.base}/v2/${from.repository}/${path}`;
    const demand: Demand = {
      challenges: registry.challenges,
      credentials: from.credentials,
      scopes: [`repository:${from.repository}:pull`],
      trust: registry.trust,
      url,
      signal,
    };
    let { header } = await this.#authorizer.authorize(demand);
    const asked = { url, headers, signal };
    let answer = await this.#ask(registry, asked, header);
    if (answer.status === 401) [answer, header] = await this.#askAgain(registry, asked, demand, answer, header);
    if (statuses.has(answer.status)) return answer;
    const text = await readText(answer.body, ERROR_LIMIT);
    const secrets = secretsOf(demand.credentials, header);
    throw registryFailure({ ...answer, url, text, secrets }, timeOfDay(this.#line.clock));
  }

  /**
   * Asks once more with what the answer's own challenge requires: a token may have expired, or a scope may be missing.
   * Returns the answer and its demand. If nothing more can be offered, returns the old ones.
   */
  async #askAgain(
    registry: Registry,
    asked: Asking,
    demand: Demand,
    refused: Answer,
    sent: string | undefined,
  ): Promise<[Answer, string | undefined]> {
    this.#authorizer.forget(demand);
    const challenges = challengesOf(refused);
    const sentAlready = demand.credentials?.registryToken || (isBasic(challenges) && isBasic(demand.challenges));
    if (challenges.length === 0 || sentAlready) return [refused, sent];
    await readText(refused.body, ERROR_LIMIT);
    const wanted = challenges.flatMap(({ parameters }) => parameters.get("scope")?.split(" ") ?? []);
    const again = { ...demand, challenges, scopes: [...new Set([...demand.scopes, ...wanted])] };
    const { header } = await this.#authorizer.authorize(again);
    return [await this.#ask(registry, asked, header), header];
  }

  /** Sends a request to a registry whose protocol is known. */
  async #ask({ key, trust }: Registry, asked: Asking, authorization: string | undefined): Promise<Answer> {
    const headers = authorization === undefined ? asked.headers : { ...asked.headers, authorization };
    try {
      return await this.#send({ ...asked, headers }, trust);
    } catch (error) {
      // The registry may have started or stopped using TLS: probe it again next time.
      if (isUnreachable(error)) this.#registries.delete(key);
      throw error;
    }
  }

  #send({ url, headers, signal }: Asking, trust: Trust): Promise<Answer> {
    return exchange(this.#line, { method: "GET", url, headers: { ...this.#headers, ...headers }, trust, signal });
  }

  /** How to connect to a registry: probed once, as long as it answers. */
  async #registry(endpoint: types.Endpoint, signal?: AbortSignal): Promise<Registry> {
    const key = keyOf(endpoint);
    const known = await this.#registries.get(key)?.catch(() => undefined);
    if (known) return known;
    const found = this.#probe(endpoint, signal);
    // The oldest entry is dropped: probing again takes one request.
    if (this.#registries.size >= MOST_REGISTRIES) this.#registries.delete(this.#registries.keys().next().value!);
    this.#registries.set(key, found);
    found.catch(() => {
      if (this.#registries.get(key) === found) this.#registries.delete(key);
    });
    return found;
  }

  /** Tries its securities in their order. */
  async #probe(endpoint: types.Endpoint, signal?: AbortSignal): Promise<Registry> {
    let unanswered: unknown = new Error("no way to speak to the registry");
    for (const security of endpoint.security) {
      const scheme = security === "plain" ? "http" : "https";
      const base = `${scheme}://${endpoint.authority}`;
      const trust = trustOf(security, endpoint.security);
      try {
        return { key: keyOf(endpoint), base, trust, challenges: await this.#ping(base, trust, signal) };
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        unanswered = error;
      }
    }
    throw unanswered;
  }

  /** `GET /v2/` shows the protocol and the challenge (OCI distribution spec, end-1). */
  async #ping(base: string, trust: Trust, signal?: AbortSignal): Promise<Challenge[]> {
    const answer = await this.#send({ url: `${base}/v2/`, signal }, trust);
    await readText(answer.body, ERROR_LIMIT);
    return answer.status === 401 ? challengesOf(answer) : [];
  }
}

/** What is known of a registry. */
interface Registry {
  /** What it is remembered under. */
  key: string;
  /** `https://host:port`. */
  base: string;
  trust: Trust;
  challenges: Challenge[];
}

/** A request, without what all requests have. */
interface Asking {
  url: string;
  headers?: Record<string, string> | undefined;
  signal?: AbortSignal | undefined;
}

type Source = Pick<content.Repository, "endpoint" | "repository" | "credentials">;

function keyOf({ authority, security }: types.Endpoint): string {
  return [authority, ...security].join(" ");
}

function challengesOf(answer: Answer): Challenge[] {
  return parseChallenges(answer.header("www-authenticate") ?? "");
}

function isBasic(challenges: Challenge[]): boolean {
  return challenges.length > 0 && challenges.every(({ scheme }) => scheme === "basic");
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
