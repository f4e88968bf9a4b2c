// Failures between us and a registry, as data (`core/wit/failures.wit`). URLs lose their queries, because the URL of a
// redirect may be signed.

import { HostFailure } from "../shared/index.js";
import type { failures } from "../shared/index.js";
import { parseChallenges } from "./challenge.js";
import { partsOf, withoutSecrets } from "./secrets.js";
import type { TransportRequest } from "./transport.js";

/** An answer other than the expected one. */
export interface ErrorAnswer {
  /** The URL that was requested. */
  url: string;
  /** The answer is the token server's, not the registry's. */
  tokenServer?: boolean;
  status: number;
  header(name: string): string | null;
  /** Beginning of its body. */
  text: string;
  /** SECRET. Secrets that were sent. If the answer repeats them, they are removed. */
  secrets: readonly string[];
  /** SECRET. Values of other headers that were sent. */
  alsoSent?: readonly string[];
}

/** The failure for an error answer. `now`: milliseconds since 1970. */
export function registryFailure(answer: ErrorAnswer, now: number): HostFailure {
  const body = parseErrors(answer.text);
  const alsoSent = (answer.alsoSent ?? []).flatMap(partsOf);
  const shown = (text: string): string => withoutSecrets(text, [...answer.secrets, ...alsoSent]);
  const val: failures.RegistryAnswer = {
    url: withoutQuery(answer.url),
    tokenServer: answer.tokenServer ?? false,
    status: answer.status,
    errors: body.errors.map(({ code, message }) => ({ code: shown(code), message: shown(message) })),
    details: shown(body.details),
    lacksScope: lacksScope(answer),
    retryAfter: retryAfter(answer.header("retry-after"), now),
  };
  return new HostFailure({ tag: "registry-answer", val });
}

/** The parts of a request that its failure mentions. */
export interface Asked {
  method: TransportRequest["method"];
  url: string;
}

/** The failure for a request whose answer cannot be used, or must not be followed. */
export function failedExchange(asked: Asked, why: failures.ExchangeFailure): HostFailure {
  return exchangeFailure(asked, true, why);
}

/** The failure for a request without an answer, or without the rest of it. */
export function unanswered(asked: Asked, why: failures.ExchangeFailure): HostFailure {
  return exchangeFailure(asked, false, why);
}

function exchangeFailure({ method, url }: Asked, answered: boolean, why: failures.ExchangeFailure): HostFailure {
  return new HostFailure({ tag: "exchange", val: { method, url: withoutQuery(url), answered, why } });
}

/** Also removes user name and password, and from an invalid URL all that may be one of them. */
export function withoutQuery(url: string): string {
  if (!URL.canParse(url)) return url.replace(/[?#].*$/s, "").replace(/\/\/.*@/s, "//");
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

interface ErrorBody {
  errors: failures.RegistryError[];
  details: string;
}

/** The token is valid, but lacks the scope: another one for the same account will not help (RFC 6750 §3.1). */
function lacksScope(answer: ErrorAnswer): boolean {
  const challenges = parseChallenges(answer.header("www-authenticate") ?? "");
  return challenges.some(({ parameters }) => parameters.get("error") === "insufficient_scope");
}

/**
 * `{"errors":[{"code","message","detail"}]}` (OCI distribution spec, error codes). A token server may answer
 * `{"details"}`.
 */
function parseErrors(text: string): ErrorBody {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { errors: [], details: "" };
  }
  const { errors, details }: Record<string, unknown> = isObject(body) ? body : {};
  return {
    errors: Array.isArray(errors)
      ? errors.filter(isObject).map(({ code, message }) => ({ code: textOf(code), message: textOf(message) }))
      : [],
    details: textOf(details),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** In seconds, from either form of Retry-After (RFC 9110 §10.2.3). */
function retryAfter(header: string | null, now: number): number {
  if (header === null) return 0;
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.ceil((timeOf(header) - now) / 1000);
  return seconds > 0 ? Math.min(seconds, 0xffff_ffff) : 0;
}

/** The format of C's `asctime` has no zone. It is UTC, like the other formats (RFC 9110 §5.6.7). */
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/** Milliseconds since 1970; NaN if it is not a date. */
function timeOf(date: string): number {
  return Date.parse(ASCTIME.test(date) ? `${date} GMT` : date);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
