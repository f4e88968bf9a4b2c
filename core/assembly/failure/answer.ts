// Messages for a registry that answered with an error (surface §2.22, §6.3).

import {
  Failure,
  FailureRegistryAnswer,
  FailureTag,
  RegistryAnswer,
  RegistryError,
} from "../../../build/bindings/types";
import { FailureKind } from "./failure-kind";

/** Null for other failures. */
function answerOf(failure: Failure): RegistryAnswer | null {
  return failure.tag == FailureTag.RegistryAnswer ? (<FailureRegistryAnswer>failure).value : null;
}

/** HTTP status, or 0. */
export function answeredStatus(failure: Failure): u16 {
  const answer = answerOf(failure);
  return answer === null ? 0 : answer.status;
}

/** Code of the first error, such as `MANIFEST_UNKNOWN`, or empty. */
export function answeredCode(failure: Failure): string {
  const answer = answerOf(failure);
  return answer === null || answer.errors.length == 0 ? "" : codeOf(answer.errors[0]);
}

/** Seconds to wait if the registry asks for that, or 0. */
export function retryAfter(failure: Failure): u32 {
  const answer = answerOf(failure);
  return answer === null ? 0 : answer.retryAfter;
}

/**
 * A token without the needed scope counts as denied: a new token
 * would lack the scope, too, so other credentials are not asked for.
 */
export function answerKind(answer: RegistryAnswer): FailureKind {
  if (isForbidden(answer)) return FailureKind.Denied;
  switch (answer.status) {
    case 401:
      return FailureKind.Unauthorized;
    case 404:
      return FailureKind.NotFound;
    case 429:
      return FailureKind.Limited;
    default:
      return FailureKind.Registry;
  }
}

export function answerText(answer: RegistryAnswer): string {
  if (lacksScope(answer)) return FORBIDDEN;
  // Docker does not read what a server says that fails.
  if (answer.status >= SERVER_ERROR && !answer.tokenServer) return statusText(answer.status);
  const errors = answer.errors;
  if (errors.length == 1) return errorText(errors[0]);
  if (errors.length > 1) return `errors:\n${errors.map<string>((error) => errorText(error)).join("\n")}`;
  if (answer.details.length > 0) return `unauthorized: ${answer.details}`;
  return statusText(answer.status);
}

/**
 * Docker's message when the registry itself refuses a login; null for other failures, which have messages of their own.
 */
export function loginText(failure: Failure): string | null {
  const answer = answerOf(failure);
  if (answer === null || answer.tokenServer) return null;
  return `login attempt to ${answer.url} failed with status: ${namedStatus(answer.status)}`;
}

/** The message for a file that a web server does not give. */
export function webAnswerText(failure: Failure): string {
  const answer = answerOf(failure);
  return answer === null ? "" : `failed to GET ${answer.url} with status ${namedStatus(answer.status)}`;
}

function isForbidden(answer: RegistryAnswer): bool {
  return answer.status == 403 || lacksScope(answer);
}

function lacksScope(answer: RegistryAnswer): bool {
  return answer.status == 401 && answer.lacksScope;
}

function errorText(error: RegistryError): string {
  const message = error.message.length > 0 ? error.message : "unknown error";
  return `${codeOf(error).toLowerCase().replaceAll("_", " ")}: ${message}`;
}

/** Docker knows no other codes than those of the specification and of its own registry. */
function codeOf(error: RegistryError): string {
  return CODES.includes(error.code) ? error.code : "UNKNOWN";
}

function statusText(status: u16): string {
  if (status == 401) return "unauthorized: authentication required";
  if (status == 403) return FORBIDDEN;
  if (status == 429) return "toomanyrequests: too many requests";
  return `received unexpected HTTP status: ${namedStatus(status)}`;
}

/** `401 Unauthorized`, or only the number if the status has no name. */
function namedStatus(status: u16): string {
  const at = STATUSES.indexOf(status);
  return at < 0 ? status.toString() : `${status} ${STATUS_NAMES[at]}`;
}

const CODES: string[] = [
  "UNAUTHORIZED",
  "DENIED",
  "UNSUPPORTED",
  "UNAVAILABLE",
  "TOOMANYREQUESTS",
  "NAME_INVALID",
  "NAME_UNKNOWN",
  "TAG_INVALID",
  "MANIFEST_UNKNOWN",
  "MANIFEST_INVALID",
  "MANIFEST_UNVERIFIED",
  "MANIFEST_BLOB_UNKNOWN",
  "BLOB_UNKNOWN",
  "BLOB_UPLOAD_UNKNOWN",
  "BLOB_UPLOAD_INVALID",
  "DIGEST_INVALID",
  "SIZE_INVALID",
];

const SERVER_ERROR: u16 = 500;
const FORBIDDEN = "denied: requested access to the resource is denied";

const STATUSES: u16[] = [400, 401, 403, 404, 405, 406, 429, 500, 501, 502, 503, 504];
const STATUS_NAMES: string[] = [
  "Bad Request",
  "Unauthorized",
  "Forbidden",
  "Not Found",
  "Method Not Allowed",
  "Not Acceptable",
  "Too Many Requests",
  "Internal Server Error",
  "Not Implemented",
  "Bad Gateway",
  "Service Unavailable",
  "Gateway Timeout",
];
