// The token server of the simulated Hub (Docker token authentication). Only this server can read what its tokens allow.

import { digestOf } from "../../registry/index.js";
import type { TransportRequest } from "../../registry/index.js";
import { json, type Answer } from "./answer.js";
import type { Account } from "./images.js";

export const TOKEN_HOST = "auth.docker.io";
export const SERVICE = "registry.docker.io";

/** How long a token is valid, in seconds. */
const LIFETIME = 300;

export class TokenServer {
  readonly #account: Account;
  readonly #seconds: () => number;
  /** Scopes and end of validity of each token. */
  readonly #tokens = new Map<string, { scopes: readonly string[]; ends: number }>();
  readonly #refreshToken: string;

  /** `seconds` returns the time of day. */
  constructor(account: Account, seconds: () => number) {
    this.#account = account;
    this.#seconds = seconds;
    this.#refreshToken = `refresh.${secret("refresh", account.username, account.password)}`;
  }

  answer({ method, url, headers, body }: TransportRequest): Answer {
    const form = typeof body === "string" ? body : "";
    const asked = method === "POST" ? new URLSearchParams(form) : new URL(url).searchParams;
    const { authorization } = headers;
    const isKnown =
      method === "POST"
        ? asked.get("refresh_token") === this.#refreshToken
        : authorization === undefined || authorization === basic(this.#account);
    if (!isKnown) return json(401, { details: "incorrect username or password" });
    const isAccount = method === "POST" || authorization !== undefined;
    const scopes = asked
      .getAll("scope")
      .flatMap((scope) => scope.split(" "))
      .flatMap(singles)
      .filter((scope) => !scope.endsWith(":push") || (isAccount && this.#owns(scope)));
    const token = this.#issue(scopes);
    const refresh = asked.get("offline_token") === "true" && authorization !== undefined;
    return json(200, {
      token,
      access_token: token,
      expires_in: LIFETIME,
      issued_at: new Date(this.#seconds() * 1000).toISOString(),
      ...(refresh ? { refresh_token: this.#refreshToken } : {}),
    });
  }

  /** Whether an `Authorization` header allows a scope. Any valid token allows the empty scope. */
  allows(authorization: string | undefined, scope: string): boolean {
    const token = this.#tokens.get(/^Bearer (.*)$/.exec(authorization ?? "")?.[1] ?? "");
    if (token === undefined || token.ends <= this.#seconds()) return false;
    return scope === "" || token.scopes.includes(scope);
  }

  /** Accounts may push to repositories of their own: `learner/app`. */
  #owns(scope: string): boolean {
    return scope.startsWith(`repository:${this.#account.username}/`);
  }

  #issue(scopes: readonly string[]): string {
    const now = this.#seconds();
    for (const [token, { ends }] of this.#tokens) if (ends <= now) this.#tokens.delete(token);
    const token = secret("token", String(now), String(this.#tokens.size), ...scopes);
    this.#tokens.set(token, { scopes, ends: now + LIFETIME });
    return token;
  }
}

/** `repository:app:pull,push` names two actions. */
function singles(scope: string): string[] {
  const [type = "", name = "", actions = ""] = scope.split(":");
  return actions.split(",").map((action) => `${type}:${name}:${action}`);
}

export function basic({ username, password }: Account): string {
  return `Basic ${btoa(`${username}:${password}`)}`;
}

/** Not a real secret: everyone who can ask for it is in the same world. */
function secret(...parts: string[]): string {
  return digestOf(new TextEncoder().encode(JSON.stringify(parts))).slice("sha256:".length);
}
