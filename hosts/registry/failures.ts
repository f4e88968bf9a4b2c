// What went wrong between us and a registry, in the words of `core/wit/types.wit`. Messages hold no query of a URL:
// a redirect's may be signed.

import { HostFailure } from "../failure.js";
import type { failures } from "../host.js";
import { parseChallenges } from "./challenge.js";

/** An answer that is not what was asked for. */
export interface ErrorAnswer {
  status: number;
  header(name: string): string | null;
  /** Beginning of its body. */
  text: string;
  /** SECRET. What was sent in confidence; should the answer repeat it, nobody is told. */
  secrets: readonly string[];
}

/** The failure that an error answer stands for. `now`: milliseconds since 1970. */
export function registryFailure(answer: ErrorAnswer, now: number): HostFailure {
  if (lacksScope(answer)) {
    return new HostFailure("denied", statusLine(403), { status: answer.status, code: "DENIED" });
  }
  const errors = parseErrors(answer.text);
  const lines = errors.map(({ code, message }) => `${code.toLowerCase().replaceAll("_", " ")}: ${message}`);
  const message = lines.length > 1 ? `errors:\n${lines.join("\n")}` : (lines[0] ?? statusLine(answer.status));
  const { secrets } = answer;
  return new HostFailure(KIND_OF_STATUS[answer.status] ?? "registry", withoutSecrets(message, secrets), {
    status: answer.status,
    code: withoutSecrets(errors[0]?.code ?? "", secrets),
    retryAfter: retryAfter(answer.header("retry-after"), now),
  });
}

/** `401 Unauthorized`, or the bare number where there is no name for it. */
export function statusText(status: number): string {
  return `${status} ${NAME_OF_STATUS[status] ?? ""}`.trimEnd();
}

/** There is no answer, or it broke off. */
export function unreachable(method: string, url: string, error: unknown): HostFailure {
  if (error instanceof HostFailure) return error;
  return new HostFailure("unreachable", `${said(method, url)}: ${reason(new URL(url), error)}`);
}

/** What was tried, as the field's tools print it: `Get "https://host/v2/"`. */
export function said(method: string, url: string): string {
  const { origin, pathname } = new URL(url);
  return `${method.charAt(0)}${method.slice(1).toLowerCase()} "${origin}${pathname}"`;
}

/** The connection ends before the bytes that it was to bring. */
export function truncated(): HostFailure {
  return new HostFailure("unreachable", "unexpected EOF");
}

/** The code of the system or the HTTP library in an error or in what caused it; or empty. */
export function codeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ("code" in at && typeof at.code === "string") return at.code;
  }
  return "";
}

interface RegistryError {
  code: string;
  message: string;
}

/** A message goes into logs and traces, as an input of the core. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  const long = secrets.filter(({ length }) => length >= LEAST);
  return long.reduce((told, secret) => told.replaceAll(secret, "x".repeat(secret.length)), text);
}

/** The token is good, but not for this: another one for the same account will not help (RFC 6750 §3.1). */
function lacksScope(answer: ErrorAnswer): boolean {
  if (answer.status !== 401) return false;
  const challenges = parseChallenges(answer.header("www-authenticate") ?? "");
  return challenges.some(({ parameters }) => parameters.get("error") === "insufficient_scope");
}

/** `{"errors":[{"code","message","detail"}]}` (OCI distribution spec, error codes); a token server may answer `{"details"}`. */
function parseErrors(text: string): RegistryError[] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return [];
  }
  const errors = isObject(body) && Array.isArray(body["errors"]) ? body["errors"] : [];
  if (errors.length === 0 && isObject(body) && typeof body["details"] === "string") {
    return [{ code: "UNAUTHORIZED", message: body["details"] }];
  }
  return errors.filter(isObject).map((error) => {
    const code = typeof error["code"] === "string" ? error["code"] : "UNKNOWN";
    return { code, message: typeof error["message"] === "string" ? error["message"] : "unknown error" };
  });
}

function statusLine(status: number): string {
  if (status === 401) return "unauthorized: authentication required";
  if (status === 403) return "denied: requested access to the resource is denied";
  if (status === 429) return "toomanyrequests: too many requests";
  return `received unexpected HTTP status: ${statusText(status)}`;
}

/** Seconds, from either form of Retry-After (RFC 9110 §10.2.3). */
function retryAfter(header: string | null, now: number): number {
  if (header === null) return 0;
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.ceil((timeOf(header) - now) / 1000);
  return seconds > 0 ? Math.min(seconds, 0xffff_ffff) : 0;
}

/** The form of C's `asctime` names no zone: it is in UTC, as the others are (RFC 9110 §5.6.7). */
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/** Milliseconds since 1970; not a number for what is no date. */
function timeOf(date: string): number {
  return Date.parse(ASCTIME.test(date) ? `${date} GMT` : date);
}

function reason(url: URL, error: unknown): string {
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const code = codeOf(error);
  switch (code) {
    case "ECONNREFUSED":
      return `dial tcp ${url.hostname}:${port}: connect: connection refused`;
    case "ENOTFOUND":
      return `dial tcp: lookup ${url.hostname}: no such host`;
    case "EAI_AGAIN":
      return `dial tcp: lookup ${url.hostname}: temporary failure in name resolution`;
    case "ETIMEDOUT":
    case "UND_ERR_CONNECT_TIMEOUT":
      return `dial tcp ${url.hostname}:${port}: i/o timeout`;
    case "ECONNRESET":
      return "read: connection reset by peer";
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
      return "http: server gave HTTP response to HTTPS client";
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
      return "tls: failed to verify certificate: x509: certificate signed by unknown authority";
    default:
      // Some platforms name the address in what they say, with all that is in it.
      return innermost(error).replaceAll(url.href, `${url.origin}${url.pathname}`);
  }
}

function innermost(error: unknown): string {
  let at = error;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  return at instanceof Error ? at.message : String(at);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Shorter ones come up by chance. */
const LEAST = 4;

const KIND_OF_STATUS: Record<number, failures.FailureKind> = {
  401: "unauthorized",
  403: "denied",
  404: "not-found",
  429: "limited",
};

const NAME_OF_STATUS: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  429: "Too Many Requests",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};
