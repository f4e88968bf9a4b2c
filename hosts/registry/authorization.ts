// What to send as `Authorization`: the token dance (Docker token authentication, OAuth 2) and Basic.

import { timeOfDay } from "../shared/clock.js";
import type { types } from "../shared/host.js";
import type { Challenge } from "./challenge.js";
import { digestOf } from "./digest.js";
import { exchange, readText, type Line, type Question } from "./exchange.js";
import { failedExchange, registryFailure } from "./failures.js";
import { secretsOf } from "./secrets.js";

/** What a token is asked for. */
export interface Demand {
  challenges: Challenge[];
  credentials: types.Credentials | undefined;
  /** `repository:PATH:pull`. */
  scopes: string[];
  /** How the registry may be spoken to: so its token server, too. */
  security: readonly types.Security[];
  /** The request to be authorized, for messages. */
  url: string;
  /** Ask for a refresh token as well. */
  offline?: boolean;
  signal?: AbortSignal | undefined;
}

/** What to send, and what came with it. */
export interface Authorization {
  /** Value of the header; undefined: send none. */
  header: string | undefined;
  /** Refresh token for the user, when one was asked for and given; or empty. SECRET. */
  identityToken: string;
}

/** Gets authorizations, and keeps tokens while they are good. One for all registries. */
export class Authorizer {
  readonly #line: Line;
  readonly #tokens = new Map<string, Promise<Token>>();

  constructor(line: Line) {
    this.#line = line;
  }

  /** Credentials are used where the challenge asks for them; a registry token is sent as it is. */
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
    return { header: basic(credentials), identityToken: "" };
  }

  /** Drops the token that was good for a demand, since the registry does not take it. */
  forget(demand: Demand): void {
    const bearer = demand.challenges.find(({ scheme }) => scheme === "bearer");
    if (bearer) this.#tokens.delete(keyOf(bearer, demand));
  }

  /** One request a token, however many ask for it at once. One that is asked for with `offline` is not kept. */
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

  /** Keeps no secret for longer than it is good. */
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

/** The realm is another server as a rule; credentials go there because the registry says so. */
function tokenQuestion(challenge: Challenge, demand: Demand): Question {
  const realm = challenge.parameters.get("realm") ?? "";
  if (!URL.canParse(realm)) throw failedExchange({ method: "GET", url: demand.url }, { tag: "no-realm" });
  const url = new URL(realm);
  const { credentials, security, signal } = demand;
  if (url.protocol !== "https:" && hasSecret(credentials) && !security.includes("plain")) {
    throw failedExchange({ method: "GET", url: url.href }, { tag: "plain-credentials" });
  }
  if (credentials?.identityToken) return refreshQuestion(url, challenge, demand, credentials.identityToken);
  for (const [name, value] of fields(challenge, demand)) url.searchParams.append(name, value);
  if (credentials?.username) url.searchParams.append("account", credentials.username);
  if (demand.offline) {
    url.searchParams.append("offline_token", "true");
    url.searchParams.append("client_id", CLIENT);
  }
  const headers = { ...IDENTITY, ...(credentials?.username ? { authorization: basic(credentials) } : {}) };
  return { method: "GET", url: url.href, headers, security, signal };
}

function refreshQuestion(url: URL, challenge: Challenge, demand: Demand, identityToken: string): Question {
  const form = new URLSearchParams({ grant_type: "refresh_token", refresh_token: identityToken, client_id: CLIENT });
  for (const [name, value] of fields(challenge, { ...demand, scopes: [] })) form.append(name, value);
  // OAuth 2: one parameter, scopes separated by blanks (RFC 6749 §3.3).
  if (demand.scopes.length > 0) form.append("scope", demand.scopes.join(" "));
  const headers = { ...IDENTITY, "content-type": "application/x-www-form-urlencoded" };
  const { security, signal } = demand;
  return { method: "POST", url: url.href, headers, body: form.toString(), security, signal };
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
    // Told below: there is no token in it.
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

function basic({ username, password }: types.Credentials): string {
  const bytes = new TextEncoder().encode(`${username}:${password}`);
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
}

function hasSecret(credentials: types.Credentials | undefined): boolean {
  return Boolean(credentials?.username || credentials?.identityToken);
}

/** A digest, so that no credential is kept as part of a key. */
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
const TOKEN_LIMIT = 1 << 20;
/** Seconds; a token server that says less, or nothing, means this (Docker token specification). */
const SHORTEST_LIFETIME = 60;
/** Seconds that a token is given up before its end. */
const MARGIN = 5;
