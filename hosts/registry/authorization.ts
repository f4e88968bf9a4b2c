// The value of the `Authorization` header: tokens (Docker token authentication, OAuth 2) and Basic.

import { timeOfDay } from "../shared/index.js";
import type { types } from "../shared/index.js";
import { basicOf } from "./basic.js";
import type { Challenge } from "./challenge.js";
import { digestOf } from "./digest.js";
import { exchange, readText, type Line, type Question } from "./exchange.js";
import { failedExchange, registryFailure } from "./failures.js";
import { TOKEN_LIMIT } from "./limits.js";
import { secretsOf } from "./secrets.js";
import type { Trust } from "./trust.js";

/** What a token is requested for. */
export interface Demand {
  challenges: Challenge[];
  credentials: types.Credentials | undefined;
  /** `repository:PATH:pull`. */
  scopes: string[];
  /** In the registry, and so in its token server. */
  trust: Trust;
  /** The request to be authorized, for messages. */
  url: string;
  /** Also request a refresh token. */
  offline?: boolean;
  signal?: AbortSignal | undefined;
}

/** The header to send, and what came with the token. */
export interface Authorization {
  /** Value of the header; undefined: send no header. */
  header: string | undefined;
  /** Refresh token for the user, if one was requested and given; otherwise empty. SECRET. */
  identityToken: string;
}

/** Gets authorizations, and keeps tokens while they are valid. One object serves all registries. */
export class Authorizer {
  readonly #line: Line;
  readonly #tokens = new Map<string, Promise<Token>>();

  constructor(line: Line) {
    this.#line = line;
  }

  /** Uses credentials as the challenge requires; a registry token is sent as it is. */
  async authorize(demand: Demand): Promise<Authorization> {
    const { credentials, challenges } = demand;
    if (credentials?.registryToken) return { header: `Bearer ${credentials.registryToken}`, identityToken: "" };
    const bearer = challenges.find(({ scheme }) => scheme === "bearer");
    if (bearer) {
      const { value, refresh } = await this.#token(bearer, demand);
      return { header: `Bearer ${value}`, identityToken: refresh };
    }
    if (!challenges.some(({ scheme }) => scheme === "basic")) return { header: undefined, identityToken: "" };
    if (!credentials?.username) throw failedExchange({ method: "GET", url: demand.url }, { tag: "no-credentials" });
    return { header: basicOf(credentials.username, credentials.password), identityToken: "" };
  }

  /** Drops the token for a demand, because the registry has rejected it. */
  forget(demand: Demand): void {
    const bearer = demand.challenges.find(({ scheme }) => scheme === "bearer");
    if (bearer) this.#tokens.delete(keyOf(bearer, demand));
  }

  /**
   * Sends one request for a token, even if several callers want it at once. A token that was requested with `offline`
   * is not kept.
   */
  async #token(challenge: Challenge, demand: Demand): Promise<Token> {
    if (demand.offline) return this.#fetch(challenge, demand);
    const key = keyOf(challenge, demand);
    const kept = await this.#tokens.get(key)?.catch(() => undefined);
    if (kept && kept.expires > this.#now()) return kept;
    const fetched = this.#fetch(challenge, demand);
    this.#tokens.set(key, fetched);
    fetched.catch(() => {
      if (this.#tokens.get(key) === fetched) this.#tokens.delete(key);
    });
    this.#sweep();
    return fetched;
  }

  async #fetch(challenge: Challenge, demand: Demand): Promise<Token> {
    const question = tokenQuestion(challenge, demand);
    const answer = await exchange(this.#line, question);
    const text = await readText(answer.body, TOKEN_LIMIT);
    if (answer.status === 200) return parseToken(text, question, this.#now());
    const secrets = secretsOf(demand.credentials, question.headers["authorization"]);
    throw registryFailure({ ...answer, url: question.url, tokenServer: true, text, secrets }, this.#now());
  }

  #now(): number {
    return timeOfDay(this.#line.clock);
  }

  /** Keeps no secret longer than it is valid. */
  #sweep(): void {
    for (const [key, token] of this.#tokens) {
      token.then(
        ({ expires }) => expires < this.#now() && this.#tokens.get(key) === token && this.#tokens.delete(key),
        () => {},
      );
    }
  }
}

interface Token {
  /** SECRET. */
  value: string;
  /** SECRET; or empty. */
  refresh: string;
  /** Milliseconds since 1970. */
  expires: number;
}

/** The realm is usually another server. Credentials go there because the registry says so. */
function tokenQuestion(challenge: Challenge, demand: Demand): Question {
  const realm = challenge.parameters.get("realm") ?? "";
  if (!URL.canParse(realm)) throw failedExchange({ method: "GET", url: demand.url }, { tag: "no-realm" });
  const url = new URL(realm);
  const { credentials, trust, signal } = demand;
  if (url.protocol !== "https:" && hasSecret(credentials) && !trust.plain) {
    throw failedExchange({ method: "GET", url: url.href }, { tag: "plain-credentials" });
  }
  if (credentials?.identityToken) return refreshQuestion(url, challenge, demand, credentials.identityToken);
  for (const [name, value] of fields(challenge, demand)) url.searchParams.append(name, value);
  if (credentials?.username) url.searchParams.append("account", credentials.username);
  if (demand.offline) {
    url.searchParams.append("offline_token", "true");
    url.searchParams.append("client_id", CLIENT);
  }
  const headers = {
    ...IDENTITY,
    ...(credentials?.username ? { authorization: basicOf(credentials.username, credentials.password) } : {}),
  };
  return { method: "GET", url: url.href, headers, trust, signal };
}

function refreshQuestion(url: URL, challenge: Challenge, demand: Demand, identityToken: string): Question {
  const form = new URLSearchParams({ grant_type: "refresh_token", refresh_token: identityToken, client_id: CLIENT });
  for (const [name, value] of fields(challenge, { ...demand, scopes: [] })) form.append(name, value);
  // OAuth 2: one parameter, scopes separated by blanks (RFC 6749 §3.3).
  if (demand.scopes.length > 0) form.append("scope", demand.scopes.join(" "));
  const headers = { ...IDENTITY, "content-type": "application/x-www-form-urlencoded" };
  const { trust, signal } = demand;
  return { method: "POST", url: url.href, headers, body: form.toString(), trust, signal };
}

function fields(challenge: Challenge, demand: Demand): [string, string][] {
  const service = challenge.parameters.get("service");
  const scopes = demand.scopes.map((scope): [string, string] => ["scope", scope]);
  return service === undefined ? scopes : [["service", service], ...scopes];
}

function parseToken(text: string, question: Question, now: number): Token {
  let body: Record<string, unknown> = {};
  try {
    body = JSON.parse(text) as Record<string, unknown>;
  } catch {
    // Handled below: the answer has no token.
  }
  const [value] = [body["token"], body["access_token"]].filter((part) => typeof part === "string" && part !== "");
  if (typeof value !== "string") throw failedExchange(question, { tag: "no-token" });
  const { expires_in: lifetime, refresh_token: refresh } = body;
  const seconds = Math.max(typeof lifetime === "number" ? lifetime : 0, SHORTEST_LIFETIME);
  return {
    value,
    refresh: typeof refresh === "string" ? refresh : "",
    expires: now + (seconds - MARGIN) * 1000,
  };
}

function hasSecret(credentials: types.Credentials | undefined): boolean {
  return Boolean(credentials?.username || credentials?.identityToken);
}

/** A digest, so that keys contain no credentials. */
function keyOf(challenge: Challenge, { credentials, scopes }: Demand): string {
  const { username = "", password = "", identityToken = "" } = credentials ?? {};
  const { parameters } = challenge;
  const parts = [
    parameters.get("realm"),
    parameters.get("service"),
    [...scopes].sort(),
    username,
    password,
    identityToken,
  ];
  return digestOf(new TextEncoder().encode(JSON.stringify(parts)));
}

const CLIENT = "docker";
const IDENTITY = { "accept-encoding": "identity" };
/** In seconds. If a token server says less, or nothing, this applies (Docker token specification). */
const SHORTEST_LIFETIME = 60;
/** How many seconds before its end a token is dropped. */
const MARGIN = 5;
