// Why there was no answer, or not all of it: translates errors of Node, undici and OpenSSL. Their messages are passed on
// only for unknown errors.

import { HostFailure, cutShort, firstOf } from "../shared/index.js";
import type { failures } from "../shared/index.js";
import { unanswered, withoutQuery, type Asked } from "./failures.js";
import { withoutSecrets } from "./secrets.js";

/** The failure of a request without an answer. `secrets`: the secrets that were sent. */
export function unreachable(asked: Asked, error: unknown, secrets: readonly string[]): HostFailure {
  return error instanceof HostFailure ? error : unanswered(asked, reason(new URL(asked.url), error, secrets));
}

/** The failure of a request whose answer had begun. */
export function brokenOff(asked: Asked, error: unknown, secrets: readonly string[]): HostFailure {
  if (BROKEN_OFF.has(coded(error).code)) return cutShort("answer", withoutQuery(asked.url));
  return unreachable(asked, error, secrets);
}

function reason(url: URL, error: unknown, secrets: readonly string[]): failures.ExchangeFailure {
  const { code, syscall, cert, path } = coded(error);
  const known = REASONS[code];
  if (known !== undefined) return { tag: known };
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return { tag: "certificate-names", val: namesOf(cert) };
  // Node's HTTP client reports a properly closed connection like this.
  if (code === "ECONNRESET" && syscall === "") return { tag: "closed" };
  const errno = code === "UND_ERR_CONNECT_TIMEOUT" ? "ETIMEDOUT" : code;
  if (ERRNO.test(errno)) return { tag: "call", val: refused(url, errno, syscall, path) };
  // Some platforms put the whole URL into their message, or a malformed header.
  const said = innermost(error).replaceAll(url.href, withoutQuery(url.href));
  return { tag: "other", val: withoutSecrets(said, secrets) };
}

/** `file`: the machine's file that the call was about, such as a certificate. */
function refused(url: URL, error: string, syscall: string, file: string | undefined): failures.RefusedCall {
  if (file !== undefined) return { call: syscall, path: file, inside: false, error };
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
  /** Name of the system call that failed; empty if there is none. */
  syscall: string;
  /** The path that it was about, if it was about a file. */
  path?: string;
  /** The server's certificate if it was rejected. */
  cert?: { subjectaltname?: string };
}

/** The first error with a code: the error itself or one of its causes. */
function coded(error: unknown): Coded {
  for (let at = firstOf(error); at instanceof Error; at = firstOf(at.cause)) {
    if ("code" in at && typeof at.code === "string") return { syscall: "", ...(at as Partial<Coded>), code: at.code };
  }
  return { code: "", syscall: "" };
}

function innermost(error: unknown): string {
  let at = firstOf(error);
  while (at instanceof Error && at.cause instanceof Error) at = firstOf(at.cause);
  return at instanceof Error ? at.message : String(at);
}

const LOOKUP = /^(?:ENOTFOUND|EAI_)/;
/** Codes of errno(3) and getaddrinfo(3), but not Node's own. */
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

/** The connection was closed properly, but before the announced end. */
const BROKEN_OFF = new Set([
  "UND_ERR_SOCKET",
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
  "ERR_STREAM_PREMATURE_CLOSE",
  "HPE_INVALID_EOF_STATE",
  "ECONNRESET",
]);
