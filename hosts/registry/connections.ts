// Requests to registries: how to reach each, and the authorization that it wants. What the requests are for is up to
// client.ts and pushes.ts.

import { isUnreachable, timeOfDay } from "../shared/index.js";
import type { content, types } from "../shared/index.js";
import { Authorizer, type Demand } from "./authorization.js";
import { parseChallenges, type Challenge } from "./challenge.js";
import { exchange, readText, type Answer, type Line, type Question } from "./exchange.js";
import { failedExchange, registryFailure } from "./failures.js";
import { ERROR_LIMIT, MOST_REGISTRIES } from "./limits.js";
import { reached } from "./reach.js";
import { metaOf, secretsOf } from "./secrets.js";
import type { RequestBody } from "./transport.js";
import type { Trust } from "./trust.js";

/** A request in a repository. */
export interface Asking {
  method: Question["method"];
  /** Below the repository: `tags/list`. Or an absolute URL that the registry gave. */
  path: string;
  headers?: Record<string, string>;
  body?: RequestBody;
  /** Any other status is a failure. */
  statuses: ReadonlySet<number>;
  /** The request changes the repository. */
  pushes?: boolean;
  /** How long the registry may be silent, if not as usual. */
  silenceMs?: number;
  /** Another repository that the request reads from. */
  alsoFrom?: string;
  signal?: AbortSignal | undefined;
}

/** An answer, and the address that was asked. */
export type Answered = Answer & { url: string };

/** A repository, and who asks. */
export type Source = Pick<content.Repository, "endpoint" | "repository" | "credentials">;

export class Connections {
  readonly #line: Line;
  readonly #headers: Record<string, string>;
  readonly #authorizer: Authorizer;
  readonly #registries = new Map<string, Promise<Registry>>();

  constructor(line: Line, userAgent: string) {
    this.#line = line;
    // A blob's digest covers the bytes as stored, so the transfer must not encode them.
    this.#headers = { "user-agent": userAgent, "accept-encoding": "identity" };
    this.#authorizer = new Authorizer(line);
  }

  /** The answer, if it has one of the statuses. A stream that was sent cannot be sent again with another authorization. */
  async ask(from: Source, asking: Asking): Promise<Answered> {
    const registry = await this.#registry(from.endpoint, asking.signal);
    const url = addressOf(registry.api, from, asking.path);
    requireSafe(registry, asking, url);
    const demand = demandOf(registry, from, url, asking);
    // Where the registry wants the bytes of an upload may be another server, which gets no credentials.
    const isOwn = new URL(url).origin === new URL(registry.api).origin;
    let header = isOwn ? (await this.#authorizer.authorize(demand)).header : undefined;
    const asked = { ...asking, url, ...(isOwn && { headers: { ...metaOf(from.credentials), ...asking.headers } }) };
    let answer = await this.#send(registry, asked, header);
    const mayRepeat = asking.body === undefined || asking.body instanceof Uint8Array;
    // Where a redirect leads has no say in where credentials go.
    if (answer.status === 401 && mayRepeat && isOwn && isOf(registry.api, answer)) {
      [answer, header] = await this.#askAgain(registry, asked, demand, answer, header);
    }
    if (asking.statuses.has(answer.status)) return { ...answer, url };
    const text = await readText(answer.body, ERROR_LIMIT);
    const secrets = secretsOf(demand.credentials, header);
    throw registryFailure({ ...answer, url, text, secrets }, timeOfDay(this.#line.clock));
  }

  /** The identity token, or empty. SECRET. */
  async login({ endpoint, credentials }: content.Login, signal?: AbortSignal): Promise<string> {
    const registry = await this.#registry(endpoint, signal);
    const { challenges, trust } = registry;
    const url = `${registry.api}/`;
    const offline = credentials.identityToken === "";
    const demand: Demand = { challenges, credentials, scopes: [], trust, url, offline, signal };
    const { header, identityToken } = await this.#authorizer.authorize(demand);
    const answer = await this.#send(registry, { method: "GET", url, signal }, header);
    const text = await readText(answer.body, ERROR_LIMIT);
    if (answer.status === 200) return identityToken;
    const secrets = secretsOf(credentials, header);
    throw registryFailure({ ...answer, url, text, secrets }, timeOfDay(this.#line.clock));
  }

  /**
   * Asks once more with what the answer's challenge requires: a token may have expired, or a scope may be missing.
   * Returns the answer and its demand. If nothing more can be offered, returns the old ones.
   */
  async #askAgain(
    registry: Registry,
    asked: Asked,
    demand: Demand,
    refused: Answer,
    sent: string | undefined,
  ): Promise<[Answer, string | undefined]> {
    this.#authorizer.forget(demand);
    const challenges = challengesOf(refused);
    const sentAlready = demand.credentials?.registryToken || (isBasic(challenges) && isBasic(demand.challenges));
    if (challenges.length === 0 || sentAlready) return [refused, sent];
    // A registry may be open to some requests only. The next one of this kind may be a stream, which is sent only once.
    registry.challenges = challenges;
    await readText(refused.body, ERROR_LIMIT);
    const wanted = challenges.flatMap(({ parameters }) => parameters.get("scope")?.split(" ") ?? []);
    const again = { ...demand, challenges, scopes: [...new Set([...demand.scopes, ...wanted])] };
    const { header } = await this.#authorizer.authorize(again);
    return [await this.#send(registry, asked, header), header];
  }

  /** Sends a request to a registry whose protocol is known. */
  async #send({ key, trust }: Registry, asked: Asked, authorization: string | undefined): Promise<Answer> {
    const headers = authorization === undefined ? asked.headers : { ...asked.headers, authorization };
    try {
      return await this.#exchange({ ...asked, headers }, trust);
    } catch (error) {
      // The registry may have started or stopped using TLS: probe it again next time.
      if (isUnreachable(error)) this.#registries.delete(key);
      throw error;
    }
  }

  #exchange({ headers, ...asked }: Asked, trust: Trust): Promise<Answer> {
    const { method, url, body, silenceMs, signal } = asked;
    const own = { ...(body === undefined ? {} : { body }), ...(silenceMs === undefined ? {} : { silenceMs }) };
    return exchange(this.#line, { method, url, headers: { ...this.#headers, ...headers }, ...own, trust, signal });
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

  async #probe(endpoint: types.Endpoint, signal?: AbortSignal): Promise<Registry> {
    return reached(endpoint, async (base, trust) => {
      const api = `${base}${endpoint.way?.path ?? "/v2"}`;
      return { key: keyOf(endpoint), api, trust, challenges: await this.#ping(api, trust, signal) };
    });
  }

  /** `GET /v2/` shows the protocol and the registry's own challenge (OCI distribution spec, end-1). */
  async #ping(api: string, trust: Trust, signal?: AbortSignal): Promise<Challenge[]> {
    const answer = await this.#exchange({ method: "GET", url: `${api}/`, signal }, trust);
    await readText(answer.body, ERROR_LIMIT);
    return answer.status === 401 && isOf(api, answer) ? challengesOf(answer) : [];
  }
}

/** What is known of a registry. */
interface Registry {
  /** What it is remembered under. */
  key: string;
  /** `https://host:port/v2`. */
  api: string;
  trust: Trust;
  challenges: Challenge[];
}

/** A request, without what all requests have. */
interface Asked {
  method: Question["method"];
  url: string;
  headers?: Record<string, string> | undefined;
  body?: RequestBody;
  silenceMs?: number;
  signal?: AbortSignal | undefined;
}

/** As containerd does, `ns` tells a host that is not the registry itself which registry is meant. */
function addressOf(api: string, { endpoint, repository }: Source, path: string): string {
  if (URL.canParse(path)) return path;
  const { standsFor } = endpoint;
  const url = `${api}/${repository}/${path}`;
  if (standsFor === undefined) return url;
  return `${url}${path.includes("?") ? "&" : "?"}ns=${encodeURIComponent(standsFor)}`;
}

/** Bytes of an upload do not leave without TLS only because the registry names such an address. */
function requireSafe({ trust }: Registry, { method }: Asking, url: string): void {
  const { protocol } = new URL(url);
  if (protocol === "https:" || (protocol === "http:" && trust.plain)) return;
  throw failedExchange({ method, url }, { tag: "insecure-redirect", val: protocol });
}

/** A push asks for both actions, a mount also for the other repository (surface §4.3). */
function demandOf(registry: Registry, from: Source, url: string, asking: Asking): Demand {
  const scopes = [`repository:${from.repository}:${asking.pushes === true ? "pull,push" : "pull"}`];
  if (asking.alsoFrom !== undefined) scopes.push(`repository:${asking.alsoFrom}:pull`);
  const { challenges, trust } = registry;
  return { challenges, credentials: from.credentials, scopes, trust, url, signal: asking.signal };
}

function keyOf({ authority, security, way }: types.Endpoint): string {
  return JSON.stringify([authority, security, way]);
}

/** Whether an answer is the registry's own, not that of a server to which it has led. */
function isOf(api: string, { origin }: Answer): boolean {
  return origin === new URL(api).origin;
}

function challengesOf(answer: Answer): Challenge[] {
  return parseChallenges(answer.header("www-authenticate") ?? "");
}

function isBasic(challenges: Challenge[]): boolean {
  return challenges.length > 0 && challenges.every(({ scheme }) => scheme === "basic");
}
