// Why there was no answer: what errors of Node's, undici's and OpenSSL's stand for. Their words are not passed on, but for
// those that nobody here knows.

import { HostFailure } from "../shared/failure.js";
import type { failures } from "../shared/host.js";
import { failedExchange, withoutQuery, type Asked } from "./failures.js";
import { withoutSecrets } from "./secrets.js";

/** The failure of a request that was not answered. `secrets`: what was sent in confidence. */
export function unreachable(asked: Asked, error: unknown, secrets: readonly string[]): HostFailure {
  return error instanceof HostFailure ? error : failedExchange(asked, reason(new URL(asked.url), error, secrets));
}

/** The code of the system or the HTTP library in an error or in what caused it; or empty. */
export function codeOf(error: unknown): string {
  return coded(error).code;
}

function reason(url: URL, error: unknown, secrets: readonly string[]): failures.ExchangeFailure {
  const { code, syscall, cert } = coded(error);
  const known = REASONS[code];
  if (known !== undefined) return { tag: known };
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return { tag: "certificate-names", val: namesOf(cert) };
  // What Node's client says of a connection that was closed in order.
  if (code === "ECONNRESET" && syscall === "") return { tag: "closed" };
  const errno = code === "UND_ERR_CONNECT_TIMEOUT" ? "ETIMEDOUT" : code;
  if (ERRNO.test(errno)) return { tag: "call", val: refused(url, errno, syscall) };
  // Some platforms name the address in what they say, with all that is in it; or a header that makes no sense.
  const said = innermost(error).replaceAll(url.href, withoutQuery(url.href));
  return { tag: "other", val: withoutSecrets(said, secrets) };
}

function refused(url: URL, error: string, syscall: string): failures.RefusedCall {
  const call = syscall || (LOOKUP.test(error) ? "getaddrinfo" : "connect");
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return { call, path: call === "getaddrinfo" ? url.hostname : `${url.hostname}:${port}`, inside: false, error };
}

/** `DNS:registry.example, IP Address:10.0.0.1`. */
function namesOf(cert: Coded["cert"]): string[] {
  const names = cert?.subjectaltname?.split(", ") ?? [];
  return names.map((name) => name.replace(/^[^:]*:/, ""));
}

interface Coded {
  code: string;
  /** Name of the call of the system that failed; or empty. */
  syscall: string;
  /** The one that was shown, where it was not taken. */
  cert?: { subjectaltname?: string };
}

/** The first error with a code: itself, or what caused it. */
function coded(error: unknown): Coded {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ("code" in at && typeof at.code === "string") return { syscall: "", ...(at as Partial<Coded>), code: at.code };
  }
  return { code: "", syscall: "" };
}

function innermost(error: unknown): string {
  let at = error;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  return at instanceof Error ? at.message : String(at);
}

const LOOKUP = /^(?:ENOTFOUND|EAI_)/;
/** errno(3) and what getaddrinfo(3) says, but not codes of Node's own. */
const ERRNO = /^E(?!RR_)[A-Z0-9_]+$/;

const REASONS: Readonly<Record<string, "closed" | "no-tls" | "unknown-authority" | "certificate-dates">> = {
  UND_ERR_SOCKET: "closed",
  ERR_SSL_WRONG_VERSION_NUMBER: "no-tls",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "no-tls",
  DEPTH_ZERO_SELF_SIGNED_CERT: "unknown-authority",
  SELF_SIGNED_CERT_IN_CHAIN: "unknown-authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "unknown-authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "unknown-authority",
  CERT_HAS_EXPIRED: "certificate-dates",
  CERT_NOT_YET_VALID: "certificate-dates",
};
